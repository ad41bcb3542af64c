import fc from 'fast-check';
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
import type { Long } from '../../../../../../src/domain/agent/policy/values/value.js';

const least = -(2n ** 63n);
const greatest = 2n ** 63n - 1n;
const border = fc
  .tuple(fc.constantFrom(least, greatest, 2n ** 53n, -(2n ** 53n), 2n ** 31n, 0n), fc.bigInt({ min: -3n, max: 3n }))
  .map(([near, by]) => near + by);
const integer = fc
  .oneof(fc.bigInt({ min: least, max: greatest }), fc.bigInt({ min: -(2n ** 33n), max: 2n ** 33n }), border)
  .filter((n) => n >= least && n <= greatest);

const long = (n: bigint): Long => longFromBigint(n) ?? expect.fail(`${n} is beyond 64 bits`);
/** By the definition: bigints, then the bounds, then a number where it is exact. */
const expected = (n: bigint): Long | null => {
  if (n < least || n > greatest) return null;
  return n >= -(2n ** 53n - 1n) && n <= 2n ** 53n - 1n ? Number(n) : n;
};

describe('longs', () => {
  it('calculate as big integers do up to the limits of 64 bits', () => {
    fc.assert(
      fc.property(integer, integer, (a, b) => {
        expect(addLongs(long(a), long(b))).toBe(expected(a + b));
        expect(subtractLongs(long(a), long(b))).toBe(expected(a - b));
        expect(multiplyLongs(long(a), long(b))).toBe(expected(a * b));
        expect(negateLong(long(a))).toBe(expected(-a));
        expect(Math.sign(compareLongs(long(a), long(b)))).toBe(Number(a > b) - Number(a < b));
        expect(longFromDecimalText(String(a))).toBe(long(a));
      }),
      { numRuns: 1000 },
    );
  });

  it('divide as big integers do', () => {
    fc.assert(
      fc.property(integer, fc.integer({ min: 1, max: 86_400_000 }), (a, divisor) => {
        const by = BigInt(divisor);
        expect(divideLong(long(a), divisor)).toBe(expected(a / by));
        expect(floorRemainder(long(a), divisor)).toBe(Number(((a % by) + by) % by));
      }),
      { numRuns: 1000 },
    );
  });
});
