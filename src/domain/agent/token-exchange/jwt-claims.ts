import type { Claims } from '../tokens/claims.js';
import type { SecurityToken } from './security-token.js';

const none: Claims = {};

/**
 * The claims of a token that have a registered meaning. An assertion has none: its identity provider chose the
 * attribute names, so an attribute `scope` or `act` is not that claim.
 */
export const jwtClaims = (token: SecurityToken): Claims => (token.kind === 'saml2' ? none : token.claims);
