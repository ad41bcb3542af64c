import { TransientMap } from '../shared/transient-map.js';

/**
 * The ids of unfinished requests that an agent has answered about. More events may follow, so a draining connection
 * stays open for them, at both ends.
 */
export class FollowedRequests {
  readonly #maximum: number;
  readonly #ids = new TransientMap<true>();

  /** @param maximum number of ids; one more evicts the oldest */
  constructor(maximum: number) {
    this.#maximum = maximum;
  }

  get size(): number {
    return this.#ids.size;
  }

  add(correlationId: string): void {
    this.#ids.set(correlationId, true);
    if (this.#ids.size <= this.#maximum) return;
    const eldest = this.#ids.firstKey;
    if (eldest !== null) this.#ids.delete(eldest);
  }

  /** Removes a finished request. True: it was present. */
  delete(correlationId: string): boolean {
    return this.#ids.delete(correlationId);
  }
}
