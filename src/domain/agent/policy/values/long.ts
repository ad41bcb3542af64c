import type { Long } from './value.js';

const minLong = -(2n ** 63n);
const maxLong = 2n ** 63n - 1n;

/** A number with more digits, leading zeros aside, exceeds 64 bits. */
const maxDigits = 19;

const shorten = (n: bigint): Long => {
  const number = Number(n);
  return Number.isSafeInteger(number) ? number : n;
};

/** Null if the value exceeds 64 bits. */
export const longFromBigint = (n: bigint): Long | null => (n < minLong || n > maxLong ? null : shorten(n));

/** Null if the sum exceeds 64 bits. */
export const addLongs = (a: Long, b: Long): Long | null => {
  if (typeof a === 'number' && typeof b === 'number') {
    const sum = a + b;
    // Rounding never turns an unsafe sum into a safe integer.
    if (Number.isSafeInteger(sum)) return sum;
  }
  return longFromBigint(BigInt(a) + BigInt(b));
};

/** Null if the difference exceeds 64 bits. */
export const subtractLongs = (a: Long, b: Long): Long | null => {
  if (typeof a === 'number' && typeof b === 'number') {
    const difference = a - b;
    if (Number.isSafeInteger(difference)) return difference;
  }
  return longFromBigint(BigInt(a) - BigInt(b));
};

/** Null if the product exceeds 64 bits. */
export const multiplyLongs = (a: Long, b: Long): Long | null => {
  if (typeof a === 'number' && typeof b === 'number') {
    // Adding zero turns -0 into 0.
    const product = a * b + 0;
    if (Number.isSafeInteger(product)) return product;
  }
  return longFromBigint(BigInt(a) * BigInt(b));
};

/** Null for the smallest long, whose negation exceeds 64 bits. */
export const negateLong = (a: Long): Long | null => subtractLongs(0, a);

/** Negative if a < b, positive if a > b, otherwise 0. */
export const compareLongs = (a: Long, b: Long): number => {
  if (a < b) return -1;
  return a > b ? 1 : 0;
};

/** Division truncated towards zero: 7 / 2 is 3, -7 / 2 is -3. The divisor is a positive integer. */
export const divideLong = (a: Long, divisor: number): Long =>
  typeof a === 'number' ? (a - (a % divisor)) / divisor : shorten(a / BigInt(divisor));

/** The remainder of floor division: 0 <= remainder < divisor, for a negative long too. */
export const floorRemainder = (a: Long, divisor: number): number => {
  const remainder = typeof a === 'number' ? a % divisor : Number(a % BigInt(divisor));
  return remainder < 0 ? remainder + divisor : remainder + 0;
};

/** Parses decimal digits with an optional minus sign. Null for anything else or beyond 64 bits. */
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
