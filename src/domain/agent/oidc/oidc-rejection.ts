import type { TokenRejection } from '../tokens/token-rejection.js';

/** Why an answer of an OpenID provider is refused, besides the faults that every JWT can have. */
export const oidcRejections = [
  // The callback.
  'malformed_callback',
  'missing_iss',
  'wrong_iss',
  'wrong_callback',
  'provider_error',
  // The token endpoint.
  'code_refused',
  'client_refused',
  'malformed_token_response',
  'token_endpoint_failed',
  // The ID token.
  'wrong_nonce',
  'wrong_access_token_hash',
  'wrong_code_hash',
  'issued_too_long_ago',
  'authentication_not_fresh',
  'wrong_authentication_context',
  // The ID token of a refresh.
  'other_subject',
  'other_authentication_time',
  // The user.
  'wrong_userinfo_subject',
  'userinfo_failed',
  'unusable_user_id',
  'email_not_verified',
  'domain_not_allowed',
  // The logout token.
  'wrong_event',
  'unexpected_nonce',
  'missing_token_id',
  'names_no_session',
] as const;

/**
 * Why an answer of an OpenID provider is refused. Stable: logs and metric labels contain these values. The client never
 * learns them, because they would help a forger.
 */
export type OidcRejection = (typeof oidcRejections)[number] | TokenRejection;
