import type { RateLimit } from '../../shared/token-bucket.js';

/** What selects a bucket of a policy. Header names are in lower case. */
export type RateLimitKey =
  | { readonly kind: 'client_ip' }
  | { readonly kind: 'header'; readonly name: string }
  | { readonly kind: 'path' }
  | { readonly kind: 'route' };

/** The rate limit of a route. */
export interface RateLimitPolicy {
  readonly limit: RateLimit;
  readonly key: RateLimitKey;
}
