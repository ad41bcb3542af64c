import type { Result } from '../../../domain/shared/result.js';
import type { StoreFailure } from '../../ports/agent/session-store.js';
import type { Logger } from '../../ports/shared/logger.js';

/**
 * What a store is used for. Each may fail alone: a full disk can be read, and a full memory takes nothing but
 * removals.
 */
export type StoreUse = 'read' | 'keep' | 'remove';

/**
 * Whether opened stores could be used the last time, for each use of them; a change from all to not all is logged
 * once.
 */
export class StoreState {
  readonly #logger: Logger;
  /** Uses that failed the last time, with the reason. */
  readonly #failures = new Map<StoreUse, string>();
  readonly #listeners = new Set<() => void>();

  constructor(logger: Logger) {
    this.#logger = logger;
  }

  /** Why the stores cannot be used, one clause; null: they can. */
  get failure(): string | null {
    return this.#failures.values().next().value ?? null;
  }

  fails(use: StoreUse): boolean {
    return this.#failures.has(use);
  }

  /** Calls back whenever all uses succeed again, or one no longer does; the result ends that. */
  onChange(listener: () => void): () => void {
    const own = () => listener();
    this.#listeners.add(own);
    return () => void this.#listeners.delete(own);
  }

  /** Gives back what came of a use. */
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
