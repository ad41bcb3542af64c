import { describe, expect, it } from 'vitest';
import { parseCedarDecimal } from '../../../../../../src/domain/agent/policy/extensions/decimal.js';

const units = (text: string): unknown => parseCedarDecimal(text)?.units ?? null;

describe('parseDecimal', () => {
  it('reads ten-thousandths', () => {
    expect(units('1.0')).toBe(10_000);
    expect(units('12.34')).toBe(123_400);
    expect(units('0.0001')).toBe(1);
    expect(units('-0.0001')).toBe(-1);
    expect(units('-0.0')).toBe(0);
    expect(units('-1.5')).toBe(-15_000);
    expect(units('0001.5000')).toBe(15_000);
  });

  it('accepts exactly the 64-bit range', () => {
    expect(units('922337203685477.5807')).toBe(2n ** 63n - 1n);
    expect(units('922337203685477.5808')).toBeNull();
    expect(units('-922337203685477.5808')).toBe(-(2n ** 63n));
    expect(units('-922337203685477.5809')).toBeNull();
    expect(units(`${'9'.repeat(500_000)}.0`)).toBeNull();
  });

  it('refuses every other form', () => {
    for (const text of [
      '',
      '.',
      '1',
      '1.',
      '.5',
      '-.5',
      '+1.0',
      '1.00000',
      '1.-5',
      '1.5.5',
      '1.5 ',
      ' 1.5',
      '1.5\n',
      '1,5',
      '1e1.0',
      '--1.0',
      '1.+5',
      '١.٥',
      '0x1.0',
    ]) {
      expect(units(text), JSON.stringify(text)).toBeNull();
    }
  });
});
