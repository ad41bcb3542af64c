import { longFromBigint, longFromDecimalText } from '../values/long.js';
import type { DecimalValue } from '../values/value.js';

const maxFractionDigits = 4;

/**
 * Parses an optional minus sign, digits, a point and one to four digits, such as "-12.5". Null for anything else and
 * beyond 64 bits of ten-thousandths.
 */
export const parseCedarDecimal = (text: string): DecimalValue | null => {
  const point = text.indexOf('.');
  if (point < 0) return null;
  const fractionText = text.slice(point + 1);
  if (fractionText.length > maxFractionDigits || fractionText.startsWith('-')) return null;
  const whole = longFromDecimalText(text.slice(0, point));
  const fraction = longFromDecimalText(fractionText);
  if (whole === null || fraction === null) return null;
  const parts = BigInt(fraction) * 10n ** BigInt(maxFractionDigits - fractionText.length);
  const units = longFromBigint(BigInt(whole) * 10_000n + (text.startsWith('-') ? -parts : parts));
  return units === null ? null : { kind: 'decimal', units };
};
