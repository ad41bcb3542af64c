import type { Secret } from '../../shared/secret.js';
import type { RateLimit } from '../../shared/token-bucket.js';

/** Rates that hold for every route; null: no limit. */
export interface RateLimits {
  readonly global: RateLimit | null;
  readonly perClient: RateLimit | null;
  readonly perRoute: RateLimit | null;
}

/**
 * What happens to requests while the store of the buckets cannot be asked: judged by buckets of this gateway's own,
 * let through, or refused.
 */
export type OnStoreFailure = 'local' | 'allow' | 'deny';

/** Where the buckets are. */
export type RateLimitStoreOptions =
  | { readonly kind: 'memory' }
  /** Shared with every gateway that uses the same redis. The URL may hold a password. */
  | { readonly kind: 'redis'; readonly url: Secret; readonly onFailure: OnStoreFailure };
