import type { FailureReason, UndecidedReason } from '../../../domain/agent/identity/authentication-failure.js';
import type { BearerCredential } from '../../../domain/agent/identity/authorization-credential.js';
import type { AuthenticationMethod, RequestCredentials } from '../../../domain/agent/identity/request-credentials.js';
import type { Cancellation } from '../../ports/shared/cancellation.js';
import type { PasswordCheck, PasswordVerdict } from './password-checks.js';
import type { PreparedIdentity } from './prepared-identity.js';

/** Requests that may wait for one check, at most: more than a client that has just started sends at once. */
export const maximumSharers = 64;

/** What a check has come to for one request. */
export type SharedVerdict = PasswordVerdict | 'cancelled';

/** A check that several requests with the same password wait for. */
export class SharedCheck {
  readonly #check: PasswordCheck;
  readonly #onWithdrawn: () => void;
  #sharers = 0;

  /** @param onWithdrawn called where it was given up before it began, because nobody waited for it any more */
  constructor(check: PasswordCheck, onWithdrawn: () => void) {
    this.#check = check;
    this.#onWithdrawn = onWithdrawn;
  }

  /** Waits for its verdict, too. Never rejects. */
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

export type CheckOutcome =
  /** The request shows no credential of this method. */
  | { readonly kind: 'absent' }
  | { readonly kind: 'authenticated'; readonly prepared: PreparedIdentity }
  /** `scope`: what the token would need, its names separated by spaces; with the reason insufficient_scope alone. */
  | { readonly kind: 'failed'; readonly reason: Exclude<FailureReason, UndecidedReason>; readonly scope?: string }
  /** It cannot be judged now: another method may still succeed, else the request is to come again. */
  | { readonly kind: 'undecided'; readonly reason: UndecidedReason }
  /** Nobody waits for it any more: it came to nothing. */
  | { readonly kind: 'cancelled' };

export const absent: CheckOutcome = { kind: 'absent' };
export const cancelled: CheckOutcome = { kind: 'cancelled' };
export const failedCheck = (reason: Exclude<FailureReason, UndecidedReason>): CheckOutcome => ({
  kind: 'failed',
  reason,
});
export const undecided = (reason: UndecidedReason): CheckOutcome => ({ kind: 'undecided', reason });

/** Values of the Authorization field that need not be read, because they were before. */
export interface KnownCredentials {
  /** What the value says; null where it has to be read. Says nothing of whether the credential is any good. */
  credential(authorization: string): BearerCredential | null;
}

/** One way to authenticate a request. */
export interface AuthenticationCheck {
  readonly method: AuthenticationMethod;
  /** What it knows of credentials; not there: nothing. */
  readonly known?: KnownCredentials;
  /** Answers at once where it can. A wait ends with its cancellation, whose outcome is `cancelled`. Never rejects. */
  check(credentials: RequestCredentials, cancellation: Cancellation): CheckOutcome | Promise<CheckOutcome>;
}
