import type { RateLimit } from '../../shared/token-bucket.js';

/** What has a bucket of its own under a policy. The name of a header is in lower case. */
export type RateLimitKey =
  | { readonly kind: 'client_ip' }
  | { readonly kind: 'header'; readonly name: string }
  | { readonly kind: 'path' }
  | { readonly kind: 'route' };

/** What a route says about the rate of its requests. */
export interface RateLimitPolicy {
  readonly limit: RateLimit;
  readonly key: RateLimitKey;
}
