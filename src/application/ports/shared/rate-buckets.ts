import type { TokenBucket } from '../../../domain/shared/token-bucket.js';
import type { RateLimitCharge } from './rate-limit-store.js';

/** Buckets that others take from: of each space at most 100 000 are kept, and those go first that were not used for longest. */
export interface RateBuckets {
  /** Null: nothing was taken from it, or so long ago that it is full again. Finding is a use. */
  find(space: string, key: string): TokenBucket | null;
  /** How the bucket of a charge stands from now on. */
  put(charge: RateLimitCharge, bucket: TokenBucket): void;
  /** Buckets that are held, by space. */
  sizes(): Readonly<Record<string, number>>;
}
