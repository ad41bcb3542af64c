import type { Claims } from './claims.js';

/** `at_hash` and `c_hash` are made for ID tokens alone (OpenID Connect Core, sections 3.1.3.6 and 3.3.2.11). */
const isMarkedAsIdToken = (claims: Claims): boolean =>
  Object.hasOwn(claims, 'at_hash') ||
  Object.hasOwn(claims, 'c_hash') ||
  // As Amazon Cognito and Keycloak mark them.
  claims['token_use'] === 'id' ||
  claims['typ'] === 'ID';

/**
 * Whether a token says by its claims that it is an access token. What says what may be done, and by which client, is
 * said of those (RFC 9068, section 2.2; `scp` is Azure's and Okta's); `token_use` and `typ` are Amazon Cognito's and
 * Keycloak's.
 */
export const isMarkedAsAccessToken = (claims: Claims): boolean =>
  Object.hasOwn(claims, 'scope') ||
  Object.hasOwn(claims, 'scp') ||
  Object.hasOwn(claims, 'client_id') ||
  claims['token_use'] === 'access' ||
  claims['typ'] === 'Bearer' ||
  claims['typ'] === 'DPoP';

/**
 * Whether a token says by its claims that it is something else than what it is shown as. Many say nothing of the
 * kind: this catches a mistake or a trick, and proves nothing. `events` makes it a security event token, such as a
 * logout token, which authenticates nobody (RFC 8417, section 4.1).
 */
export const isMarkedOtherwise = (claims: Claims, use: 'access' | 'id'): boolean =>
  Object.hasOwn(claims, 'events') || (use === 'id' ? isMarkedAsAccessToken(claims) : isMarkedAsIdToken(claims));
