import type { Stored } from './session-store.js';

/** Remembers the ids of messages that are valid for one use. */
export interface ReplayStore {
  /** Whether the key is there and has not expired at `nowMs`. */
  has(key: string, nowMs: number): Stored<boolean>;
  /**
   * Atomically remembers the key until `untilMs`. Returns `seen` if it is already there and has not
   * expired at `nowMs`, else `first`. Of two concurrent callers in any process, only one gets
   * `first`.
   * Fails when the store is full: evicting a key in force would allow a replay.
   */
  remember(key: string, untilMs: number, nowMs: number): Stored<'first' | 'seen'>;
  /** Removes at most `limit` expired keys and returns their number. */
  removeExpired(nowMs: number, limit: number): Stored<number>;
}
