import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { type DrainPace, firstIdleMoment, nextIdleMoment } from '../../../../src/domain/http/idle-moment.js';

const paces = fc.record({ lingerMs: fc.integer({ min: 0, max: 5_000 }), lookMs: fc.integer({ min: 10, max: 500 }) });
const beginnings = fc.integer({ min: 0, max: 1e9 });
/** How much later than it was due each look comes. */
const delays = fc.array(fc.oneof(fc.constant(0), fc.integer({ min: 0, max: 60_000 })), { maxLength: 40 });

/** The moments of a drain, each beside the time at which it was looked. */
const looks = (beganMs: number, pace: DrainPace, late: readonly number[]): { nowMs: number; momentMs: number }[] => {
  let nowMs = beganMs;
  let momentMs = firstIdleMoment(nowMs, pace);
  const all = [{ nowMs, momentMs }];
  for (const delayMs of late) {
    nowMs += pace.lookMs + delayMs;
    momentMs = nextIdleMoment(momentMs, nowMs, pace);
    all.push({ nowMs, momentMs });
  }
  return all;
};

describe('since when a connection has to have been idle to be ended by a drain', () => {
  it('is never less than the linger, however late looks come', () => {
    fc.assert(
      fc.property(beginnings, paces, delays, (beganMs, pace, late) => {
        for (const { nowMs, momentMs } of looks(beganMs, pace, late)) {
          expect(momentMs).toBeLessThanOrEqual(nowMs - pace.lingerMs);
        }
      }),
    );
  });

  it('goes on, and by no more than two looks, however long everything stood still', () => {
    fc.assert(
      fc.property(beginnings, paces, delays, (beganMs, pace, late) => {
        const moments = looks(beganMs, pace, late).map(({ momentMs }) => momentMs);
        for (const [index, momentMs] of moments.slice(1).entries()) {
          const before = moments[index] ?? Number.NaN;
          expect(momentMs).toBeGreaterThan(before);
          expect(momentMs - before).toBeLessThanOrEqual(2 * pace.lookMs);
        }
      }),
    );
  });

  it('is the linger exactly once a linger has passed in which nothing stood still', () => {
    fc.assert(
      fc.property(beginnings, paces, fc.integer({ min: 0, max: 20 }), (beganMs, pace, more) => {
        const atEase = Math.ceil(pace.lingerMs / pace.lookMs);
        const { nowMs, momentMs } = looks(beganMs, pace, new Array(atEase + more).fill(0)).at(-1) ?? expect.fail();
        expect(momentMs).toBe(nowMs - pace.lingerMs);
      }),
    );
  });
});
