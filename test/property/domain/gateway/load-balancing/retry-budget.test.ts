import fc from 'fast-check';
import { expect, it } from 'vitest';
import {
  newRetryBudget,
  takeRetry,
  withRequest,
} from '../../../../../src/domain/gateway/load-balancing/retry-rules.js';

it('never allows more than ten plus the percentage of requests', () => {
  fc.assert(
    fc.property(
      fc.integer({ min: 0, max: 100 }),
      fc.array(fc.constantFrom<'request' | 'retry'>('request', 'retry'), { maxLength: 400 }),
      (percent, steps) => {
        let budget = newRetryBudget(percent);
        let requests = 0;
        let retries = 0;
        for (const step of steps) {
          if (step === 'request') {
            budget = withRequest(budget, percent);
            requests += 1;
          } else {
            const left = takeRetry(budget);
            if (left !== null) {
              budget = left;
              retries += 1;
            }
            // No available retry is withheld, because the total stays below the cap.
            else expect(retries).toBe(percent === 0 ? 0 : Math.floor(10 + (percent * requests) / 100));
          }
          expect(retries).toBeLessThanOrEqual(10 + (percent * requests) / 100);
        }
      },
    ),
    { numRuns: 300 },
  );
});
