import type { Claims } from '../tokens/claims.js';
import type { SecurityToken } from './security-token.js';

const none: Claims = {};

/**
 * What a token says in claims that have a meaning by their names. An assertion has none: its attributes have the
 * names that its identity provider gave them, and one named `scope` or `act` is neither.
 */
export const jwtClaims = (token: SecurityToken): Claims => (token.kind === 'saml2' ? none : token.claims);
