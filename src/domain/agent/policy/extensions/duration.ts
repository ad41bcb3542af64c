import { longFromBigint, longFromDecimalText } from '../values/long.js';
import type { DurationValue } from '../values/value.js';

/** In the order that a text must use. */
const units = ['d', 'h', 'm', 's', 'ms'] as const;

type DurationUnit = (typeof units)[number];

/** Milliseconds per unit. */
export const durationUnitMs: Readonly<Record<DurationUnit, number>> = {
  d: 86_400_000,
  h: 3_600_000,
  m: 60_000,
  s: 1000,
  ms: 1,
};

const digitsEnd = (text: string, start: number): number => {
  let end = start;
  while (end < text.length && text.charCodeAt(end) >= 0x30 && text.charCodeAt(end) <= 0x39) end += 1;
  return end;
};

const unitAt = (text: string, start: number): DurationUnit | undefined =>
  text.startsWith('ms', start) ? 'ms' : units.find((unit) => text[start] === unit);

/**
 * Parses an optional minus sign and one or more numbers with units, in the order d h m s ms, each at most once, such as
 * "-1d12h". Null for anything else and beyond 64 bits of milliseconds.
 */
export const parseCedarDuration = (text: string): DurationValue | null => {
  const negative = text.startsWith('-');
  let position = negative ? 1 : 0;
  if (position === text.length) return null;
  let total = 0n;
  let last = -1;
  while (position < text.length) {
    const end = digitsEnd(text, position);
    const unit = unitAt(text, end);
    if (unit === undefined) return null;
    const order = units.indexOf(unit);
    if (order <= last) return null;
    last = order;
    // Each number carries the sign, because the smallest long has no positive counterpart.
    const count = longFromDecimalText(`${negative ? '-' : ''}${text.slice(position, end)}`);
    if (count === null) return null;
    total += BigInt(count) * BigInt(durationUnitMs[unit]);
    position = end + unit.length;
  }
  const ms = longFromBigint(total);
  return ms === null ? null : { kind: 'duration', ms };
};
