import type { ReplayStore } from '../../../application/ports/agent/replay-store.js';
import type { Stored } from '../../../application/ports/agent/session-store.js';
import { err, ok } from '../../../domain/shared/result.js';
import { ExpiringMap } from './expiring-map.js';
import type { OpenState } from './open-state.js';

/** Keys that this process has seen; bounded, and where it is full of keys that still count, it fails. */
export class MemoryReplayStore implements ReplayStore {
  readonly #ends = new ExpiringMap<number>((untilMs) => untilMs);
  readonly #limit: number;
  readonly #state: OpenState;

  constructor(limit: number, state: OpenState) {
    this.#limit = limit;
    this.#state = state;
  }

  async remember(key: string, untilMs: number, nowMs: number): Stored<'first' | 'seen'> {
    return this.#state.attempt(() => {
      const known = this.#ends.get(key);
      if (known !== undefined && known > nowMs) return ok('seen');
      if (known === undefined && this.#ends.size >= this.#limit) this.#drop(nowMs, this.#limit);
      if (known === undefined && this.#ends.size >= this.#limit)
        return err({ reason: 'no more message ids fit into the memory store' });
      this.#ends.set(key, untilMs);
      return ok('first');
    });
  }

  async removeExpired(nowMs: number, limit: number): Stored<number> {
    return this.#state.answer(() => this.#drop(nowMs, limit));
  }

  #drop(nowMs: number, limit: number): number {
    const over = this.#ends.over(nowMs, limit);
    for (const key of over) this.#ends.delete(key);
    return over.length;
  }
}
