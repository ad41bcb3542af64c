import type { StoreFailure } from '../../../application/ports/agent/session-store.js';
import { err, ok, type Result } from '../../../domain/shared/result.js';

/** Whether the stores are open; closed stores fail, as in every other technology. */
export class OpenState {
  #isOpen = true;

  close(): void {
    this.#isOpen = false;
  }

  answer<Value>(value: () => Value): Result<Value, StoreFailure> {
    return this.#isOpen ? ok(value()) : err({ reason: 'the store is closed' });
  }

  attempt<Value>(attempt: () => Result<Value, StoreFailure>): Result<Value, StoreFailure> {
    return this.#isOpen ? attempt() : err({ reason: 'the store is closed' });
  }
}
