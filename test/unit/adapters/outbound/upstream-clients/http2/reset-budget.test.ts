import { constants } from 'node:http2';
import { describe, expect, it } from 'vitest';
import { ResetBudget } from '../../../../../../src/adapters/outbound/upstream-clients/http2/reset-budget.js';

const resetsUntilRefused = (code: number, everyMs: number, most: number): number => {
  const budget = new ResetBudget();
  let count = 1;
  while (count < most && budget.bears(code, count * everyMs)) count += 1;
  return count;
};

describe('the resets that a session bears', () => {
  it('are 50 at once', () => {
    expect(resetsUntilRefused(constants.NGHTTP2_CANCEL, 0, 1_000)).toBe(50);
  });

  it('are one in a second for ever', () => {
    expect(resetsUntilRefused(constants.NGHTTP2_CANCEL, 1_000, 5_000)).toBe(5_000);
  });

  it('are fewer than 100 in any 30 seconds, however they come', () => {
    for (const everyMs of [0, 50, 100, 200, 299]) {
      const budget = new ResetBudget();
      let count = 0;
      for (let nowMs = 0; count < 1_000; nowMs += everyMs) {
        count += 1;
        if (!budget.bears(constants.NGHTTP2_CANCEL, nowMs) || nowMs > 30_000) break;
      }
      expect(count).toBeLessThanOrEqual(102);
    }
  });

  it.each([constants.NGHTTP2_NO_ERROR, constants.NGHTTP2_REFUSED_STREAM, constants.NGHTTP2_INTERNAL_ERROR])(
    'are none of its peer (%d)',
    (code) => {
      expect(resetsUntilRefused(code, 0, 1_000)).toBe(1_000);
    },
  );
});
