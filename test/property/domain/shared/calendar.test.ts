import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { calendarDay, daysInMonth, daysSinceEpoch } from '../../../../src/domain/shared/calendar.js';

const dayMs = 86_400_000;
/** The whole range of days of Date. */
const days = fc.integer({ min: -100_000_000, max: 100_000_000 });

describe('the calendar', () => {
  it('agrees with Node on days', () => {
    fc.assert(
      fc.property(days, (count) => {
        const date = new Date(count * dayMs);
        const day = { year: date.getUTCFullYear(), month: date.getUTCMonth() + 1, day: date.getUTCDate() };
        expect(calendarDay(count)).toEqual(day);
        expect(daysSinceEpoch(day.year, day.month, day.day)).toBe(count);
      }),
      { numRuns: 500 },
    );
  });

  it('agrees with Node at the ends of years around centuries', () => {
    for (const year of [-1, 0, 1, 1600, 1700, 1899, 1900, 1970, 1999, 2000, 2023, 2024, 2100, 9999]) {
      for (const [month, day] of [
        [1, 1],
        [2, 28],
        [3, 1],
        [12, 31],
      ] as const) {
        expect(calendarDay(daysSinceEpoch(year, month, day))).toEqual({ year, month, day });
      }
    }
  });

  it('agrees with Node on lengths of months', () => {
    fc.assert(
      fc.property(fc.integer({ min: 100, max: 9999 }), fc.integer({ min: 1, max: 12 }), (year, month) => {
        expect(daysInMonth(year, month)).toBe(new Date(Date.UTC(year, month, 0)).getUTCDate());
      }),
      { numRuns: 500 },
    );
  });
});
