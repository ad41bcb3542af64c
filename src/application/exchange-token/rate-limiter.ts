import { type RateLimit, type TokenBucket, takeToken } from '../../domain/rate-limiting/token-bucket.js';
import type { Clock } from '../ports/clock.js';

/** One bucket for each key. Of too many, those are forgotten that were not used for the longest time, which are the fullest. */
export class RateLimiter {
  readonly #limit: RateLimit;
  readonly #clock: Clock;
  readonly #maximumKeys: number;
  /** In the order of their last use. */
  readonly #buckets = new Map<string, TokenBucket>();

  constructor(limit: RateLimit, clock: Clock, maximumKeys = 10_000) {
    this.#limit = limit;
    this.#clock = clock;
    this.#maximumKeys = maximumKeys;
  }

  /** Null: let through. Otherwise the milliseconds until the next one is. */
  take(key: string): number | null {
    const taken = takeToken(this.#buckets.get(key) ?? null, this.#limit, this.#clock.monotonicMs());
    this.#buckets.delete(key);
    this.#buckets.set(key, taken.bucket);
    if (this.#buckets.size > this.#maximumKeys) {
      for (const oldest of this.#buckets.keys()) {
        this.#buckets.delete(oldest);
        break;
      }
    }
    return taken.waitMs;
  }
}
