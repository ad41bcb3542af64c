import type { ScheduledTask } from '../../ports/shared/scheduler.js';
import { KeySet, type KeySetPorts, type RefreshResult } from './key-set.js';
import type { KeySetSpec } from './load-key-set.js';

/** A lease of a key set, held by one configuration. */
export interface KeySetLease {
  readonly keys: KeySet;
  /** Idempotent. */
  release(): void;
}

/** Receives the result of each attempt, and the set that was fetched. */
export type RefreshListener = (result: RefreshResult, keys: KeySet) => void;

/** How long an unused set is kept, in milliseconds: a new configuration may take it over from the old one. */
export const unusedKeySetTtlMs = 10_000;
/** Unused sets that are kept; above it the oldest is evicted. */
export const maximumUnusedKeySets = 16;

interface SharedKeySet {
  readonly keys: KeySet;
  leases: number;
  /** Evicts the set when its TTL expires; null while a lease exists. */
  end: ScheduledTask | null;
}

/** The key sets of a process. Equal specifications with the same refresh interval share one set. */
export class KeySets {
  readonly #ports: KeySetPorts;
  /** Unused sets keep the order in which they became unused. */
  readonly #sets = new Map<string, SharedKeySet>();
  readonly #listeners = new Set<RefreshListener>();

  constructor(ports: KeySetPorts) {
    this.#ports = ports;
  }

  /** Leases a set, and starts its first fetch if it is new. `refreshMs` is its refresh interval. */
  acquire(spec: KeySetSpec, refreshMs: number): KeySetLease {
    const id = JSON.stringify([refreshMs, spec.location, spec.algorithms]);
    const shared = this.#sets.get(id) ?? this.#add(id, spec, refreshMs);
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

  /** Calls the listener at the end of each fetch. Returns a function that removes the listener. */
  onRefresh(listener: RefreshListener): () => void {
    const own: RefreshListener = (result, keys) => listener(result, keys);
    this.#listeners.add(own);
    return () => void this.#listeners.delete(own);
  }

  #add(id: string, spec: KeySetSpec, refreshMs: number): SharedKeySet {
    const keys: KeySet = new KeySet(spec, refreshMs, this.#ports, (result) => {
      for (const listener of [...this.#listeners]) listener(result, keys);
    });
    const shared: SharedKeySet = { keys, leases: 0, end: null };
    this.#sets.set(id, shared);
    return shared;
  }

  #retire(id: string, shared: SharedKeySet): void {
    this.#sets.delete(id);
    this.#sets.set(id, shared);
    // A fetch for an unused set would keep the process from ending.
    shared.keys.suspend();
    shared.end = this.#ports.scheduler.after(unusedKeySetTtlMs, () => this.#end(id, shared));
    const unused = [...this.#sets].filter(([, { end }]) => end !== null);
    const [oldest] = unused;
    if (unused.length > maximumUnusedKeySets && oldest !== undefined) this.#end(...oldest);
  }

  #end(id: string, shared: SharedKeySet): void {
    shared.end?.cancel();
    shared.keys.stop();
    this.#sets.delete(id);
  }
}
