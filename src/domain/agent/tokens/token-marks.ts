import type { Claims } from './claims.js';

/** Only ID tokens have `at_hash` and `c_hash` (OpenID Connect Core, sections 3.1.3.6 and 3.3.2.11). */
const isMarkedAsIdToken = (claims: Claims): boolean =>
  Object.hasOwn(claims, 'at_hash') ||
  Object.hasOwn(claims, 'c_hash') ||
  // Set by Amazon Cognito and Keycloak.
  claims['token_use'] === 'id' ||
  claims['typ'] === 'ID';

/**
 * Whether its claims mark a token as an access token: by scopes or a client id (RFC 9068, section 2.2; `scp` is from
 * Azure and Okta), or by `token_use` and `typ` (Amazon Cognito and Keycloak).
 */
export const isMarkedAsAccessToken = (claims: Claims): boolean =>
  Object.hasOwn(claims, 'scope') ||
  Object.hasOwn(claims, 'scp') ||
  Object.hasOwn(claims, 'client_id') ||
  claims['token_use'] === 'access' ||
  claims['typ'] === 'Bearer' ||
  claims['typ'] === 'DPoP';

/**
 * Whether its claims mark a token as something other than its stated use. Many tokens have no such marks: this catches
 * mistakes and tricks, but proves nothing. `events` marks a security event token, such as a logout token, which
 * authenticates no one (RFC 8417, section 4.1).
 */
export const isMarkedOtherwise = (claims: Claims, use: 'access' | 'id'): boolean =>
  Object.hasOwn(claims, 'events') || (use === 'id' ? isMarkedAsAccessToken(claims) : isMarkedAsIdToken(claims));
