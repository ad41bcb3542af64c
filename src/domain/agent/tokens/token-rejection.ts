/** Why a bearer token is not accepted. Stable: the reasons are metric labels. */
export type TokenRejection =
  /** Over the size that is looked at. */
  | 'too_large'
  /** No JWS in compact form whose header and payload are JSON objects, or a claim of the wrong type. */
  | 'malformed'
  /** Another algorithm than the configured one, `none` included. */
  | 'wrong_algorithm'
  /** A `typ`, or a claim, that says it is something else than what it is shown as. */
  | 'wrong_type'
  /** No configured provider issues under its `iss`. */
  | 'unknown_issuer'
  /** No key of the provider has its `kid`. */
  | 'unknown_key'
  /** Has a `crit` header: extensions that have to be understood, and none is. */
  | 'critical_header'
  | 'bad_signature'
  | 'missing_expiry'
  | 'expired'
  | 'not_yet_valid'
  | 'issued_in_future'
  | 'wrong_issuer'
  | 'wrong_audience'
  /** An ID token without `iat`. */
  | 'missing_issued_at'
  /** An ID token for several audiences, another of which has asked for it. */
  | 'wrong_party'
  /** Lacks one of the required scopes. */
  | 'insufficient_scope'
  /** No `sub` that could be a user id. */
  | 'unusable_subject'
  /** A `cnf` that is no object, or whose thumbprint is none. */
  | 'malformed_confirmation'
  /** A `cnf` without a member that is checked here. */
  | 'unknown_confirmation'
  /** Bound to a key by `cnf.jkt` (RFC 9449), which is not checked here. */
  | 'dpop_not_supported'
  /** Bound to a certificate, and the request has none. */
  | 'missing_certificate'
  /** Bound to another certificate than that of the request. */
  | 'wrong_certificate';
