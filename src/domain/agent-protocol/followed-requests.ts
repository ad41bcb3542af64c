import { TransientMap } from '../shared/transient-map.js';

/**
 * The ids of requests that an agent has answered about and that are not over: more may be asked about them. Whichever
 * end keeps them, a connection that drains stays for them.
 */
export class FollowedRequests {
  readonly #maximum: number;
  readonly #ids = new TransientMap<true>();

  /** @param maximum with one more the eldest is followed no longer */
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

  /** Nothing more is asked about it. Whether it was followed. */
  delete(correlationId: string): boolean {
    return this.#ids.delete(correlationId);
  }
}
