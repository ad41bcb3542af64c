import type { RateLimitAnswer, RateLimitCharge, RateLimitStore } from '../../../ports/shared/rate-limit-store.js';

/**
 * What one of several workers lets through on its own while it cannot ask: an equal part of every rate and burst. Together they let through
 * no more than the limits, but where the burst is smaller than the number of workers: each lets one request through.
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
