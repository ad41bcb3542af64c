import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { unprocessedWaitMs } from '../../../../../src/domain/gateway/load-balancing/retry-rules.js';

describe('the wait before an unprocessed request is sent again', () => {
  it('is 0 first, then doubles from 5 ms', () => {
    expect([0, 1, 2, 3, 4, 5, 6, 7, 8].map(unprocessedWaitMs)).toEqual([0, 5, 10, 20, 40, 80, 160, 250, 250]);
  });

  it('never falls and is never longer than 250 ms', () => {
    fc.assert(
      fc.property(fc.nat(1_000_000), (times) => {
        const wait = unprocessedWaitMs(times);
        expect(wait).toBeLessThanOrEqual(250);
        expect(unprocessedWaitMs(times + 1)).toBeGreaterThanOrEqual(wait);
      }),
    );
  });
});
