import type { KeptForm } from '../../../domain/agent/sign-on/kept-form.js';
import type { Stored } from './session-store.js';

/** Stores posted forms that wait for a sign-on. Bounded: evicts the oldest. */
export interface KeptFormStore {
  /** Fails if the handle exists. */
  insert(form: KeptForm): Stored<void>;
  /** Returns a form without removing it; null if there is none or it has expired at `nowMs`. */
  find(handleHash: string, nowMs: number): Stored<KeptForm | null>;
  /**
   * Atomically returns and removes a form, so that only one caller gets it. Null if there is none or it has expired at
   * `nowMs`.
   */
  take(handleHash: string, nowMs: number): Stored<KeptForm | null>;
  /** Removes at most `limit` expired forms and returns their number. */
  removeExpired(nowMs: number, limit: number): Stored<number>;
}
