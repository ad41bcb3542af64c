import type { RateLimitCharge } from '../../../ports/shared/rate-limit-store.js';

/** Tokens of one bucket that are lent. */
export interface LentOfBucket {
  readonly charge: RateLimitCharge;
  readonly tokens: number;
}

/** How many tokens are lent of each bucket; knows only those of which some are. */
export class LentTokens {
  readonly #spaces = new Map<string, Map<string, LentOfBucket>>();
  #size = 0;

  /** Buckets of which tokens are lent. */
  get size(): number {
    return this.#size;
  }

  of({ space, key }: RateLimitCharge): number {
    return this.#spaces.get(space)?.get(key)?.tokens ?? 0;
  }

  set(charge: RateLimitCharge, tokens: number): void {
    const { space, key } = charge;
    let buckets = this.#spaces.get(space);
    if (tokens <= 0) {
      if (buckets?.delete(key) !== true) return;
      this.#size -= 1;
      if (buckets.size === 0) this.#spaces.delete(space);
      return;
    }
    if (buckets === undefined) {
      buckets = new Map();
      this.#spaces.set(space, buckets);
    }
    if (!buckets.has(key)) this.#size += 1;
    buckets.set(key, { charge: { space, key, limit: charge.limit }, tokens });
  }

  all(): readonly LentOfBucket[] {
    return [...this.#spaces.values()].flatMap((buckets) => [...buckets.values()]);
  }
}
