import type { ClaimValue } from '../tokens/claims.js';
import type { ExchangePolicy } from './exchange-policy.js';
import type { ExchangeReason } from './exchange-refusal.js';
import { jwtClaims } from './jwt-claims.js';
import type { SecurityToken } from './security-token.js';

const namesOneOf = (audience: ClaimValue | undefined, accepted: ReadonlySet<ClaimValue>): boolean =>
  Array.isArray(audience)
    ? audience.some((value) => accepted.has(value))
    : audience !== undefined && accepted.has(audience);

/**
 * Why a subject or actor token cannot be exchanged, whatever for; null: it can. One that is bound to a key (`cnf`, RFC 7800, section 3.1)
 * would be set free by it; and a client that was shown a token which is meant for others could make it its own.
 */
export const tokenFitness = (
  token: SecurityToken,
  { acceptedAudiences }: Pick<ExchangePolicy, 'acceptedAudiences'>,
): Extract<ExchangeReason, 'bound_token' | 'not_for_client'> | null => {
  const claims = jwtClaims(token);
  if (Object.hasOwn(claims, 'cnf')) return 'bound_token';
  if (!token.isOwn || acceptedAudiences === null) return null;
  return namesOneOf(claims['aud'], acceptedAudiences) ? null : 'not_for_client';
};
