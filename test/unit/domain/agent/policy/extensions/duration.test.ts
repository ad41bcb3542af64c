import { describe, expect, it } from 'vitest';
import { parseCedarDuration } from '../../../../../../src/domain/agent/policy/extensions/duration.js';

const ms = (text: string): unknown => parseCedarDuration(text)?.ms ?? null;

describe('parseDuration', () => {
  it('adds its parts', () => {
    expect(ms('1d2h3m4s5ms')).toBe(93_784_005);
    expect(ms('-1d12h')).toBe(-129_600_000);
    expect(ms('5m')).toBe(300_000);
    expect(ms('5ms')).toBe(5);
    expect(ms('1m1ms')).toBe(60_001);
    expect(ms('100h90m')).toBe(365_400_000);
    expect(ms('0s')).toBe(0);
    expect(ms('-0d')).toBe(0);
    expect(ms(`${'0'.repeat(1000)}7s`)).toBe(7000);
  });

  it('accepts exactly the 64-bit range', () => {
    expect(ms('9223372036854775807ms')).toBe(2n ** 63n - 1n);
    expect(ms('9223372036854775808ms')).toBeNull();
    expect(ms('-9223372036854775808ms')).toBe(-(2n ** 63n));
    expect(ms('-9223372036854775809ms')).toBeNull();
    expect(ms('106751991167d7h12m55s807ms')).toBe(2n ** 63n - 1n);
    expect(ms('106751991167d7h12m55s808ms')).toBeNull();
    expect(ms('-106751991167d7h12m55s808ms')).toBe(-(2n ** 63n));
    expect(ms('106751991168d')).toBeNull();
    expect(ms(`${'9'.repeat(500_000)}d`)).toBeNull();
  });

  it('refuses every other form', () => {
    for (const text of [
      '',
      '-',
      '1',
      'd',
      'ms',
      '-ms',
      '1h1d',
      '1s1m',
      '1ms1s',
      '1d1d',
      '1d-1h',
      '--1d',
      '+1d',
      '1.5h',
      '1 d',
      '1d ',
      ' 1d',
      '1D',
      '1w',
      '1y',
      '1ms1',
      '1mss',
      '1d\n',
      '١d',
    ]) {
      expect(ms(text), JSON.stringify(text)).toBeNull();
    }
  });
});
