import { maxMirroredRequests } from '../../../domain/gateway/route-transforms/mirror.js';
import type { PermitBook, Permits } from '../../ports/gateway/permits.js';
import type { MaybePromise } from '../../ports/shared/maybe-promise.js';

/** The slots for copies of requests: `maxMirroredRequests` for all workers together. */
export class MirrorSlots {
  /** While memory is short, there are no slots. */
  isPaused = false;
  readonly #permits: Permits;
  #asking = 0;

  constructor(book: PermitBook) {
    this.#permits = book.open('mirrored-requests', '');
  }

  /** Copies under way in this worker. */
  get taken(): number {
    return this.#permits.taken;
  }

  /** Takes a slot; false: none is free. A promise, settled within 250 ms, if the supervisor decides. */
  take(): MaybePromise<boolean> {
    if (this.isPaused) return false;
    const outcome = this.#permits.take();
    if (outcome !== 'unknown') return outcome === 'taken';
    return this.#asking >= maxMirroredRequests ? false : this.#ask();
  }

  release(): void {
    this.#permits.giveBack();
  }

  async #ask(): Promise<boolean> {
    this.#asking += 1;
    try {
      return await this.#permits.ask();
    } finally {
      this.#asking -= 1;
    }
  }
}
