import type { Cancellation } from '../../ports/shared/cancellation.js';
import type { PasswordCheck, PasswordVerdict } from './password-checks.js';

/** Requests that may wait for one check, at the most: more than a client that has just started sends at once. */
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
