import type { Secret } from '../../shared/secret.js';
import type { RateLimit } from '../../shared/token-bucket.js';

/** Rates for all routes; null: no limit. */
export interface RateLimits {
  readonly global: RateLimit | null;
  readonly perClient: RateLimit | null;
  readonly perRoute: RateLimit | null;
}

/** Behaviour while the rate-limit store is unavailable: count locally, allow all, or refuse all. */
export type OnStoreFailure = 'local' | 'allow' | 'deny';

/** The rate-limit store. */
export type RateLimitStoreOptions =
  | { readonly kind: 'memory' }
  /** Shared by all gateways with the same Redis. The URL may contain a password. */
  | { readonly kind: 'redis'; readonly url: Secret; readonly onFailure: OnStoreFailure };
