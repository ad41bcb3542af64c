import { describe, expect, it } from 'vitest';
import {
  type AppliedRateLimit,
  appliedRateLimits,
  bucketKey,
  type RateLimitSubject,
} from '../../../../../src/domain/gateway/rate-limiting/applied-rate-limit.js';
import type { RateLimitKey } from '../../../../../src/domain/gateway/rate-limiting/rate-limit-policy.js';

const limit = (requestsPerSecond: number) => ({ requestsPerSecond, burst: requestsPerSecond * 10 });
const rates = { global: limit(3), perClient: limit(1), perRoute: limit(2) };
const route = { id: 'api', policy: { limit: limit(4), key: { kind: 'client_ip' } as const } };
const subject: RateLimitSubject = { clientAddress: '203.0.113.7', path: '/a', headerValue: null };
const digest = (text: string): string => `digest of ${text}`;

const policyOf = (key: RateLimitKey): AppliedRateLimit =>
  appliedRateLimits(
    { global: null, perClient: null, perRoute: null },
    { id: 'api', policy: { limit: limit(1), key } },
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
  ])('of a policy with the key %o is %o', (key, expected) => {
    expect(bucketKey(policyOf(key), { ...subject, headerValue: 'secret' }, digest)).toBe(expected);
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
