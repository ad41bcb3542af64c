import type { Stored } from './session-store.js';

/** Remembers the ids of messages that may be taken once alone. */
export interface ReplayStore {
  /**
   * In one step: `first` where the key was not there, and it is from now on until `untilMs`; `seen` where it was and its time is
   * not over at `nowMs`. Of two callers at the same moment, in whatever process, one alone gets `first`. Where no more can be
   * remembered it fails: forgetting one that still counts would let it be replayed.
   */
  remember(key: string, untilMs: number, nowMs: number): Stored<'first' | 'seen'>;
  /** Removes at most `limit` keys whose time is over; the result is how many. */
  removeExpired(nowMs: number, limit: number): Stored<number>;
}
