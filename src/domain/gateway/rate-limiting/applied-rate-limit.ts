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
  /** The namespace of requests without a user id; null: the key is not `user`. */
  readonly addressSpace: string | null;
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
  /** The user id that agents have set; null: none, or the key is not `user`. */
  readonly userId: string | null;
}

const keyText = (key: RateLimitKey): string => (key.kind === 'header' ? `header:${key.name}` : key.kind);

type BucketSpaces = Pick<AppliedRateLimit, 'space' | 'addressSpace'>;

/**
 * The namespaces of a policy. Names and route ids contain no spaces, so namespaces never collide. A named limit keeps
 * its buckets when a reload changes other keys than `key`. Users and addresses have a namespace each: neither shares a
 * bucket with the other, nor evicts it.
 */
const policySpaces = (routeId: string, { name, key }: RateLimitPolicy): BucketSpaces => {
  if (key.kind === 'user') {
    const owner = name === null ? `route-policy ${routeId}` : `named ${name}`;
    return { space: `${owner} user`, addressSpace: `${owner} address` };
  }
  const space = name === null ? `route-policy ${routeId}` : `named ${name} ${keyText(key)}`;
  return { space, addressSpace: null };
};

/**
 * The limits for requests of a route, the narrowest last. Each policy has its own namespaces, so that requests to one
 * route cannot evict buckets of another. Routes with the same named limit share its namespaces.
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
    addressSpace: null,
    key: { kind: 'everybody' },
    isAdvertised: false,
  });
  add(rates.perClient, {
    name: 'client',
    setting: 'max-requests-per-second-per-client',
    space: 'client',
    addressSpace: null,
    key: { kind: 'client_ip' },
    isAdvertised: true,
  });
  if (route === null) return applied;
  add(rates.perRoute, {
    name: 'route',
    setting: 'max-requests-per-second-per-route',
    space: `route ${route.id}`,
    addressSpace: null,
    key: { kind: 'route' },
    isAdvertised: false,
  });
  if (route.policy === null) return applied;
  add(route.policy.limit, {
    name: 'route-policy',
    setting: 'rate-limit',
    ...policySpaces(route.id, route.policy),
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

/** The namespace of the request's bucket. */
export const bucketSpace = (
  { space, addressSpace }: BucketSpaces,
  { userId }: Pick<RateLimitSubject, 'userId'>,
): string => (addressSpace !== null && userId === null ? addressSpace : space);

/**
 * The key of the request's bucket in the namespace that `bucketSpace` gives. Client data is digested, because it may be long and a header may be
 * secret.
 *
 * @param digest a short and collision-free digest
 */
export const bucketKey = (
  { key }: AppliedRateLimit,
  { clientAddress, path, headerValue, userId }: RateLimitSubject,
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
    case 'user':
      return userId === null ? addressGroup(clientAddress) : digest(userId);
  }
};
