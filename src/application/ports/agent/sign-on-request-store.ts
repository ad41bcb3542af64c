import type { SignOnRequest } from '../../../domain/agent/sign-on/sign-on-request.js';
import type { Stored } from './session-store.js';

/** Stores pending requests to the identity provider. Bounded: evicts the oldest. */
export interface SignOnRequestStore {
  insert(request: SignOnRequest): Stored<void>;
  /** Returns a request without removing it; null if there is none or it has expired at `nowMs`. */
  find(handleHash: string, nowMs: number): Stored<SignOnRequest | null>;
  /**
   * Atomically returns and removes a request, so that only one caller gets it. Null if there is
   * none or it has expired at `nowMs`.
   */
  take(handleHash: string, nowMs: number): Stored<SignOnRequest | null>;
  /** Removes at most `limit` expired requests and returns their number. */
  removeExpired(nowMs: number, limit: number): Stored<number>;
}
