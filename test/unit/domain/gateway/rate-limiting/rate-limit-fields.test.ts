import { describe, expect, it } from 'vitest';
import {
  rateLimitFields,
  retryAfter,
  takenRateLimitFields,
} from '../../../../../src/domain/gateway/rate-limiting/rate-limit-fields.js';

const limit = { requestsPerSecond: 10, burst: 100 };

const fieldsOf = (left: number, waitMs: number | null = null, of = limit): readonly string[] =>
  rateLimitFields([{ name: 'client', limit: of, left, waitMs }]);

describe('the fields of rate limits', () => {
  it('show the burst, the window, the remaining tokens and the reset time', () => {
    expect(fieldsOf(84.5)).toEqual(['RateLimit-Policy', '"client";q=100;w=10', 'RateLimit', '"client";r=84;t=2']);
  });

  it('list several limits', () => {
    const policy = { name: 'route-policy', limit: { requestsPerSecond: 0.5, burst: 5 }, left: 1, waitMs: null };
    expect(rateLimitFields([{ name: 'client', limit, left: 99, waitMs: null }, policy])).toEqual([
      'RateLimit-Policy',
      '"client";q=100;w=10, "route-policy";q=5;w=10',
      'RateLimit',
      '"client";r=99;t=1, "route-policy";r=1;t=8',
    ]);
  });

  it('show when the next token is available', () => {
    expect(fieldsOf(0.2, null, { requestsPerSecond: 0.1, burst: 2 })[3]).toBe('"client";r=0;t=8');
  });

  it('agree with Retry-After after a refusal', () => {
    expect(fieldsOf(0.9, 2_001, { requestsPerSecond: 0.05, burst: 2 })[3]).toBe('"client";r=0;t=3');
    expect(retryAfter(2_001)).toBe('3');
  });

  it('do not lose a token to rounding', () => {
    expect(fieldsOf(3 - 1e-12)[3]).toContain('r=3;');
  });

  it('are 31-bit integers, whatever the rate', () => {
    const slow = { requestsPerSecond: 1e-300, burst: 1 };
    expect(fieldsOf(0, 1e303, slow)).toEqual([
      'RateLimit-Policy',
      '"client";q=1;w=2147483647',
      'RateLimit',
      '"client";r=0;t=2147483647',
    ]);
  });

  it('are the same from the prepared function', () => {
    const secret = { name: 'global', limit: { requestsPerSecond: 1, burst: 1 }, isAdvertised: false };
    const client = { name: 'client', limit, isAdvertised: true };
    const policy = { name: 'route-policy', limit: { requestsPerSecond: 0.5, burst: 5 }, isAdvertised: true };
    const fieldsFor = takenRateLimitFields([secret, client, policy]);
    for (const [left, policyLeft] of [
      [84.5, 4],
      [0, 0.2],
      [99 - 1e-12, 3],
      [99, 3.01],
      [99, 3.02],
      [99.2, 3],
      [99, 4],
      [50, 4],
      [50, 3],
      // The same number of whole tokens, but full sooner.
      [50, 3.9],
      [99 - 1e-12, 3],
    ] as const) {
      const told = [
        { ...client, left, waitMs: null },
        { ...policy, left: policyLeft, waitMs: null },
      ];
      expect(fieldsFor([0, left, policyLeft])).toEqual(rateLimitFields(told));
    }
    expect(takenRateLimitFields([secret])([0])).toEqual([]);
  });

  it('are absent without advertised limits', () => {
    expect(rateLimitFields([])).toEqual([]);
  });
});

describe('Retry-After', () => {
  it.each([
    [1, '1'],
    [999, '1'],
    [1_000, '1'],
    [1_001, '2'],
    [60_000, '60'],
    [1e303, '2147483647'],
  ])('of %d ms is %s s', (waitMs, expected) => {
    expect(retryAfter(waitMs)).toBe(expected);
  });
});
