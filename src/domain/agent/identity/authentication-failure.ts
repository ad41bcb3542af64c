import type { CertificateRejection } from '../client-certificates/certificate-defects.js';
import type { TokenRejection } from '../tokens/token-rejection.js';
import type { AuthenticationMethod } from './request-credentials.js';

/** Why a credential could not be judged, good or bad as it may be. */
export type UndecidedReason =
  /** The provider's keys have never been had, or the one that is needed not in time. */
  | 'keys_unavailable'
  /** The store of the sessions cannot be asked. */
  | 'store_unavailable'
  /** Too many passwords wait to be checked, or too many requests for one of them. */
  | 'overloaded';

/** Why a credential, or the lack of one, does not authenticate. Stable: the reasons are metric labels. */
export type FailureReason =
  | TokenRejection
  | CertificateRejection
  | UndecidedReason
  /** The request shows nothing that a configured method reads. */
  | 'missing_credentials'
  /** A header that may occur once occurs more often: which one counts would be a guess. */
  | 'ambiguous_credentials'
  /** No credential of its scheme. */
  | 'malformed_credentials'
  /** Well-formed, and not among those configured; no session by that cookie. */
  | 'unknown_credentials'
  /** The session is over: its time, or its time without use. */
  | 'session_expired';

export interface AuthenticationFailure {
  /** Null where no method was shown a credential. */
  readonly method: AuthenticationMethod | null;
  readonly reason: FailureReason;
}

/** Nothing was missing but a scope: what was shown is genuine, and in its time. */
const allButScope: ReadonlySet<FailureReason> = new Set<FailureReason>(['insufficient_scope']);

/** What was shown is genuine, by its signature or its chain, and refused for what it says. */
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
  'dpop_not_supported',
  'missing_certificate',
  'wrong_certificate',
  'certificate_expired',
  'certificate_not_yet_valid',
  'certificate_wrong_usage',
  'certificate_weak',
  'certificate_unsupported',
  'certificate_not_allowed',
  'certificate_unusable_subject',
]);

const weight = ({ reason }: AuthenticationFailure): number => {
  if (allButScope.has(reason)) return 2;
  return genuine.has(reason) ? 1 : 0;
};

/**
 * Which of two failures says more of why a request is refused: one of a credential that is genuine, before one that
 * could be anybody's; of two that say as much, the one before, which was tried first.
 */
export const moreTelling = <Failure extends AuthenticationFailure>(before: Failure | null, next: Failure): Failure =>
  before === null || weight(next) > weight(before) ? next : before;
