import type { Stored } from '../../../application/ports/agent/session-store.js';
import { err, ok } from '../../../domain/shared/result.js';
import { ExpiringMap } from './expiring-map.js';
import type { OpenState } from './open-state.js';

/** An entry that its holder finds by a handle. */
interface HandleEntry {
  /** The key. */
  readonly handleHash: string;
  readonly expiresMs: number;
}

interface HandleStoreLimits {
  readonly entries: number;
  /** Approximate total characters of all entries. */
  readonly characters: number;
}

/** Overhead of the object, its numbers and its map entry. */
const overhead = 200;

/** Approximate characters of an entry. */
const charactersOf = (entry: object): number => {
  let characters = overhead;
  for (const value of Object.values(entry)) if (typeof value === 'string') characters += value.length;
  return characters;
};

/**
 * Entries by the hash of their handle, in the memory of this process; the oldest are evicted if number or size exceeds
 * the limit.
 */
export class MemoryHandleStore<Entry extends HandleEntry> {
  readonly #entries = new ExpiringMap<Entry>(({ expiresMs }) => expiresMs);
  readonly #limits: HandleStoreLimits;
  readonly #state: OpenState;
  #characters = 0;

  constructor(limits: HandleStoreLimits, state: OpenState) {
    this.#limits = limits;
    this.#state = state;
  }

  async insert(entry: Entry): Stored<void> {
    return this.#state.attempt(() => {
      if (this.#entries.get(entry.handleHash) !== undefined) return err({ reason: 'the id already exists' });
      const characters = charactersOf(entry);
      const { entries, characters: allCharacters } = this.#limits;
      if (characters > allCharacters) return err({ reason: 'the entry exceeds the memory store' });
      while (this.#entries.size >= entries || this.#characters + characters > allCharacters) {
        const oldest = this.#entries.firstKey();
        if (oldest === undefined) break;
        this.#drop(oldest);
      }
      this.#entries.set(entry.handleHash, entry);
      this.#characters += characters;
      return ok(undefined);
    });
  }

  async find(handleHash: string, nowMs: number): Stored<Entry | null> {
    return this.#state.answer(() => {
      const entry = this.#entries.get(handleHash);
      return entry !== undefined && entry.expiresMs > nowMs ? entry : null;
    });
  }

  async take(handleHash: string, nowMs: number): Stored<Entry | null> {
    return this.#state.answer(() => {
      const entry = this.#drop(handleHash);
      return entry !== null && entry.expiresMs > nowMs ? entry : null;
    });
  }

  async removeExpired(nowMs: number, limit: number): Stored<number> {
    return this.#state.answer(() => {
      const expired = this.#entries.expired(nowMs, limit);
      for (const key of expired) this.#drop(key);
      return expired.length;
    });
  }

  #drop(handleHash: string): Entry | null {
    const entry = this.#entries.get(handleHash);
    if (entry === undefined) return null;
    this.#entries.delete(handleHash);
    this.#characters -= charactersOf(entry);
    return entry;
  }
}
