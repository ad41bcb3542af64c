import { describe, expect, it } from 'vitest';
import { firstBodyWait, nextBodyWait } from '../../../../../src/domain/gateway/limits/body-pace.js';

const pace = { minOctetsPerSecond: 100, graceMs: 10_000 };

describe('the wait for a body', () => {
  it('starts with the grace period', () => {
    expect(firstBodyWait(pace)).toBe(10_000);
  });

  it.each([
    ['a piece that took its time pays for it', 10_000, 4_000, 100, 7_000],
    ['a piece at the rate changes nothing', 5_000, 1_000, 100, 5_000],
    ['a piece below the rate costs', 5_000, 1_000, 50, 4_500],
    ['a large piece saves up no more than the grace', 5_000, 0, 10_000_000, 10_000],
    ['nothing is owed from before', 1_000, 2_000, 1, 10],
  ])('where %s', (_, leftMs, waitedMs, octets, expected) => {
    expect(nextBodyWait(leftMs, waitedMs, octets, pace)).toBe(expected);
  });

  it('is unlimited without a minimum rate', () => {
    const free = { ...pace, minOctetsPerSecond: 0 };
    expect(firstBodyWait(free)).toBe(Number.POSITIVE_INFINITY);
    expect(nextBodyWait(Number.POSITIVE_INFINITY, 1e9, 0, free)).toBe(Number.POSITIVE_INFINITY);
  });
});
