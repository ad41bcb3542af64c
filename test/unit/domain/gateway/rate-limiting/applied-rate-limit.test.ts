import { describe, expect, it } from 'vitest';
import {
  type AppliedRateLimit,
  appliedRateLimits,
  bucketKey,
  bucketSpace,
  bucketsByName,
  type RateLimitSubject,
} from '../../../../../src/domain/gateway/rate-limiting/applied-rate-limit.js';
import type { RateLimitKey } from '../../../../../src/domain/gateway/rate-limiting/rate-limit-policy.js';

const limit = (requestsPerSecond: number) => ({ requestsPerSecond, burst: requestsPerSecond * 10 });
const rates = { global: limit(3), perClient: limit(1), perRoute: limit(2) };
const route = { id: 'api', policy: { name: null, limit: limit(4), key: { kind: 'client_ip' } as const } };
const subject: RateLimitSubject = { clientAddress: '203.0.113.7', path: '/a', headerValue: null, userId: null };
const digest = (text: string): string => `digest of ${text}`;

const policyOf = (key: RateLimitKey, name: string | null = null, id = 'api'): AppliedRateLimit =>
  appliedRateLimits(
    { global: null, perClient: null, perRoute: null },
    { id, policy: { name, limit: limit(1), key } },
  )[0] as AppliedRateLimit;

describe('the limits of a request', () => {
  it('are global, client, route and policy', () => {
    expect(appliedRateLimits(rates, route).map(({ setting, space, limit }) => [setting, space, limit])).toEqual([
      ['max-requests-per-second-global', 'global', limit(3)],
      ['max-requests-per-second-per-client', 'client', limit(1)],
      ['max-requests-per-second-per-route', 'route api', limit(2)],
      ['rate-limit', 'route-policy api', limit(4)],
    ]);
  });

  it('advertise only the client and policy limits', () => {
    const told = appliedRateLimits(rates, route).filter(({ isAdvertised }) => isAdvertised);
    expect(told.map(({ name }) => name)).toEqual(['client', 'route-policy']);
  });

  it('omit disabled limits', () => {
    const disabled = { global: null, perClient: null, perRoute: null };
    expect(appliedRateLimits(disabled, { id: 'api', policy: null })).toEqual([]);
    expect(appliedRateLimits({ ...disabled, perRoute: limit(2) }, { id: 'api', policy: null })).toHaveLength(1);
  });

  it('are only global and client without a route', () => {
    expect(appliedRateLimits(rates, null).map(({ name }) => name)).toEqual(['global', 'client']);
  });
});

describe('the bucket of a request', () => {
  it('is one for all requests, or that of its client', () => {
    const [global, client, perRoute] = appliedRateLimits(rates, route) as [
      AppliedRateLimit,
      AppliedRateLimit,
      AppliedRateLimit,
    ];
    expect([global, client, perRoute].map((applied) => bucketKey(applied, subject, digest))).toEqual([
      '',
      '203.0.113.7',
      '',
    ]);
  });

  it.each<[RateLimitKey, string]>([
    [{ kind: 'client_ip' }, '203.0.113.7'],
    [{ kind: 'route' }, ''],
    [{ kind: 'path' }, 'digest of /a'],
    [{ kind: 'header', name: 'x-api-key' }, 'digest of secret'],
    [{ kind: 'user' }, 'digest of ann'],
  ])('of a policy with the key %o is %o', (key, expected) => {
    expect(bucketKey(policyOf(key), { ...subject, headerValue: 'secret', userId: 'ann' }, digest)).toBe(expected);
  });

  it('is shared by all addresses of an IPv6 /64 network', () => {
    const applied = policyOf({ kind: 'client_ip' });
    const keyOf = (clientAddress: string) => bucketKey(applied, { ...subject, clientAddress }, digest);
    expect(keyOf('2001:db8::1')).toBe(keyOf('2001:db8::ffff:1'));
    expect(keyOf('2001:db8::1')).not.toBe(keyOf('2001:db8:0:1::1'));
  });

  it('is shared without the header, and another with an empty one', () => {
    const applied = policyOf({ kind: 'header', name: 'x-api-key' });
    const missing = bucketKey(applied, subject, digest);
    expect(bucketKey(applied, { ...subject, clientAddress: '192.0.2.1', path: '/b' }, digest)).toBe(missing);
    expect(bucketKey(applied, { ...subject, headerValue: '' }, digest)).not.toBe(missing);
  });
});

describe('the namespace of a bucket', () => {
  it('is that of the named limit on every route that names it', () => {
    const key = { kind: 'client_ip' } as const;
    expect(policyOf(key, 'shared', 'a').space).toBe('named shared client_ip');
    expect(policyOf(key, 'shared', 'b').space).toBe('named shared client_ip');
    expect(policyOf(key, null, 'a').space).toBe('route-policy a');
  });

  it('stays when the rate of a named limit changes, and differs when its key changes', () => {
    const named = (requestsPerSecond: number, key: RateLimitKey) =>
      appliedRateLimits(
        { global: null, perClient: null, perRoute: null },
        { id: 'a', policy: { name: 'shared', limit: limit(requestsPerSecond), key } },
      )[0]?.space;
    expect(named(5, { kind: 'path' })).toBe(named(50, { kind: 'path' }));
    const keys: RateLimitKey[] = [
      { kind: 'client_ip' },
      { kind: 'path' },
      { kind: 'route' },
      { kind: 'user' },
      { kind: 'header', name: 'a' },
      { kind: 'header', name: 'b' },
    ];
    expect(new Set(keys.map((key) => named(5, key))).size).toBe(keys.length);
  });

  it('differs between users and addresses', () => {
    for (const [name, owner] of [
      [null, 'route-policy api'],
      ['shared', 'named shared'],
    ] as const) {
      const applied = policyOf({ kind: 'user' }, name);
      expect(bucketSpace(applied, { userId: 'ann' })).toBe(`${owner} user`);
      expect(bucketSpace(applied, { userId: null })).toBe(`${owner} address`);
    }
  });

  it('ignores the user id with another key', () => {
    const applied = policyOf({ kind: 'client_ip' });
    expect(bucketSpace(applied, { userId: null })).toBe(bucketSpace(applied, { userId: 'ann' }));
  });

  it('counts by the kind of limit', () => {
    const sizes = {
      global: 1,
      'route a': 2,
      'route-policy a': 3,
      'route-policy b user': 4,
      'named x user': 5,
      'named y path': 6,
    };
    expect(bucketsByName(sizes)).toEqual({ global: 1, route: 2, 'route-policy': 7, named: 11 });
  });
});
