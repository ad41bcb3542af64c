import { describe, expect, it } from 'vitest';
import {
  defaultKeepMs,
  keepAliveTime,
} from '../../../../../../src/adapters/outbound/upstream-clients/core/keep-alive-time.js';
import { octetsUsed } from '../../../../../support/gateway/octets-used.js';

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

  it('is remembered without the head that it came in', () => {
    const size = 8_000_000;
    const value = 'timeout=8, max=100';
    const read = (): number => {
      const head = Buffer.from(`${value}${' '.repeat(size)}`).toString('latin1');
      return keepAliveTime(head.slice(0, value.length));
    };
    const before = octetsUsed();
    expect(read()).toBe(6_000);
    // Regular expressions have the text at hand that one of them was used on last.
    expect(/b/.exec('abc')).not.toBeNull();
    expect(octetsUsed() - before).toBeLessThan(size / 2);
  });
});
