import type { SignOnRequest } from '../../../domain/agent/sign-on/sign-on-request.js';
import type { Stored } from './session-store.js';

/** Keeps what is remembered of requests to the identity provider. Bounded: the oldest make way for new ones. */
export interface SignOnRequestStore {
  insert(request: SignOnRequest): Stored<void>;
  /** Leaves it there; null where there is none, or its time is over at `nowMs`. */
  find(handleHash: string, nowMs: number): Stored<SignOnRequest | null>;
  /** In one step gives it and removes it, so that of two callers one alone gets it; null where there is none, or its time is over at `nowMs`. */
  take(handleHash: string, nowMs: number): Stored<SignOnRequest | null>;
  /** Removes at most `limit` whose time is over; the result is how many. */
  removeExpired(nowMs: number, limit: number): Stored<number>;
}
