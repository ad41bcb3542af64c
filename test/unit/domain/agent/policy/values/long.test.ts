import { describe, expect, it } from 'vitest';
import {
  addLongs,
  compareLongs,
  divideLong,
  floorRemainder,
  longFromBigint,
  longFromDecimalText,
  multiplyLongs,
  negateLong,
  subtractLongs,
} from '../../../../../../src/domain/agent/policy/values/long.js';

const least = -(2n ** 63n);
const greatest = 2n ** 63n - 1n;
const safe = Number.MAX_SAFE_INTEGER;

describe('longs', () => {
  it('are numbers in the safe range, and bigints beyond', () => {
    expect(longFromBigint(BigInt(safe))).toBe(safe);
    expect(longFromBigint(BigInt(safe) + 1n)).toBe(2n ** 53n);
    expect(longFromBigint(-BigInt(safe) - 1n)).toBe(-(2n ** 53n));
    expect(longFromBigint(greatest)).toBe(greatest);
    expect(longFromBigint(greatest + 1n)).toBeNull();
    expect(longFromBigint(least)).toBe(least);
    expect(longFromBigint(least - 1n)).toBeNull();
  });

  it('stay exact beyond the safe range, and return to numbers', () => {
    expect(addLongs(safe, 1)).toBe(2n ** 53n);
    expect(addLongs(safe, safe)).toBe(2n ** 54n - 2n);
    expect(subtractLongs(2n ** 53n, 1)).toBe(safe);
    expect(multiplyLongs(3_000_000_001, 3_000_000_001)).toBe(9_000_000_006_000_000_001n);
  });

  it('have 64-bit limits', () => {
    expect(addLongs(greatest, 1)).toBeNull();
    expect(addLongs(greatest, least)).toBe(-1);
    expect(subtractLongs(least, 1)).toBeNull();
    expect(multiplyLongs(2n ** 62n, 2)).toBeNull();
    expect(multiplyLongs(-(2n ** 62n), 2)).toBe(least);
    expect(negateLong(least)).toBeNull();
    expect(negateLong(greatest)).toBe(-greatest);
  });

  it('have no negative zero', () => {
    expect(multiplyLongs(0, -5)).toBe(0);
    expect(negateLong(0)).toBe(0);
    expect(divideLong(-5, 10)).toBe(0);
    expect(floorRemainder(-10, 5)).toBe(0);
    expect(longFromDecimalText('-0')).toBe(0);
  });

  it('compare across numbers and bigints', () => {
    expect(compareLongs(safe, 2n ** 53n)).toBeLessThan(0);
    expect(compareLongs(2n ** 53n, safe)).toBeGreaterThan(0);
    expect(compareLongs(least, greatest)).toBeLessThan(0);
    expect(compareLongs(7, 7)).toBe(0);
    expect(compareLongs(greatest, greatest)).toBe(0);
  });

  it('divide towards zero with a non-negative remainder', () => {
    expect(divideLong(7999, 1000)).toBe(7);
    expect(divideLong(-7999, 1000)).toBe(-7);
    expect(divideLong(greatest, 1000)).toBe(9_223_372_036_854_775n);
    expect(divideLong(least, 86_400_000)).toBe(-106_751_991_167);
    expect(divideLong(safe, 1000)).toBe(9_007_199_254_740);
    expect(floorRemainder(-1, 1000)).toBe(999);
    expect(floorRemainder(least, 1000)).toBe(192);
    expect(floorRemainder(greatest, 1000)).toBe(807);
  });

  it('parse from digits with any number of leading zeros', () => {
    expect(longFromDecimalText('9223372036854775807')).toBe(greatest);
    expect(longFromDecimalText('-9223372036854775808')).toBe(least);
    expect(longFromDecimalText('9223372036854775808')).toBeNull();
    expect(longFromDecimalText(`${'0'.repeat(100_000)}42`)).toBe(42);
    expect(longFromDecimalText('9'.repeat(1_000_000))).toBeNull();
    for (const text of ['', '-', '+1', '1.0', '1e3', ' 1', '0x1', '--1', '١']) {
      expect(longFromDecimalText(text), text).toBeNull();
    }
  });
});
