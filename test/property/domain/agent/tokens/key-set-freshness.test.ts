import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import {
  afterFailure,
  afterRefetch,
  afterSuccess,
  type KeySetFreshness,
  keySetState,
  longestRetryMs,
  mayRefetch,
  neverFetched,
  nextAttemptDelayMs,
  refetchIntervalMs,
} from '../../../../../src/domain/agent/tokens/key-set.js';

type Event =
  | { readonly kind: 'time'; readonly ms: number }
  | { readonly kind: 'unknown key' }
  | { readonly kind: 'success' }
  | { readonly kind: 'failure' };

const event: fc.Arbitrary<Event> = fc.oneof(
  fc.record({ kind: fc.constant('time' as const), ms: fc.integer({ min: 0, max: 20_000 }) }),
  fc.constantFrom<Event>({ kind: 'unknown key' }, { kind: 'success' }, { kind: 'failure' }),
);
const events = fc.array(event, { maxLength: 60 });

describe('the freshness of a key set, for any events', () => {
  it('never allows two refetches within the interval, and always allows one after it', () => {
    fc.assert(
      fc.property(events, (happened) => {
        let freshness: KeySetFreshness = neverFetched;
        let nowMs = 0;
        let lastMs = Number.NEGATIVE_INFINITY;
        for (const next of happened) {
          if (next.kind === 'time') nowMs += next.ms;
          if (next.kind === 'success') freshness = afterSuccess(freshness);
          if (next.kind === 'failure') freshness = afterFailure(freshness);
          if (next.kind !== 'unknown key') continue;
          expect(mayRefetch(freshness, nowMs)).toBe(nowMs - lastMs >= refetchIntervalMs);
          if (!mayRefetch(freshness, nowMs)) continue;
          freshness = afterRefetch(freshness, nowMs);
          lastMs = nowMs;
        }
      }),
      { numRuns: 500 },
    );
  });

  it('is absent until the first success, never again after it, and fresh after every success', () => {
    fc.assert(
      fc.property(fc.array(fc.boolean(), { maxLength: 30 }), (outcomes) => {
        const freshness = outcomes.reduce(
          (before, isGood) => (isGood ? afterSuccess : afterFailure)(before),
          neverFetched,
        );
        const expected = outcomes.at(-1) === true ? 'fresh' : 'stale';
        expect(keySetState(freshness)).toBe(outcomes.includes(true) ? expected : 'absent');
      }),
    );
  });

  it('schedules the next fetch within the interval, and after a failure within the longest backoff', () => {
    const refresh = fc.integer({ min: 1_000, max: 604_800_000 });
    const fraction = fc.double({ min: 0, max: 1, maxExcluded: true, noNaN: true });
    fc.assert(
      fc.property(fc.integer({ min: 0, max: 2_000 }), refresh, fraction, (failures, refreshMs, chance) => {
        const freshness: KeySetFreshness = { hasKeys: true, failures, refetchedAtMs: null };
        const delayMs = nextAttemptDelayMs(freshness, refreshMs, chance);
        const wholeMs = nextAttemptDelayMs(freshness, refreshMs, 0);
        expect(wholeMs).toBeLessThanOrEqual(failures === 0 ? refreshMs : Math.min(refreshMs, longestRetryMs));
        expect(delayMs).toBeLessThanOrEqual(wholeMs);
        expect(delayMs).toBeGreaterThanOrEqual(wholeMs * 0.9);
        expect(wholeMs).toBeGreaterThanOrEqual(Math.min(refreshMs, 5_000));
      }),
      { numRuns: 500 },
    );
  });
});
