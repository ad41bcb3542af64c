import type { RateLimitAnswer, RateLimitCharge, RateLimitStore } from '../../../ports/shared/rate-limit-store.js';

/**
 * The limits of one worker that cannot reach the shared buckets: an equal part of every rate and burst. Together the
 * workers stay within the limits, except when the burst is smaller than the number of workers: each admits one request.
 */
export class DividedRateLimits implements RateLimitStore {
  readonly #store: RateLimitStore;
  readonly #workers: number;

  /** @param store buckets of this worker alone */
  constructor(store: RateLimitStore, workers: number) {
    this.#store = store;
    this.#workers = workers;
  }

  take(charges: readonly RateLimitCharge[]): RateLimitAnswer | Promise<RateLimitAnswer> {
    const workers = this.#workers;
    return this.#store.take(
      charges.map(({ space, key, limit: { requestsPerSecond, burst } }) => ({
        space,
        key,
        limit: { requestsPerSecond: requestsPerSecond / workers, burst: Math.max(1, burst / workers) },
      })),
    );
  }

  sizes(): Readonly<Record<string, number>> {
    return this.#store.sizes();
  }

  close(): Promise<void> {
    return this.#store.close();
  }
}
