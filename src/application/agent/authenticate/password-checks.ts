import type { PasswordHash } from '../../../domain/agent/identity/password-hash-rules.js';
import {
  admitCheck,
  emptyPasswordQueue,
  finishCheck,
  type PasswordQueue,
  type PasswordQueueLimits,
  withdrawCheck,
} from '../../../domain/agent/identity/password-queue.js';
import type { Result } from '../../../domain/shared/result.js';
import type { PasswordVerifier } from '../../ports/agent/password-verifier.js';
import type { Clock } from '../../ports/shared/clock.js';
import type { Logger } from '../../ports/shared/logger.js';
import { OncePerPeriod } from '../../shared/once-per-period.js';

/** What a check can come to. */
export type PasswordVerdict =
  | 'match'
  | 'mismatch'
  /**
   * Nothing was checked: too many wait, this one has waited for too long or was withdrawn, or there is no memory for
   * a check.
   */
  | 'overloaded';

/** A check that runs, or waits for that. */
export interface PasswordCheck {
  /** False: too many wait, and the verdict is there already. */
  readonly isAdmitted: boolean;
  /** Never rejects. */
  readonly verdict: Promise<PasswordVerdict>;
  /** Gives it up, as long as it has not begun; whether that is so. */
  withdraw(): boolean;
}

export interface PasswordChecksParts {
  readonly verifier: PasswordVerifier;
  readonly clock: Clock;
  readonly logger: Logger;
}

/** A check takes a core and many MiB while it runs: two leave the rest of a small machine to the requests. */
export const passwordQueueLimits: PasswordQueueLimits = { running: 2, waiting: 64, waitingPerUser: 8 };
/** Nobody waits that long for an answer: a check whose turn comes later would be for nothing. */
export const longestWaitMs = 10_000;
/** Between two lines on checks that failed, at least: clients decide how many of them there are. */
export const failureLineMs = 60_000;

interface Waiting {
  readonly password: string;
  readonly hash: PasswordHash;
  readonly sinceMs: number;
  readonly settle: (verdict: PasswordVerdict) => void;
}

/**
 * Checks passwords against hashes, for the whole process: what an attack can make it cost is bounded, in time and in
 * memory, and users take turns.
 */
export class PasswordChecks {
  readonly #parts: PasswordChecksParts;
  readonly #failureLines: OncePerPeriod;
  #queue: PasswordQueue<Waiting> = emptyPasswordQueue;

  constructor(parts: PasswordChecksParts) {
    this.#parts = parts;
    this.#failureLines = new OncePerPeriod(parts.clock, failureLineMs);
  }

  /** Makes sure that hashes of this kind can be checked here. The error is one clause. */
  prepare(hash: PasswordHash): Promise<Result<void, string>> {
    return this.#parts.verifier.prepare(hash);
  }

  /** `user`: whose turn it takes, be it known or not. */
  check(user: string, password: string, hash: PasswordHash): PasswordCheck {
    let settle: (verdict: PasswordVerdict) => void = () => undefined;
    const verdict = new Promise<PasswordVerdict>((resolve) => {
      settle = resolve;
    });
    const waiting: Waiting = { password, hash, sinceMs: this.#parts.clock.monotonicMs(), settle };
    const admission = admitCheck(this.#queue, user, waiting, passwordQueueLimits);
    if (admission.kind === 'refused') settle('overloaded');
    else this.#queue = admission.queue;
    if (admission.kind === 'start') void this.#run(waiting);
    return { isAdmitted: admission.kind !== 'refused', verdict, withdraw: () => this.#withdraw(waiting) };
  }

  #withdraw(waiting: Waiting): boolean {
    const queue = withdrawCheck(this.#queue, waiting);
    if (queue === this.#queue) return false;
    this.#queue = queue;
    waiting.settle('overloaded');
    return true;
  }

  async #run(first: Waiting): Promise<void> {
    for (let waiting: Waiting | null = first; waiting !== null; waiting = this.#next()) {
      const { password, hash, settle } = waiting;
      settle(await this.#verdict(password, hash));
    }
  }

  /** A check that could not be made says nothing of the password. */
  async #verdict(password: string, hash: PasswordHash): Promise<PasswordVerdict> {
    const matches = await this.#parts.verifier.matches(password, hash);
    if (matches.ok) return matches.value ? 'match' : 'mismatch';
    const untold = this.#failureLines.take();
    if (untold !== null) {
      this.#parts.logger.error('a password could not be checked', { error: matches.error, untold });
    }
    return 'overloaded';
  }

  /** The next that is still worth a check takes the place of one that has ended. */
  #next(): Waiting | null {
    for (;;) {
      const { queue, next } = finishCheck(this.#queue);
      this.#queue = queue;
      if (next === null) return null;
      if (this.#parts.clock.monotonicMs() - next.item.sinceMs < longestWaitMs) return next.item;
      next.item.settle('overloaded');
    }
  }
}
