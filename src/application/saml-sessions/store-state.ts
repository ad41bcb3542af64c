import type { Result } from '../../domain/shared/result.js';
import type { Logger } from '../ports/logger.js';
import type { StoreFailure } from '../ports/session-store.js';

/** Whether a store could be used the last time; each change is logged once. */
export class StoreState {
  readonly #logger: Logger;
  #isFailing = false;

  constructor(logger: Logger) {
    this.#logger = logger;
  }

  get isFailing(): boolean {
    return this.#isFailing;
  }

  /** Gives back what came of an operation. */
  noted<Value>(outcome: Result<Value, StoreFailure>): Result<Value, StoreFailure> {
    if (outcome.ok && this.#isFailing) this.#logger.info('the session store can be used again');
    if (!outcome.ok && !this.#isFailing) {
      this.#logger.warn('the session store cannot be used', { reason: outcome.error.reason });
    }
    this.#isFailing = !outcome.ok;
    return outcome;
  }
}
