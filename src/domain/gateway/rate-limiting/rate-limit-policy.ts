import type { RateLimit } from '../../shared/token-bucket.js';

/** What selects a bucket of a policy. Header names are in lower case. */
export type RateLimitKey =
  | { readonly kind: 'client_ip' }
  | { readonly kind: 'header'; readonly name: string }
  | { readonly kind: 'path' }
  | { readonly kind: 'route' }
  /** The user id that the agents of the route set. Without one: the client address, in buckets apart from those of users. */
  | { readonly kind: 'user' };

/** The rate limit of a route. */
export interface RateLimitPolicy {
  /** Name of the top-level limit, whose buckets its routes share; null: the route has its own buckets. */
  readonly name: string | null;
  readonly limit: RateLimit;
  readonly key: RateLimitKey;
}
