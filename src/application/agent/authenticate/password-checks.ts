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

/** The result of a check. */
export type PasswordVerdict =
  | 'match'
  | 'mismatch'
  /** Not checked: the queue was full, the wait was too long, the check was withdrawn, or memory was short. */
  | 'overloaded';

/** A check that runs or waits. */
export interface PasswordCheck {
  /** False: the queue was full, and the verdict is already there. */
  readonly isAdmitted: boolean;
  /** Never rejects. */
  readonly verdict: Promise<PasswordVerdict>;
  /** Withdraws the check if it has not begun. Returns whether it did. */
  withdraw(): boolean;
}

export interface PasswordChecksOptions {
  readonly verifier: PasswordVerifier;
  readonly clock: Clock;
  readonly logger: Logger;
}

/** A check uses one core and many MiB while it runs. Two leave room for requests on a small machine. */
export const passwordQueueLimits: PasswordQueueLimits = { running: 2, waiting: 64, waitingPerUser: 8 };
/** Longer than any client waits for an answer. */
export const longestWaitMs = 10_000;
/** Minimum interval between log lines about failed checks: clients control their number. */
export const failureLineMs = 60_000;

interface Waiting {
  readonly password: string;
  readonly hash: PasswordHash;
  readonly sinceMs: number;
  readonly settle: (verdict: PasswordVerdict) => void;
}

/**
 * Checks passwords against hashes, for the whole process. Bounds the time and memory of an attack, and serves users in
 * turns.
 */
export class PasswordChecks {
  readonly #parts: PasswordChecksOptions;
  readonly #failureLines: OncePerPeriod;
  #queue: PasswordQueue<Waiting> = emptyPasswordQueue;

  constructor(parts: PasswordChecksOptions) {
    this.#parts = parts;
    this.#failureLines = new OncePerPeriod(parts.clock, failureLineMs);
  }

  /** Checks that this process can verify hashes of this kind. The error is one clause. */
  prepare(hash: PasswordHash): Promise<Result<void, string>> {
    return this.#parts.verifier.prepare(hash);
  }

  /** `user`: whose turn the check takes, known or not. */
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

  /** A check that fails says nothing about the password. */
  async #verdict(password: string, hash: PasswordHash): Promise<PasswordVerdict> {
    const matches = await this.#parts.verifier.matches(password, hash);
    if (matches.ok) return matches.value ? 'match' : 'mismatch';
    const untold = this.#failureLines.take();
    if (untold !== null) {
      this.#parts.logger.error('a password could not be checked', { error: matches.error, untold });
    }
    return 'overloaded';
  }

  /** Starts the next waiting check that is not too old. */
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
