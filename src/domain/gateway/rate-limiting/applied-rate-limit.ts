import { addressGroup } from '../../http/ip-address.js';
import type { RateLimit } from '../../shared/token-bucket.js';
import type { RateLimits } from '../configuration/rate-limit-options.js';
import type { RateLimitKey, RateLimitPolicy } from './rate-limit-policy.js';

/** A limit that applies to a request. */
export interface AppliedRateLimit {
  /** The name for clients. */
  readonly name: 'global' | 'client' | 'route' | 'route-policy';
  /** The configuration key. */
  readonly setting: string;
  /** The namespace of its buckets: the name, and the route if each route has its own. */
  readonly space: string;
  /** What selects the bucket. */
  readonly key: RateLimitKey | { readonly kind: 'everybody' };
  readonly limit: RateLimit;
  /** Whether responses advertise the limit even if it does not refuse. Shared usage stays private. */
  readonly isAdvertised: boolean;
}

/** The route of a request. */
export interface LimitedRoute {
  readonly id: string;
  /** Null: the route has no policy. */
  readonly policy: RateLimitPolicy | null;
}

/** The parts of a request that can select a bucket. */
export interface RateLimitSubject {
  readonly clientAddress: string;
  /** As routed, without the query. */
  readonly path: string;
  /** Value of the policy's header; null: absent, or the policy names no header. */
  readonly headerValue: string | null;
}

/**
 * The limits for requests of a route, the narrowest last. Each policy has its own namespace, so that requests to one
 * route cannot evict buckets of another.
 *
 * @param route null: requests without a route
 */
export const appliedRateLimits = (rates: RateLimits, route: LimitedRoute | null): readonly AppliedRateLimit[] => {
  const applied: AppliedRateLimit[] = [];
  const add = (limit: RateLimit | null, rest: Omit<AppliedRateLimit, 'limit'>): void => {
    if (limit !== null) applied.push({ ...rest, limit });
  };
  add(rates.global, {
    name: 'global',
    setting: 'max-requests-per-second-global',
    space: 'global',
    key: { kind: 'everybody' },
    isAdvertised: false,
  });
  add(rates.perClient, {
    name: 'client',
    setting: 'max-requests-per-second-per-client',
    space: 'client',
    key: { kind: 'client_ip' },
    isAdvertised: true,
  });
  if (route === null) return applied;
  add(rates.perRoute, {
    name: 'route',
    setting: 'max-requests-per-second-per-route',
    space: `route ${route.id}`,
    key: { kind: 'route' },
    isAdvertised: false,
  });
  if (route.policy === null) return applied;
  add(route.policy.limit, {
    name: 'route-policy',
    setting: 'rate-limit',
    space: `route-policy ${route.id}`,
    key: route.policy.key,
    isAdvertised: true,
  });
  return applied;
};

/** The number of buckets by name of the limit. @param sizes by namespace */
export const bucketsByName = (sizes: Readonly<Record<string, number>>): Readonly<Record<string, number>> => {
  const sums: Record<string, number> = {};
  for (const [space, size] of Object.entries(sizes)) {
    const [name] = space.split(' ', 1) as [string];
    sums[name] = (sums[name] ?? 0) + size;
  }
  return sums;
};

/** The bucket of requests without the header. No digest is this short. */
const withoutHeader = 'none';

/**
 * The key of the request's bucket in the namespace. Client data is digested, because it may be long and a header may be
 * secret.
 *
 * @param digest a short and collision-free digest
 */
export const bucketKey = (
  { key }: AppliedRateLimit,
  { clientAddress, path, headerValue }: RateLimitSubject,
  digest: (text: string) => string,
): string => {
  switch (key.kind) {
    case 'everybody':
    case 'route':
      return '';
    case 'client_ip':
      // A client with one IPv6 address controls its whole network.
      return addressGroup(clientAddress);
    case 'path':
      return digest(path);
    case 'header':
      return headerValue === null ? withoutHeader : digest(headerValue);
  }
};
