/** Why a bearer token is refused. Stable: the values are metric labels. */
export type TokenRejection =
  /** Exceeds the maximum size. */
  | 'too_large'
  /** Not a JWS in compact form with JSON objects, or a claim of the wrong type. */
  | 'malformed'
  /** Not the configured algorithm; includes `none`. */
  | 'wrong_algorithm'
  /** `typ` or a claim declares another kind of token. */
  | 'wrong_type'
  /** No configured provider has this `iss`. */
  | 'unknown_issuer'
  /** The provider has no key with this `kid`. */
  | 'unknown_key'
  /** Has a `crit` header; no extension is supported. */
  | 'critical_header'
  | 'bad_signature'
  /** The introspection endpoint says that the token is not active (RFC 7662, section 2.2). */
  | 'inactive'
  | 'missing_expiry'
  | 'expired'
  | 'not_yet_valid'
  | 'issued_in_future'
  | 'wrong_issuer'
  | 'wrong_audience'
  /** An ID token without `iat`. */
  | 'missing_issued_at'
  /** An ID token for several audiences that another one requested. */
  | 'wrong_party'
  /** Lacks a required scope. */
  | 'insufficient_scope'
  /** `sub` is missing or cannot be a user id. */
  | 'unusable_subject'
  /** `cnf` is not an object, or its thumbprint is malformed. */
  | 'malformed_confirmation'
  /** `cnf` has no supported member. */
  | 'unknown_confirmation'
  /** Bound to a key by `cnf.jkt` (RFC 9449), and not shown with the scheme `DPoP`. */
  | 'bound_token_as_bearer'
  /** Not bound to a key, although the provider or the scheme `DPoP` demands it. */
  | 'unbound_token'
  /** Bound to a certificate, and the request has none. */
  | 'missing_certificate'
  /** Bound to another certificate than that of the request. */
  | 'wrong_certificate';
