import type { Secret } from '../../../domain/shared/secret.js';
import type { RateLimit, TokenBucket } from '../../../domain/shared/token-bucket.js';

/** Token buckets, at most 100 000 per space. The least recently used are evicted first. */
export interface RateBuckets {
  /** Null if the bucket is unused or full again. A lookup counts as use. */
  find(space: string, key: string): TokenBucket | null;
  /** Stores the new state of a bucket. */
  put(charge: RateLimitCharge, bucket: TokenBucket): void;
  /** Number of stored buckets by space. */
  sizes(): Readonly<Record<string, number>>;
}

/** One token of one bucket. */
export interface RateLimitCharge {
  /** The kind of limit. Each kind has at most 100 000 buckets. */
  readonly space: string;
  /** Identifies the bucket: short, and not secret. */
  readonly key: string;
  readonly limit: RateLimit;
}

export type RateLimitAnswer =
  /** Every bucket gave a token. `left` has the remaining tokens in the order of the charges. */
  | { readonly kind: 'taken'; readonly left: readonly number[] }
  /**
   * No bucket gave a token. `refusedBy` is the index of the charge that must wait longest, `waitMs`
   * its wait.
   */
  | { readonly kind: 'refused'; readonly refusedBy: number; readonly waitMs: number; readonly left: readonly number[] }
  /** The store is unavailable. `detail` is for the log. */
  | { readonly kind: 'unavailable'; readonly detail: string };

/** The buckets of rate limits. */
export interface RateLimitStore {
  /**
   * Takes a token from every bucket, or from none. Each bucket occurs once. An empty list only
   * checks availability. Synchronous if possible; settles within the adapter's deadline; never
   * rejects.
   */
  take(charges: readonly RateLimitCharge[]): RateLimitAnswer | Promise<RateLimitAnswer>;
  /** Number of buckets in this process, by space. */
  sizes(): Readonly<Record<string, number>>;
  close(): Promise<void>;
}

/**
 * Opens a store that gateways share. Resolves after the first attempt to connect, whatever its
 * result. A store is `unavailable` until it can be reached.
 */
export type SharedRateLimitStoreOpener = (url: Secret) => Promise<RateLimitStore>;
