import { parseStrictObject } from '../../shared/strict-json.js';
import { type Claims, SpelledNumber } from './claims.js';

/** Digits of a 64-bit integer, at most. */
const longDigits = 19;
/** Digits that any JavaScript number but the very smallest keeps. */
const keptDigits = 15;
const smallest = 1e-300;
const zero = 0x30;

/**
 * The value of a number but its sign: digits without a zero at either end, times a power of ten. Zero has no digits.
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

/** Null: no integer, or beyond 64 bits. */
const longOf = ({ digits, exponent }: Magnitude, isNegative: boolean): number | bigint | null => {
  if (exponent < 0 || digits.length + exponent > longDigits) return null;
  const magnitude = BigInt(digits + '0'.repeat(exponent));
  const integer = isNegative ? -magnitude : magnitude;
  if (BigInt.asIntN(64, integer) !== integer) return null;
  // Rounding never brings an unsafe integer among the safe ones.
  return Number.isSafeInteger(Number(integer)) ? Number(integer) : integer;
};

/**
 * The value of a number of JSON, exactly, as ClaimValue keeps it: `1`, `1.0` and `10e-1` are one integer. Null:
 * beyond the range of JavaScript numbers. Takes time in proportion to the text.
 */
export const exactNumber = (text: string): number | bigint | SpelledNumber | null => {
  const rounded = Number(text);
  if (!Number.isFinite(rounded)) return null;
  // The usual ones in short: the rest of this costs several times as much.
  const mayBeLong = Number.isInteger(rounded) && !Number.isSafeInteger(rounded);
  if (text.length <= keptDigits && !mayBeLong && Math.abs(rounded) >= smallest) return rounded;
  const exact = magnitudeOf(text);
  if (exact.digits === '') return rounded;
  const long = longOf(exact, text.startsWith('-'));
  if (long !== null) return long;
  const shown = String(rounded);
  return shown === text || isSame(magnitudeOf(shown), exact) ? rounded : new SpelledNumber(text);
};

/** Reads claims, as strictly as `parseStrictJsonObject` reads JSON, and every number exactly. */
export const parseClaims = (text: string): Claims | null =>
  parseStrictObject<bigint | SpelledNumber>(text, exactNumber);
