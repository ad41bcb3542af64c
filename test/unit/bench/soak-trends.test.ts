import { describe, expect, it } from 'vitest';
import { type Interval, trendsOf } from '../../../bench/soak/trend.js';

const mebibyte = 1_048_576;
const steady: Interval = { residentBytes: 200 * mebibyte, descriptors: 60, p50Ms: 2, p99Ms: 10 };

/** Forty intervals, each as the change says. */
const run = (change: (index: number) => Partial<Interval>): readonly Interval[] =>
  Array.from({ length: 40 }, (_, index) => ({ ...steady, ...change(index) }));

const steep = (intervals: readonly Interval[]): readonly string[] =>
  trendsOf(intervals).flatMap(({ figure, isFlat }) => (isFlat ? [] : [figure]));

describe('the figures of a long run', () => {
  it('are flat where nothing grows', () => {
    expect(steep(run(() => ({})))).toEqual([]);
  });

  it('may rise while the program warms up', () => {
    expect(steep(run((index) => ({ residentBytes: Math.min(100 + 15 * index, 220) * mebibyte })))).toEqual([]);
  });

  it('may have peaks', () => {
    expect(steep(run((index) => (index % 7 === 0 ? { p99Ms: 400, descriptors: 90 } : {})))).toEqual([]);
  });

  it.each([
    ['memory MiB', (index: number) => ({ residentBytes: (200 + index) * mebibyte })],
    ['descriptors', (index: number) => ({ descriptors: 60 + index })],
    ['p50 ms', (index: number) => ({ p50Ms: 2 + index / 10 })],
    ['p99 ms', (index: number) => ({ p99Ms: 10 + index })],
  ] as const)('show a leak: %s', (figure, change) => {
    expect(steep(run(change))).toEqual([figure]);
  });
});
