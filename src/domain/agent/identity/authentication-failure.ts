import type { CertificateRejection } from '../client-certificates/certificate-defects.js';
import { type ProofRejection, proofRejections } from '../tokens/dpop-proof.js';
import type { TokenRejection } from '../tokens/token-rejection.js';
import type { AuthenticationMethod } from './request-credentials.js';

/** Why a credential could not be checked; it may be valid. */
export type UndecidedReason =
  /** The provider's keys are missing, or the needed key did not arrive in time. */
  | 'keys_unavailable'
  /** The introspection endpoint gave no valid answer in time. */
  | 'introspection_unavailable'
  /** The OpenID provider gives no fresh access token for the session. */
  | 'provider_unavailable'
  /** The session store is unavailable. */
  | 'store_unavailable'
  /** Too many password checks or introspections are waiting, or too many requests wait for one of them. */
  | 'overloaded';

/** Why authentication failed. Stable: the values are metric labels. */
export type FailureReason =
  | TokenRejection
  | ProofRejection
  | CertificateRejection
  | UndecidedReason
  /** The request has no credential of a configured method. */
  | 'missing_credentials'
  /** A singleton header occurs more than once. Choosing one would be a guess. */
  | 'ambiguous_credentials'
  /** The credential does not match the syntax of its scheme. */
  | 'malformed_credentials'
  /** Well-formed but not configured; or no session has this id. */
  | 'unknown_credentials'
  /** The session has reached its lifetime or its idle time. */
  | 'session_expired'
  /** The session is active, but does not meet what the path requires (RFC 9470). */
  | 'insufficient_user_authentication'
  /** A page of another site sent the request with the session cookie. */
  | 'cross_site_request';

export interface AuthenticationFailure {
  /** Null if no method found a credential. */
  readonly method: AuthenticationMethod | null;
  readonly reason: FailureReason;
}

/** The credential is valid, but does not suffice here. */
const insufficient: ReadonlySet<FailureReason> = new Set<FailureReason>([
  'insufficient_scope',
  'insufficient_user_authentication',
]);

/** The signature or chain is valid, but the contents are refused. */
const genuine: ReadonlySet<FailureReason> = new Set<FailureReason>([
  'missing_expiry',
  'expired',
  'not_yet_valid',
  'issued_in_future',
  'wrong_issuer',
  'wrong_audience',
  'missing_issued_at',
  'wrong_party',
  'unusable_subject',
  'malformed_confirmation',
  'unknown_confirmation',
  'bound_token_as_bearer',
  'unbound_token',
  ...proofRejections,
  'missing_certificate',
  'wrong_certificate',
  'certificate_expired',
  'certificate_not_yet_valid',
  'certificate_wrong_usage',
  'certificate_weak',
  'certificate_unsupported',
  'certificate_revoked',
  'certificate_revocation_unknown',
  'certificate_not_allowed',
  'certificate_unusable_subject',
]);

const weight = ({ reason }: AuthenticationFailure): number => {
  if (insufficient.has(reason)) return 2;
  return genuine.has(reason) ? 1 : 0;
};

/**
 * The failure that says more about the refusal: that of a genuine credential before one that anyone could forge. Of two
 * equal ones, the first.
 */
export const moreUsefulFailure = <Failure extends AuthenticationFailure>(
  before: Failure | null,
  next: Failure,
): Failure => (before === null || weight(next) > weight(before) ? next : before);
