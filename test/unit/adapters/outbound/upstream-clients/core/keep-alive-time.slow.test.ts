import { describe, expect, it } from 'vitest';
import { keepAliveTime } from '../../../../../../src/adapters/outbound/upstream-clients/core/connection-timers.js';
import { octetsUsed } from '../../../../../support/gateway/octets-used.js';

describe('the time for which an upstream says that it keeps a connection', () => {
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
