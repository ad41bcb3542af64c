import { describe, expect, it } from 'vitest';
import { MemoryRateLimitStore } from '../../../../../../src/adapters/outbound/memory-rate-limit-store/memory-rate-limit-store.js';
import { DividedRateLimits } from '../../../../../../src/application/gateway/workers/share-rates/divided-rate-limits.js';
import { ManualClock } from '../../../../../support/shared/manual-clock.js';

describe('the share of a worker', () => {
  const takenOf = (burst: number, workers: number): number => {
    const store = new DividedRateLimits(new MemoryRateLimitStore(new ManualClock()), workers);
    const limit = { requestsPerSecond: 1, burst };
    const answers = Array.from({ length: 100 }, () => store.take([{ space: 'client', key: 'a', limit }]));
    return answers.filter((answer) => !(answer instanceof Promise) && answer.kind === 'taken').length;
  };

  it('is an equal part of the burst, and at least one request', () => {
    expect([takenOf(40, 4), takenOf(10, 4), takenOf(2, 4)]).toEqual([10, 2, 1]);
  });

  it('refills with an equal part of the rate', () => {
    const clock = new ManualClock();
    const store = new DividedRateLimits(new MemoryRateLimitStore(clock), 4);
    const charge = { space: 'client', key: 'a', limit: { requestsPerSecond: 8, burst: 4 } };
    expect(store.take([charge])).toMatchObject({ kind: 'taken' });
    expect(store.take([charge])).toMatchObject({ kind: 'refused', waitMs: 500 });
    clock.advance(500);
    expect(store.take([charge])).toMatchObject({ kind: 'taken' });
    expect(store.sizes()).toEqual({ client: 1 });
  });
});
