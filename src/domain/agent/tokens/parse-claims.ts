import { parseStrictObject } from '../../shared/strict-json.js';
import { type Claims, SpelledNumber } from './claims.js';

/** Maximum digits of a 64-bit integer. */
const longDigits = 19;
/** Digits that every JavaScript number preserves, except the smallest. */
const keptDigits = 15;
const smallest = 1e-300;
const zero = 0x30;

/**
 * The absolute value of a number: digits without leading or trailing zeros, times a power of ten. Zero has no digits.
 */
interface Magnitude {
  readonly digits: string;
  readonly exponent: number;
}

const magnitudeOf = (text: string): Magnitude => {
  const mark = text.search(/[eE]/);
  const mantissa = text.slice(text.startsWith('-') ? 1 : 0, mark < 0 ? text.length : mark);
  const point = mantissa.indexOf('.');
  const digits = point < 0 ? mantissa : mantissa.slice(0, point) + mantissa.slice(point + 1);
  let first = 0;
  while (digits.charCodeAt(first) === zero) first += 1;
  let end = digits.length;
  while (end > first && digits.charCodeAt(end - 1) === zero) end -= 1;
  const fraction = point < 0 ? 0 : mantissa.length - point - 1;
  const shift = mark < 0 ? 0 : Number(text.slice(mark + 1));
  return { digits: digits.slice(first, end), exponent: shift - fraction + digits.length - end };
};

const isSame = (one: Magnitude, other: Magnitude): boolean =>
  one.digits === other.digits && one.exponent === other.exponent;

/** Null: not an integer, or beyond 64 bits. */
const longOf = ({ digits, exponent }: Magnitude, isNegative: boolean): number | bigint | null => {
  if (exponent < 0 || digits.length + exponent > longDigits) return null;
  const magnitude = BigInt(digits + '0'.repeat(exponent));
  const integer = isNegative ? -magnitude : magnitude;
  if (BigInt.asIntN(64, integer) !== integer) return null;
  // Rounding never turns an unsafe integer into a safe one.
  return Number.isSafeInteger(Number(integer)) ? Number(integer) : integer;
};

/**
 * The exact value of a JSON number as a ClaimValue: `1`, `1.0` and `10e-1` are the same integer. Null: beyond the range
 * of JavaScript numbers. Linear in the length of the text.
 */
export const exactNumber = (text: string): number | bigint | SpelledNumber | null => {
  const rounded = Number(text);
  if (!Number.isFinite(rounded)) return null;
  // Fast path for ordinary numbers.
  const mayBeLong = Number.isInteger(rounded) && !Number.isSafeInteger(rounded);
  if (text.length <= keptDigits && !mayBeLong && Math.abs(rounded) >= smallest) return rounded;
  const exact = magnitudeOf(text);
  if (exact.digits === '') return rounded;
  const long = longOf(exact, text.startsWith('-'));
  if (long !== null) return long;
  const shown = String(rounded);
  return shown === text || isSame(magnitudeOf(shown), exact) ? rounded : new SpelledNumber(text);
};

/** Parses claims as strictly as `parseStrictJsonObject`, with exact numbers. */
export const parseClaims = (text: string): Claims | null =>
  parseStrictObject<bigint | SpelledNumber>(text, exactNumber);
