import { describe, expect, it } from 'vitest';
import { ResponseHeadCache } from '../../../../../../src/adapters/outbound/upstream-clients/core/response-head-cache.js';
import { numbered, numberedFrom, recalled, times } from '../../../../../support/gateway/coming-heads.js';

const none = (count: number): readonly boolean[] => times(count, false);

/** It knows one that has not been recalled: that has cost 5 of 32. */
const withOneKnown = (): ResponseHeadCache => {
  const repeated = new ResponseHeadCache();
  expect(recalled(repeated, times(3, numbered(0)))).toEqual(none(3));
  return repeated;
};

/** Each of them twice. */
const pairs = (first: number, count: number): readonly string[] =>
  numberedFrom(first, count).flatMap((head) => [head, head]);

/** The last of so many heads that come once each could not be paid for. */
const resting = (): ResponseHeadCache => {
  const repeated = withOneKnown();
  expect(recalled(repeated, numberedFrom(1, 28))).toEqual(none(28));
  return repeated;
};

describe('heads of one length that come once each', () => {
  it.each([
    [27, true],
    [28, false],
  ])('cost 1 each of the 27 that are left behind the first that is known: %i', (count, isKnown) => {
    const repeated = withOneKnown();
    expect(recalled(repeated, numberedFrom(1, count))).toEqual(none(count));
    expect(recalled(repeated, [numbered(0)])).toEqual([isKnown]);
  });

  it.each([
    ['the first of them', 0],
    ['the last that was paid for', 27],
    ['the one that was not', 28],
    ['another one', 29],
  ])('then are taken no note of for 1 024 responses: %s', (_, number) => {
    const repeated = resting();
    expect(recalled(repeated, times(1_024, numbered(number)))).toEqual(none(1_024));
    // As long as the one that came last before.
    expect(recalled(repeated, times(4, numbered(number)))).toEqual([false, false, true, true]);
  });

  it.each([
    [27, true],
    [28, false],
  ])('have as much credit again behind that: %i', (count, isKnown) => {
    const repeated = resting();
    recalled(repeated, numberedFrom(100, 1_024));
    expect(recalled(repeated, times(2, numbered(0)))).toEqual(none(2));
    expect(recalled(repeated, numberedFrom(1, count))).toEqual(none(count));
    expect(recalled(repeated, [numbered(0)])).toEqual([isKnown]);
  });

  it.each([0, 1, 3, 14, 15, 16, 40])('may be 2 more for each recall, 32 at most: %i', (recalls) => {
    const credit = Math.min(2 + 2 * recalls, 32);
    for (const count of [credit, credit + 1]) {
      const repeated = withOneKnown();
      recalled(repeated, numberedFrom(1, 25));
      expect(recalled(repeated, times(recalls, numbered(0)))).toEqual(times(recalls, true));
      expect(recalled(repeated, numberedFrom(100, count))).toEqual(none(count));
      expect(recalled(repeated, [numbered(0)]), `${count} others`).toEqual([count === credit]);
    }
  });
});

describe('heads of one length that come twice each', () => {
  it('cost 5 each, but for the first, which is as long as none before', () => {
    const repeated = new ResponseHeadCache();
    expect(recalled(repeated, pairs(0, 7))).toEqual(none(14));
    expect(recalled(repeated, [numbered(6)])).toEqual([true]);
  });

  it.each([
    ['the last that was known', 6],
    ['the one that was not paid for', 7],
    ['another one', 8],
  ])('use it up, and then are taken no note of for 1 024 responses: %s', (_, number) => {
    const repeated = new ResponseHeadCache();
    expect(recalled(repeated, pairs(0, 8))).toEqual(none(16));
    expect(recalled(repeated, times(1_024, numbered(number)))).toEqual(none(1_024));
    expect(recalled(repeated, times(4, numbered(number)))).toEqual([false, false, true, true]);
  });

  it('have as much credit again behind that', () => {
    for (const [count, isKnown] of [
      [6, true],
      [7, false],
    ] as const) {
      const repeated = new ResponseHeadCache();
      recalled(repeated, [...pairs(0, 8), ...numberedFrom(100, 1_024)]);
      // The first costs as much as the others now, and 2 are left behind six.
      expect(recalled(repeated, pairs(0, count))).toEqual(none(2 * count));
      expect(recalled(repeated, [numbered(count - 1)]), `${count} pairs`).toEqual([isKnown]);
    }
  });

  it('are never recalled, however many come', () => {
    expect(recalled(new ResponseHeadCache(), pairs(0, 3_000))).not.toContain(true);
  });
});

describe('heads of one length that come more often', () => {
  it.each([5, 10])('pay for themselves: %i times each', (often) => {
    const repeated = new ResponseHeadCache();
    expect(recalled(repeated, times(often, numbered(0)))).toEqual([...none(3), ...times(often - 3, true)]);
    for (let run = 1; run < 300; run += 1) {
      expect(recalled(repeated, times(often, numbered(run))), `run ${run}`).toEqual([
        ...none(2),
        ...times(often - 2, true),
      ]);
    }
  });

  it('do not where it is four times each', () => {
    const repeated = new ResponseHeadCache();
    const runs = numberedFrom(0, 300).map((head) => recalled(repeated, times(4, head)).filter(Boolean).length);
    // 29 are left behind the first run, and each of the next takes 1 of it; where 4 are left, that is too little.
    expect(runs).toEqual([1, ...times(25, 2), ...times(257, 0), ...runs.slice(283)]);
    expect(runs[283]).toBeGreaterThan(0);
  });
});
