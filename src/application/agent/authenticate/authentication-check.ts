import type { FailureReason, UndecidedReason } from '../../../domain/agent/identity/authentication-failure.js';
import type { BearerCredential } from '../../../domain/agent/identity/authorization-credential.js';
import type { AuthenticationMethod, RequestCredentials } from '../../../domain/agent/identity/request-credentials.js';
import type { ProvenRequest } from '../../../domain/agent/tokens/dpop-proof.js';
import type { Cancellation } from '../../ports/shared/cancellation.js';
import type { InsufficientSession } from '../sessions/step-up-rules.js';
import type { PasswordCheck, PasswordVerdict } from './password-checks.js';
import type { PreparedIdentity } from './prepared-identity.js';

/** Maximum requests that share one check: more than a starting client sends at once. */
export const maximumSharers = 64;

/** The result of a check for one request. */
export type SharedVerdict = PasswordVerdict | 'cancelled';

/** A check that several requests with the same password share. */
export class SharedCheck {
  readonly #check: PasswordCheck;
  readonly #onWithdrawn: () => void;
  #sharers = 0;

  /** @param onWithdrawn called if the check was withdrawn before it began, because all requests were cancelled */
  constructor(check: PasswordCheck, onWithdrawn: () => void) {
    this.#check = check;
    this.#onWithdrawn = onWithdrawn;
  }

  /** Waits for the verdict. Never rejects. */
  join(cancellation: Cancellation): Promise<SharedVerdict> {
    if (this.#sharers >= maximumSharers) return Promise.resolve('overloaded');
    this.#sharers += 1;
    return new Promise((resolve) => {
      const endListening = cancellation.onCancel(() => {
        resolve('cancelled');
        this.#leave();
      });
      void this.#check.verdict.then((verdict) => {
        endListening();
        resolve(verdict);
      });
    });
  }

  #leave(): void {
    this.#sharers -= 1;
    if (this.#sharers === 0 && this.#check.withdraw()) this.#onWithdrawn();
  }
}

/** An accepted credential, and where it is if not at the usual place of its method. */
export interface AcceptedCredential {
  readonly prepared: PreparedIdentity;
  /** In a cookie, which browsers send with requests of any page. */
  readonly byCookie?: true;
  /** In the `token-header` of a provider. The request may have another Authorization. */
  readonly byTokenHeader?: true;
}

export type CheckOutcome =
  /** The request has no credential of this method. */
  | { readonly kind: 'absent' }
  | ({ readonly kind: 'authenticated' } & AcceptedCredential)
  /** `scope`: the required scopes, separated by spaces; only with the reason insufficient_scope. */
  | {
      readonly kind: 'failed';
      readonly reason: Exclude<FailureReason, UndecidedReason>;
      readonly scope?: string;
      /** Only with the reason insufficient_user_authentication. */
      readonly insufficient?: InsufficientSession;
    }
  /** The credential cannot be checked now. Another method may succeed; otherwise the client must retry. */
  | { readonly kind: 'undecided'; readonly reason: UndecidedReason }
  /** The caller cancelled. */
  | { readonly kind: 'cancelled' };

export const absent: CheckOutcome = { kind: 'absent' };
export const cancelled: CheckOutcome = { kind: 'cancelled' };
export const failedCheck = (reason: Exclude<FailureReason, UndecidedReason>): CheckOutcome => ({
  kind: 'failed',
  reason,
});
export const undecided = (reason: UndecidedReason): CheckOutcome => ({ kind: 'undecided', reason });

/** A cache of parsed Authorization values. */
export interface CredentialCache {
  /** The parsed credential; null if it must be parsed. Does not imply that the credential is valid. */
  credential(authorization: string): BearerCredential | null;
}

/** One authentication method. */
export interface AuthenticationCheck {
  readonly method: AuthenticationMethod;
  /** Whether the credential is a session, whatever method opened it. */
  readonly isSession?: true;
  /** The credentials that the check has cached; undefined if it caches none. */
  readonly known?: CredentialCache;
  /**
   * Synchronous where possible. Cancelling ends a wait with the outcome `cancelled`. Never rejects.
   *
   * @param request what a proof of possession or a session is for; null: unknown
   */
  check(
    credentials: RequestCredentials,
    cancellation: Cancellation,
    request?: ProvenRequest | null,
  ): CheckOutcome | Promise<CheckOutcome>;
}
