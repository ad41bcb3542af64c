import type { ScheduledTask } from '../../ports/shared/scheduler.js';
import { KeySet, type KeySetParts, type RefreshResult } from './key-set.js';
import type { WantedKeys } from './load-key-set.js';

/** The use of a key set, by one configuration. */
export interface KeySetLease {
  readonly keys: KeySet;
  /** Calling it again changes nothing. */
  release(): void;
}

/** Told what came of an attempt, and to get which set. */
export type RefreshListener = (result: RefreshResult, keys: KeySet) => void;

/** How long a set that nobody uses is kept: a new configuration may take it over from the old one. */
export const unusedSetKeptMs = 10_000;
/** Sets that nobody uses, at most. */
export const maximumUnusedSets = 16;

interface SharedSet {
  readonly keys: KeySet;
  leases: number;
  /** Ends the set; null while it is used. */
  end: ScheduledTask | null;
}

/** The key sets of a process. Equal wants at the same interval share one set. */
export class KeySets {
  readonly #parts: KeySetParts;
  /** Those that nobody uses in the order in which they came to that. */
  readonly #sets = new Map<string, SharedSet>();
  readonly #listeners = new Set<RefreshListener>();

  constructor(parts: KeySetParts) {
    this.#parts = parts;
  }

  /** The set starts to be fetched where nobody has used it; `refreshMs` is its refresh interval. */
  acquire(wanted: WantedKeys, refreshMs: number): KeySetLease {
    const id = JSON.stringify([refreshMs, wanted.location, wanted.algorithms]);
    const shared = this.#sets.get(id) ?? this.#add(id, wanted, refreshMs);
    shared.leases += 1;
    shared.end?.cancel();
    shared.end = null;
    shared.keys.resume();
    let isReleased = false;
    return {
      keys: shared.keys,
      release: () => {
        if (isReleased) return;
        isReleased = true;
        shared.leases -= 1;
        if (shared.leases === 0) this.#retire(id, shared);
      },
    };
  }

  /** Calls back at the end of each attempt to get a set; the result ends that. */
  onRefresh(listener: RefreshListener): () => void {
    const own: RefreshListener = (result, keys) => listener(result, keys);
    this.#listeners.add(own);
    return () => void this.#listeners.delete(own);
  }

  #add(id: string, wanted: WantedKeys, refreshMs: number): SharedSet {
    const keys: KeySet = new KeySet(wanted, refreshMs, this.#parts, (result) => {
      for (const listener of [...this.#listeners]) listener(result, keys);
    });
    const shared: SharedSet = { keys, leases: 0, end: null };
    this.#sets.set(id, shared);
    return shared;
  }

  #retire(id: string, shared: SharedSet): void {
    this.#sets.delete(id);
    this.#sets.set(id, shared);
    // A fetch for nobody would keep the process from ending.
    shared.keys.suspend();
    shared.end = this.#parts.scheduler.after(unusedSetKeptMs, () => this.#end(id, shared));
    const unused = [...this.#sets].filter(([, { end }]) => end !== null);
    const [oldest] = unused;
    if (unused.length > maximumUnusedSets && oldest !== undefined) this.#end(...oldest);
  }

  #end(id: string, shared: SharedSet): void {
    shared.end?.cancel();
    shared.keys.stop();
    this.#sets.delete(id);
  }
}
