import { describe, expect, it } from 'vitest';
import { RateLimiter } from '../../../../src/application/exchange-token/rate-limiter.js';
import { ManualClock } from '../../../support/manual-clock.js';

const limit = { requestsPerSecond: 1, burst: 2 };

describe('the rate limiter', () => {
  it('counts each key alone', () => {
    const clock = new ManualClock();
    const limiter = new RateLimiter(limit, clock);
    expect([limiter.take('a'), limiter.take('a'), limiter.take('a')]).toEqual([null, null, 1_000]);
    expect(limiter.take('b')).toBeNull();
    clock.advance(1_000);
    expect([limiter.take('a'), limiter.take('a')]).toEqual([null, 1_000]);
  });

  it('goes by the clock that nobody sets back', () => {
    let wallMs = 1_000_000;
    const limiter = new RateLimiter({ requestsPerSecond: 1, burst: 1 }, { wallMs: () => wallMs, monotonicMs: () => 5 });
    expect(limiter.take('a')).toBeNull();
    wallMs += 3_600_000;
    expect(limiter.take('a')).toBe(1_000);
  });

  it('remembers so many keys, and forgets the one that was not used for the longest time', () => {
    const limiter = new RateLimiter({ requestsPerSecond: 1, burst: 1 }, new ManualClock(), 2);
    expect([limiter.take('a'), limiter.take('b'), limiter.take('a')]).toEqual([null, null, 1_000]);
    // Forgets b, not a, though a came first.
    expect(limiter.take('c')).toBeNull();
    expect(limiter.take('a')).toBe(1_000);
    expect(limiter.take('b')).toBeNull();
  });

  it('keeps who is refused among those that it remembers, however many others come in between', () => {
    const limiter = new RateLimiter({ requestsPerSecond: 1, burst: 1 }, new ManualClock(), 10);
    expect(limiter.take('eager')).toBeNull();
    for (let other = 0; other < 1_000; other += 1) {
      expect(limiter.take(`other-${other}`)).toBeNull();
      expect(limiter.take('eager')).toBe(1_000);
    }
  });
});
