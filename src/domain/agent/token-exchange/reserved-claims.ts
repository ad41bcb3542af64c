/**
 * Claims of an issued token that are set here, or that would say of it what holds for the subject token alone: none of them is copied.
 * Registered for JWTs (RFC 7519, section 4.1), access tokens (RFC 9068, section 2.2), delegation (RFC 8693, section 4), proof of
 * possession (RFC 7800, section 3.1), ID tokens and logout (OpenID Connect), and what else is read as one of these.
 */
export const reservedClaims: readonly string[] = [
  'iss',
  'sub',
  'aud',
  'exp',
  'nbf',
  'iat',
  'jti',
  'scope',
  'scp',
  'client_id',
  'azp',
  'act',
  'may_act',
  'cnf',
  'nonce',
  'at_hash',
  'c_hash',
  's_hash',
  'sid',
  'events',
  'token_use',
  'typ',
];
