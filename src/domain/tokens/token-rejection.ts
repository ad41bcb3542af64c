/** Why a bearer token is not accepted. Stable: the reasons are metric labels. */
export type TokenRejection =
  /** Over the size that is looked at. */
  | 'too_large'
  /** No JWS in compact form whose header and payload are JSON objects, or a claim of the wrong type. */
  | 'malformed'
  /** Another algorithm than the configured one, `none` included. */
  | 'wrong_algorithm'
  /** Has a `crit` header: extensions that have to be understood, and none is. */
  | 'critical_header'
  | 'bad_signature'
  | 'missing_expiry'
  | 'expired'
  | 'not_yet_valid'
  | 'issued_in_future'
  | 'wrong_issuer'
  | 'wrong_audience'
  /** No `sub` that could be a user id. */
  | 'unusable_subject';
