import { describe, expect, it } from 'vitest';
import {
  noDeaths,
  type RestartHistory,
  restartAfter,
} from '../../../../../src/domain/gateway/supervision/restart-rules.js';

/** The restart delays for deaths after the given service times, in milliseconds. */
const delays = (served: readonly number[]): readonly number[] => {
  let history: RestartHistory = noDeaths;
  return served.map((servedMs) => {
    const restart = restartAfter(history, servedMs);
    history = restart.history;
    return restart.delayMs;
  });
};

describe('the replacement of a worker', () => {
  it('is immediate, then has a delay that doubles up to 30 seconds', () => {
    expect(delays(Array.from({ length: 12 }, () => 0))).toEqual([
      0, 100, 200, 400, 800, 1_600, 3_200, 6_400, 12_800, 25_600, 30_000, 30_000,
    ]);
  });

  it('is immediate again after ten seconds of service', () => {
    expect(delays([0, 0, 9_999, 10_000, 0, 0])).toEqual([0, 100, 200, 0, 100, 200]);
  });
});
