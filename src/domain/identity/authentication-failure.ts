import type { TokenRejection } from '../tokens/token-rejection.js';
import type { AuthenticationMethod } from './authentication-method.js';

/** Why a credential, or the lack of one, does not authenticate. Stable: the reasons are metric labels. */
export type FailureReason =
  | TokenRejection
  /** The request shows nothing that a configured method reads. */
  | 'missing_credentials'
  /** A header that may occur once occurs more often: which one counts would be a guess. */
  | 'ambiguous_credentials'
  /** No credential of its scheme. */
  | 'malformed_credentials'
  /** Well-formed, and not among those configured. */
  | 'unknown_credentials';

export interface AuthenticationFailure {
  /** Null where no method was shown a credential. */
  readonly method: AuthenticationMethod | null;
  readonly reason: FailureReason;
}
