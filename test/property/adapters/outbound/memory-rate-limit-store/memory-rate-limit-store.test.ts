import fc from 'fast-check';
import { expect, it } from 'vitest';
import { MemoryRateLimitStore } from '../../../../../src/adapters/outbound/memory-rate-limit-store/memory-rate-limit-store.js';
import { takeTokens } from '../../../../../src/domain/gateway/rate-limiting/take-tokens.js';
import type { TokenBucket } from '../../../../../src/domain/shared/token-bucket.js';
import { ManualClock } from '../../../../support/shared/manual-clock.js';

const limits = [
  { requestsPerSecond: 0.5, burst: 2 },
  { requestsPerSecond: 20, burst: 5 },
  { requestsPerSecond: 1_000, burst: 1 },
] as const;

const spaces = ['global', 'client', 'route api'] as const;

const step = fc.record({
  /** Of each limit which bucket is charged; null: none. */
  keys: fc.tuple(...limits.map(() => fc.option(fc.constantFrom('a', 'b', 'c')))),
  waitMs: fc.oneof(fc.constant(0), fc.integer({ min: 0, max: 100 }), fc.integer({ min: 0, max: 6_000 })),
});

it('buckets that are held and forgotten let through what buckets would that are all remembered', () => {
  fc.assert(
    fc.property(fc.array(step, { maxLength: 60 }), (steps) => {
      const clock = new ManualClock();
      const store = new MemoryRateLimitStore(clock);
      const remembered = new Map<string, TokenBucket>();
      for (const { keys, waitMs } of steps) {
        clock.advance(waitMs);
        const charges = limits.flatMap((limit, index) => {
          const key = keys[index];
          return key === null || key === undefined ? [] : [{ space: spaces[index] as string, key, limit }];
        });
        const names = charges.map(({ space, key }) => `${space} ${key}`);
        const expected = takeTokens(
          names.map((name) => remembered.get(name) ?? null),
          charges,
          clock.monotonicMs(),
        );
        const answer = store.take(charges);
        expect(answer.kind).toBe(expected.kind);
        if (answer.kind === 'refused' && expected.kind === 'refused') {
          expect(answer.refusedBy).toBe(expected.refusedBy);
          expect(Math.abs(answer.waitMs - expected.waitMs)).toBeLessThanOrEqual(1);
          for (const [index, left] of answer.left.entries()) expect(left).toBeCloseTo(expected.left[index] ?? -1, 6);
        } else if (answer.kind === 'taken' && expected.kind === 'taken') {
          for (const [index, bucket] of expected.buckets.entries()) {
            expect(answer.left[index]).toBeCloseTo(bucket.tokens, 6);
            remembered.set(names[index] as string, bucket);
          }
        }
      }
    }),
    { numRuns: 500 },
  );
});
