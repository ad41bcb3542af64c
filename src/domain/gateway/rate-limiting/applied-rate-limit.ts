import { addressGroup } from '../../http/ip-address.js';
import type { RateLimit } from '../../shared/token-bucket.js';
import type { RateLimits } from '../configuration/rate-limit-options.js';
import type { RateLimitKey, RateLimitPolicy } from './rate-limit-policy.js';

/** A limit that a request is held to. */
export interface AppliedRateLimit {
  /** What clients know it by. */
  readonly name: 'global' | 'client' | 'route' | 'route-policy';
  /** The key of the configuration. */
  readonly setting: string;
  /** What tells its buckets from those of other limits: the name, and the route where there is one for each. */
  readonly space: string;
  /** What has a bucket of its own. */
  readonly key: RateLimitKey | { readonly kind: 'everybody' };
  readonly limit: RateLimit;
  /** Clients are told how it stands although it refuses nothing: what all clients together use is nobody's business. */
  readonly isTold: boolean;
}

/** The route that a request has found. */
export interface LimitedRoute {
  readonly id: string;
  /** Null: it says nothing of its own. */
  readonly policy: RateLimitPolicy | null;
}

/** What a request shows that its bucket may be chosen by. */
export interface RateLimitSubject {
  readonly clientAddress: string;
  /** As it is routed, without the query. */
  readonly path: string;
  /** Value of the header that the policy names; null where there is none, or it names none. */
  readonly headerValue: string | null;
}

/**
 * The limits that hold for the requests of a route, the narrowest last. Each policy has a space of its own, so that
 * what is sent to one route cannot drive out the buckets of another.
 *
 * @param route null: the requests that no route takes
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
    isTold: false,
  });
  add(rates.perClient, {
    name: 'client',
    setting: 'max-requests-per-second-per-client',
    space: 'client',
    key: { kind: 'client_ip' },
    isTold: true,
  });
  if (route === null) return applied;
  add(rates.perRoute, {
    name: 'route',
    setting: 'max-requests-per-second-per-route',
    space: `route ${route.id}`,
    key: { kind: 'route' },
    isTold: false,
  });
  if (route.policy === null) return applied;
  add(route.policy.limit, {
    name: 'route-policy',
    setting: 'rate-limit',
    space: `route-policy ${route.id}`,
    key: route.policy.key,
    isTold: true,
  });
  return applied;
};

/** How many buckets there are of each kind of limit, by the name of the limit. @param sizes by space */
export const bucketsByName = (sizes: Readonly<Record<string, number>>): Readonly<Record<string, number>> => {
  const sums: Record<string, number> = {};
  for (const [space, size] of Object.entries(sizes)) {
    const [name] = space.split(' ', 1) as [string];
    sums[name] = (sums[name] ?? 0) + size;
  }
  return sums;
};

/** The bucket of those who do not send the header. No digest is this short. */
const withoutHeader = 'none';

/**
 * Which bucket of the limit's space the request pays from. What clients write is digested: it may be long, and a
 * header may be secret.
 *
 * @param digest gives a short text, another one for each that it is given
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
      // Whoever has one address of IPv6 has the whole network of it.
      return addressGroup(clientAddress);
    case 'path':
      return digest(path);
    case 'header':
      return headerValue === null ? withoutHeader : digest(headerValue);
  }
};
