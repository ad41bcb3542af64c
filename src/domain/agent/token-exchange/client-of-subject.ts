import type { Claims } from '../tokens/claims.js';
import { isClientId } from './client-id.js';
import { jwtClaims } from './jwt-claims.js';
import type { SecurityToken } from './security-token.js';

const clientIn = (claims: Claims, name: string): string | null => {
  const value = claims[name];
  return typeof value === 'string' && isClientId(value) ? value : null;
};

/** The client that a subject token was issued to, by `client_id` (RFC 8693, section 4.3) or `azp`; null: it does not say. */
export const clientOfSubject = (subject: SecurityToken): string | null => {
  const claims = jwtClaims(subject);
  return clientIn(claims, 'client_id') ?? clientIn(claims, 'azp');
};
