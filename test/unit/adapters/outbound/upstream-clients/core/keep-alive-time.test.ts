import { describe, expect, it } from 'vitest';
import {
  defaultKeepMs,
  keepAliveTime,
} from '../../../../../../src/adapters/outbound/upstream-clients/core/connection-timers.js';

const cases: readonly (readonly [value: string | null, milliseconds: number])[] = [
  [null, defaultKeepMs],
  ['timeout=5', 3_000],
  ['timeout=60, max=100', 58_000],
  ['max=100;Timeout = "7"', 5_000],
  ['timeout=4', 2_000],
  ['timeout=3', 1_500],
  ['timeout=2', 1_000],
  ['timeout=1', 500],
  ['timeout=0', 0],
  ['timeout=999999999', 600_000],
  ['max=100', defaultKeepMs],
  ['xtimeout=9', defaultKeepMs],
  ['', defaultKeepMs],
  [`${' '.repeat(100)}timeout=9`, 7_000],
  [`${' '.repeat(300)}timeout=9`, defaultKeepMs],
];

describe('the time for which an upstream says that it keeps a connection', () => {
  it.each(cases)('is less than it says, and within bounds: %j', (value, milliseconds) => {
    expect(keepAliveTime(value)).toBe(milliseconds);
    expect(keepAliveTime(value)).toBe(milliseconds);
  });

  it('is the same whatever was asked before', () => {
    for (const [before] of cases) {
      for (const [value, milliseconds] of cases) {
        keepAliveTime(before);
        expect(keepAliveTime(value)).toBe(milliseconds);
      }
    }
  });
});
