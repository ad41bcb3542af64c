import type { Secret } from '../../../domain/shared/secret.js';
import type { RateLimit, TokenBucket } from '../../../domain/shared/token-bucket.js';

/** Buckets that others take from: of each space at most 100 000 are kept, and those go first that were not used for longest. */
export interface RateBuckets {
  /** Null: nothing was taken from it, or so long ago that it is full again. Finding is a use. */
  find(space: string, key: string): TokenBucket | null;
  /** How the bucket of a charge stands from now on. */
  put(charge: RateLimitCharge, bucket: TokenBucket): void;
  /** Buckets that are held, by space. */
  sizes(): Readonly<Record<string, number>>;
}

/** One token of one bucket. */
export interface RateLimitCharge {
  /** What kind of limit it is: of each kind at most 100 000 buckets are kept. */
  readonly space: string;
  /** Whose bucket; short, and nothing secret. */
  readonly key: string;
  readonly limit: RateLimit;
}

export type RateLimitAnswer =
  /** A token was taken of every bucket; `left` has what each has still, in the order of the charges. */
  | { readonly kind: 'taken'; readonly left: readonly number[] }
  /** None was taken of any. `refusedBy` is the index of the charge whose bucket lacks one for longest, `waitMs` the time until it has one. */
  | { readonly kind: 'refused'; readonly refusedBy: number; readonly waitMs: number; readonly left: readonly number[] }
  /** The store cannot be asked. `detail` is for the log. */
  | { readonly kind: 'unavailable'; readonly detail: string };

/** The buckets of rate limits. */
export interface RateLimitStore {
  /**
   * Takes a token of every bucket, or of none; no bucket is named twice. Without charges it only says whether it can be asked. Answers at once
   * where it can. Settles within a deadline of the adapter's own; never rejects.
   */
  take(charges: readonly RateLimitCharge[]): RateLimitAnswer | Promise<RateLimitAnswer>;
  /** Buckets that this process holds, by space. */
  sizes(): Readonly<Record<string, number>>;
  close(): Promise<void>;
}

/**
 * Opens a store that is shared with other gateways. Resolves once it has been tried to reach it, whatever came of that: a store that cannot
 * be reached is `unavailable` until it can.
 */
export type SharedRateLimitStoreOpener = (url: Secret) => Promise<RateLimitStore>;
