import { describe, expect, it } from 'vitest';
import { type TokenBucket, takeToken } from '../../../../src/domain/shared/token-bucket.js';

const limit = { requestsPerSecond: 2, burst: 3 };

/** The wait at each moment; null: a token was taken. */
const takes = (moments: readonly number[], rate = limit): (number | null)[] => {
  let bucket: TokenBucket | null = null;
  return moments.map((nowMs) => {
    const taken = takeToken(bucket, rate, nowMs);
    bucket = taken.bucket;
    return taken.waitMs;
  });
};

describe('a token bucket', () => {
  it('is full at first', () => {
    expect(takes([1_000, 1_000, 1_000, 1_000])).toEqual([null, null, null, 500]);
  });

  it('fills at the rate up to the burst', () => {
    expect(takes([0, 0, 0, 499, 500, 500, 1_000])).toEqual([null, null, null, 1, null, 500, null]);
    expect(takes([0, 0, 0, 3_600_000, 3_600_000, 3_600_000, 3_600_000])).toEqual([
      null,
      null,
      null,
      null,
      null,
      null,
      500,
    ]);
  });

  it('loses nothing to refusals', () => {
    expect(takes([0, 0, 0, 100, 200, 300, 400, 500])).toEqual([null, null, null, 400, 300, 200, 100, null]);
  });

  it('gains nothing from a clock that goes back', () => {
    expect(takes([10_000, 10_000, 10_000, 0, 9_000, 10_000, 10_499, 10_500])).toEqual([
      null,
      null,
      null,
      10_500,
      1_500,
      500,
      1,
      null,
    ]);
  });

  it('keeps fractions exactly', () => {
    const slow = { requestsPerSecond: 0.1, burst: 1 };
    expect(takes([0, 1, 3, 9_999, 10_000, 10_001], slow)).toEqual([null, 9_999, 9_997, 1, null, 9_999]);
    const thirds = { requestsPerSecond: 3, burst: 1 };
    expect(takes([0, 333, 334], thirds)).toEqual([null, 1, null]);
  });
});
