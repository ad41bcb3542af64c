import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import {
  noDeaths,
  type RestartHistory,
  restartAfter,
} from '../../../../../src/domain/gateway/supervision/restart-rules.js';

describe('the restart delays of workers', () => {
  it('restart a failing worker at most every half minute in the long run', () => {
    fc.assert(
      fc.property(fc.array(fc.integer({ min: 0, max: 9_999 }), { minLength: 1, maxLength: 200 }), (served) => {
        let history: RestartHistory = noDeaths;
        let lastMs = -1;
        for (const servedMs of served) {
          const { delayMs, history: next } = restartAfter(history, servedMs);
          expect(delayMs).toBeGreaterThanOrEqual(lastMs);
          expect(delayMs).toBeLessThanOrEqual(30_000);
          if (lastMs > 0 && lastMs < 30_000) expect(delayMs).toBe(Math.min(30_000, 2 * lastMs));
          lastMs = delayMs;
          history = next;
        }
        if (served.length > 10) expect(lastMs).toBe(30_000);
      }),
    );
  });

  it('depend only on deaths since the last healthy worker', () => {
    fc.assert(
      fc.property(
        fc.array(fc.integer({ min: 0, max: 30_000 }), { maxLength: 60 }),
        fc.integer({ min: 10_000, max: 10 ** 9 }),
        (served, livedMs) => {
          let history: RestartHistory = noDeaths;
          for (const servedMs of served) history = restartAfter(history, servedMs).history;
          expect(restartAfter(history, livedMs)).toEqual(restartAfter(noDeaths, 0));
        },
      ),
    );
  });
});
