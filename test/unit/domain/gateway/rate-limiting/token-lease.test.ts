import { describe, expect, it } from 'vitest';
import {
  emptyBackoffMs,
  fetchedLease,
  filledBucket,
  grantedLease,
  lentLimit,
  requestedLease,
  settledBucket,
} from '../../../../../src/domain/gateway/rate-limiting/token-lease.js';

const limit = { requestsPerSecond: 100, burst: 80 };

describe('a bucket with leased tokens', () => {
  it('fills only up to the burst minus leased tokens', () => {
    expect(lentLimit(limit, 30)).toEqual({ requestsPerSecond: 100, burst: 50 });
    expect(filledBucket({ tokens: 10, atMs: 0 }, limit, 30, 100)).toEqual({ tokens: 20, atMs: 100 });
    expect(filledBucket({ tokens: 10, atMs: 0 }, limit, 30, 100_000).tokens).toBe(50);
    expect(filledBucket(null, limit, 30, 7)).toEqual({ tokens: 50, atMs: 7 });
  });

  it('stays empty if a new limit is below the leased tokens', () => {
    expect(filledBucket({ tokens: 10, atMs: 0 }, { requestsPerSecond: 1, burst: 5 }, 30, 100).tokens).toBe(0);
  });

  it('gains nothing from a clock that goes back', () => {
    expect(filledBucket({ tokens: 10, atMs: 500 }, limit, 0, 100)).toEqual({ tokens: 10, atMs: 500 });
  });

  it('regains the room of a spent token only after the account', () => {
    const settled = settledBucket({ tokens: 50, atMs: 0 }, limit, 30, { spent: 30, returned: 0 }, 10_000);
    expect(settled).toEqual({ tokens: 50, atMs: 10_000 });
    expect(filledBucket(settled, limit, 0, 10_100).tokens).toBe(60);
  });

  it('receives returned tokens', () => {
    expect(settledBucket({ tokens: 0, atMs: 0 }, limit, 30, { spent: 10, returned: 20 }, 0).tokens).toBe(20);
  });
});

describe('a lease', () => {
  it('is as large as recent use, at most an eighth of the burst', () => {
    expect([0, 3, 10, 500].map((spent) => requestedLease(spent, limit))).toEqual([0, 3, 10, 10]);
    expect(requestedLease(5, { requestsPerSecond: 1, burst: 7 })).toBe(0);
  });

  it('leaves half of the tokens, and half of the burst, to others', () => {
    expect(grantedLease(10, 80, limit, 0)).toBe(10);
    expect(grantedLease(10, 9.9, limit, 0)).toBe(4);
    expect(grantedLease(10, 80, limit, 37.5)).toBe(2);
    expect(grantedLease(10, 80, limit, 60)).toBe(0);
    expect(grantedLease(10, 0.4, limit, 0)).toBe(0);
  });
});

describe('a lease that runs low', () => {
  it('is refilled below half of its target', () => {
    expect([40, 21, 20, 5, 0].map((held) => fetchedLease(40, held, 1_000))).toEqual([0, 0, 20, 35, 40]);
  });

  it('is not refilled for a rarely used bucket', () => {
    expect(fetchedLease(3, 0, 1_000)).toBe(0);
    expect(fetchedLease(4, 0, 1_000)).toBe(4);
  });

  it('is not refilled if the bucket has too few tokens', () => {
    expect([39, 40].map((expected) => fetchedLease(40, 20, expected))).toEqual([0, 20]);
  });
});

describe('an empty bucket', () => {
  it('is not asked again before it can have a token', () => {
    expect(emptyBackoffMs(1, limit, 0)).toBe(0);
    expect(emptyBackoffMs(0, limit, 0)).toBe(10);
    // One token is available after 0.1 ms, and 50 fit after 5 ms.
    expect(emptyBackoffMs(0, { requestsPerSecond: 10_000, burst: 1_000 }, 0)).toBe(5);
    expect(emptyBackoffMs(0, { requestsPerSecond: 10_000, burst: 20 }, 0)).toBe(0.5);
  });

  it('is asked again every second, or earlier if a token may return', () => {
    expect(emptyBackoffMs(0, { requestsPerSecond: 0.01, burst: 20 }, 0)).toBe(1_000);
    expect(emptyBackoffMs(0, { requestsPerSecond: 0.01, burst: 20 }, 1)).toBe(100);
  });
});
