import type { Result } from '../../../domain/shared/result.js';
import type { StoreFailure } from '../../ports/agent/session-store.js';
import type { Logger } from '../../ports/shared/logger.js';

/**
 * The uses of a store, each of which can fail alone: a full disk is still readable, and a full memory still allows
 * removals.
 */
export type StoreUse = 'read' | 'keep' | 'remove';

/** Tracks whether the last use of each kind succeeded. Logs when the store fails and when it recovers. */
export class StoreState {
  readonly #logger: Logger;
  /** The uses whose last attempt failed, with the reason. */
  readonly #failures = new Map<StoreUse, string>();
  readonly #listeners = new Set<() => void>();

  constructor(logger: Logger) {
    this.#logger = logger;
  }

  /** Why the store is unavailable, one clause; null if it is available. */
  get failure(): string | null {
    return this.#failures.values().next().value ?? null;
  }

  fails(use: StoreUse): boolean {
    return this.#failures.has(use);
  }

  /** Calls the listener when the store fails or recovers. The result unsubscribes it. */
  onChange(listener: () => void): () => void {
    const own = () => listener();
    this.#listeners.add(own);
    return () => void this.#listeners.delete(own);
  }

  /** Records the outcome of a use and returns it. */
  noted<Value>(use: StoreUse, outcome: Result<Value, StoreFailure>): Result<Value, StoreFailure> {
    const failed = this.#failures.size > 0;
    if (outcome.ok) this.#failures.delete(use);
    else this.#failures.set(use, outcome.error.reason);
    if (!outcome.ok && !failed) {
      this.#logger.warn('the session store cannot be used', { reason: outcome.error.reason });
    }
    if (failed && this.#failures.size === 0) this.#logger.info('the session store can be used again');
    if (failed !== this.#failures.size > 0) for (const listener of this.#listeners) listener();
    return outcome;
  }
}
