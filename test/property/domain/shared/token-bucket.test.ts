import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { type TokenBucket, takeToken } from '../../../../src/domain/shared/token-bucket.js';

const limits = fc.record({
  requestsPerSecond: fc.oneof(fc.integer({ min: 1, max: 1_000_000 }), fc.double({ min: 0.001, max: 50, noNaN: true })),
  burst: fc.oneof(fc.integer({ min: 1, max: 20 }), fc.integer({ min: 1, max: 10_000_000 })),
});
const steps = fc.array(fc.oneof(fc.constant(0), fc.nat({ max: 5 }), fc.nat({ max: 3_000 })), { maxLength: 60 });
/** Steps of a clock that sometimes goes back. */
const anySteps = fc.array(fc.oneof(fc.constant(0), fc.integer({ min: -2_000, max: 2_000 })), { maxLength: 60 });

const momentsOf = (gaps: readonly number[]): number[] => {
  let nowMs = 1_000_000;
  return gaps.map((gap) => {
    nowMs += gap;
    return nowMs;
  });
};

describe('a token bucket', () => {
  it('allows at most the burst plus the rate in any window', () => {
    fc.assert(
      fc.property(limits, steps, (limit, gaps) => {
        let bucket: TokenBucket | null = null;
        const taken: number[] = [];
        for (const nowMs of momentsOf(gaps)) {
          const outcome = takeToken(bucket, limit, nowMs);
          bucket = outcome.bucket;
          if (outcome.waitMs === null) taken.push(nowMs);
          expect(bucket.tokens).toBeGreaterThanOrEqual(0);
          expect(bucket.tokens).toBeLessThanOrEqual(limit.burst);
        }
        for (let first = 0; first < taken.length; first += 1) {
          for (let last = first; last < taken.length; last += 1) {
            const windowMs = (taken[last] as number) - (taken[first] as number);
            const most = limit.burst + (limit.requestsPerSecond * windowMs) / 1000;
            expect(last - first + 1).toBeLessThanOrEqual(most + 1e-6);
          }
        }
      }),
      { numRuns: 300 },
    );
  });

  it('returns the exact wait for a token', () => {
    fc.assert(
      fc.property(limits, anySteps, (limit, gaps) => {
        let bucket: TokenBucket | null = null;
        for (const nowMs of momentsOf(gaps)) {
          const outcome = takeToken(bucket, limit, nowMs);
          bucket = outcome.bucket;
          if (outcome.waitMs === null) continue;
          expect(outcome.waitMs).toBeGreaterThanOrEqual(1);
          expect(takeToken(bucket, limit, nowMs + outcome.waitMs).waitMs).toBeNull();
          if (outcome.waitMs > 1) expect(takeToken(bucket, limit, nowMs + outcome.waitMs - 1).waitMs).not.toBeNull();
        }
      }),
      { numRuns: 500 },
    );
  });

  it('gains nothing from a clock that jumps', () => {
    fc.assert(
      fc.property(limits, anySteps, (limit, gaps) => {
        let jumping: TokenBucket | null = null;
        let steady: TokenBucket | null = null;
        let latestMs = Number.NEGATIVE_INFINITY;
        for (const nowMs of momentsOf(gaps)) {
          latestMs = Math.max(latestMs, nowMs);
          const one = takeToken(jumping, limit, nowMs);
          const other = takeToken(steady, limit, latestMs);
          jumping = one.bucket;
          steady = other.bucket;
          expect([one.bucket, one.waitMs === null]).toEqual([other.bucket, other.waitMs === null]);
        }
      }),
      { numRuns: 500 },
    );
  });

  it('always allows a request that keeps the rate', () => {
    fc.assert(
      fc.property(limits, fc.array(fc.nat({ max: 100 }), { maxLength: 60 }), (limit, extras) => {
        const gapMs = Math.ceil(1000 / limit.requestsPerSecond);
        let bucket: TokenBucket | null = null;
        for (const nowMs of momentsOf(extras.map((extra) => gapMs + extra))) {
          const outcome = takeToken(bucket, limit, nowMs);
          bucket = outcome.bucket;
          expect(outcome.waitMs).toBeNull();
        }
      }),
      { numRuns: 300 },
    );
  });
});
