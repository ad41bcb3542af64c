import { describe, expect, it } from 'vitest';
import {
  newRetryBudget,
  type RetryBudget,
  takeRetry,
  withRequest,
} from '../../../../../src/domain/gateway/load-balancing/retry-rules.js';

const retriesIn = (budget: RetryBudget): number => {
  let count = 0;
  for (let left = takeRetry(budget); left !== null; left = takeRetry(left)) count += 1;
  return count;
};

const afterRequests = (requests: number, percent: number): RetryBudget => {
  let budget = newRetryBudget(percent);
  for (let request = 0; request < requests; request += 1) budget = withRequest(budget, percent);
  return budget;
};

describe('the budget of retries', () => {
  it('has a reserve of ten, even without requests', () => {
    expect(retriesIn(newRetryBudget(20))).toBe(10);
  });

  it('grows by one for every five requests at 20 percent', () => {
    expect(retriesIn(afterRequests(4, 20))).toBe(10);
    expect(retriesIn(afterRequests(5, 20))).toBe(11);
    expect(retriesIn(afterRequests(100, 20))).toBe(30);
  });

  it('is bounded', () => {
    expect(retriesIn(afterRequests(1_000_000, 100))).toBe(500);
  });

  it('is empty at 0 percent', () => {
    expect(retriesIn(afterRequests(1_000, 0))).toBe(0);
  });
});
