import type { Long } from './value.js';

const least = -(2n ** 63n);
const greatest = 2n ** 63n - 1n;

/** More digits are beyond 64 bits, where the first is no zero. */
const maxDigits = 19;

const shorten = (n: bigint): Long => {
  const number = Number(n);
  return Number.isSafeInteger(number) ? number : n;
};

/** Null: beyond 64 bits. */
export const longFromBigint = (n: bigint): Long | null => (n < least || n > greatest ? null : shorten(n));

/** Null: the sum is beyond 64 bits. */
export const addLongs = (a: Long, b: Long): Long | null => {
  if (typeof a === 'number' && typeof b === 'number') {
    const sum = a + b;
    // Rounding never brings an unsafe sum back among the safe integers.
    if (Number.isSafeInteger(sum)) return sum;
  }
  return longFromBigint(BigInt(a) + BigInt(b));
};

/** Null: the difference is beyond 64 bits. */
export const subtractLongs = (a: Long, b: Long): Long | null => {
  if (typeof a === 'number' && typeof b === 'number') {
    const difference = a - b;
    if (Number.isSafeInteger(difference)) return difference;
  }
  return longFromBigint(BigInt(a) - BigInt(b));
};

/** Null: the product is beyond 64 bits. */
export const multiplyLongs = (a: Long, b: Long): Long | null => {
  if (typeof a === 'number' && typeof b === 'number') {
    // Zero is added so that -0 becomes 0.
    const product = a * b + 0;
    if (Number.isSafeInteger(product)) return product;
  }
  return longFromBigint(BigInt(a) * BigInt(b));
};

/** Null: the least long has no opposite. */
export const negateLong = (a: Long): Long | null => subtractLongs(0, a);

/** Below zero where a is less than b, above where it is more. */
export const compareLongs = (a: Long, b: Long): number => {
  if (a < b) return -1;
  return a > b ? 1 : 0;
};

/** The quotient without its fraction: 7 / 2 is 3, -7 / 2 is -3. The divisor is a positive integer. */
export const divideLong = (a: Long, divisor: number): Long =>
  typeof a === 'number' ? (a - (a % divisor)) / divisor : shorten(a / BigInt(divisor));

/** What is left where the quotient is rounded down: from 0 to below the divisor, for a negative long too. */
export const floorRemainder = (a: Long, divisor: number): number => {
  const remainder = typeof a === 'number' ? a % divisor : Number(a % BigInt(divisor));
  return remainder < 0 ? remainder + divisor : remainder + 0;
};

/** Reads decimal digits, with a minus before them or without. Null: anything else, or beyond 64 bits. */
export const longFromDecimalText = (text: string): Long | null => {
  const first = text.startsWith('-') ? 1 : 0;
  if (text.length === first) return null;
  let significant = text.length;
  for (let index = first; index < text.length; index += 1) {
    const code = text.charCodeAt(index);
    if (code < 0x30 || code > 0x39) return null;
    if (code !== 0x30 && significant === text.length) significant = index;
  }
  const digits = text.slice(significant);
  if (digits.length > maxDigits) return null;
  if (digits === '') return 0;
  return longFromBigint(BigInt(first === 1 ? `-${digits}` : digits));
};
