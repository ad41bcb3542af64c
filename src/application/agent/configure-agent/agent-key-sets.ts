import type { KeySet, RefreshResult } from '../keys/key-set.js';
import type { KeySetLease, KeySets } from '../keys/key-sets.js';
import type { WantedKeys } from '../keys/load-key-set.js';

/** The key sets that one agent uses, of those that the agents of a process share. */
export class AgentKeySets {
  readonly #shared: Pick<KeySets, 'acquire' | 'onRefresh'>;
  /** How often the agent uses each, for it may hold two configurations for a moment. */
  readonly #uses = new Map<KeySet, number>();

  constructor(shared: Pick<KeySets, 'acquire' | 'onRefresh'>) {
    this.#shared = shared;
  }

  acquire(wanted: WantedKeys, refreshMs: number): KeySetLease {
    const lease = this.#shared.acquire(wanted, refreshMs);
    const { keys } = lease;
    this.#uses.set(keys, (this.#uses.get(keys) ?? 0) + 1);
    let isReleased = false;
    const release = () => {
      if (isReleased) return;
      isReleased = true;
      const uses = (this.#uses.get(keys) ?? 1) - 1;
      if (uses === 0) this.#uses.delete(keys);
      else this.#uses.set(keys, uses);
      lease.release();
    };
    return { keys, release };
  }

  /** Calls back at the end of each attempt to get a set that the agent uses; the result ends that. */
  onRefresh(listener: (result: RefreshResult) => void): () => void {
    return this.#shared.onRefresh((result, keys) => {
      if (this.#uses.has(keys)) listener(result);
    });
  }
}
