import type { Long } from '../values/value.js';

const dayMs = 86_400_000n;
/** Days from 0000-03-01 to 1970-01-01: years are counted from March, so that a leap day is the last of its year. */
const epochDay = 719_468n;
const eraDays = 146_097n;

const floorDivide = (dividend: bigint, divisor: bigint): bigint => {
  const quotient = dividend / divisor;
  return dividend % divisor < 0n ? quotient - 1n : quotient;
};

/** Year, month and day of a day that is counted from 1970-01-01, in the Gregorian calendar. */
const civilDate = (day: bigint): readonly [bigint, bigint, bigint] => {
  const shifted = day + epochDay;
  const era = floorDivide(shifted, eraDays);
  const dayOfEra = shifted - era * eraDays;
  const yearOfEra = (dayOfEra - dayOfEra / 1460n + dayOfEra / 36_524n - dayOfEra / 146_096n) / 365n;
  const dayOfYear = dayOfEra - (365n * yearOfEra + yearOfEra / 4n - yearOfEra / 100n);
  const marchMonth = (5n * dayOfYear + 2n) / 153n;
  const month = marchMonth < 10n ? marchMonth + 3n : marchMonth - 9n;
  return [yearOfEra + era * 400n + (month <= 2n ? 1n : 0n), month, dayOfYear - (153n * marchMonth + 2n) / 5n + 1n];
};

const digits = (value: bigint, count: number): string => String(value).padStart(count, '0');

/** A point in time as Cedar text. What four digits of a year cannot say is written as the distance from 1970. */
export const formatDatetime = (ms: Long): string => {
  const instant = BigInt(ms);
  const day = floorDivide(instant, dayMs);
  const [year, month, dayOfMonth] = civilDate(day);
  if (year < 0n || year > 9999n) return `datetime("1970-01-01").offset(duration("${instant}ms"))`;
  const date = `${digits(year, 4)}-${digits(month, 2)}-${digits(dayOfMonth, 2)}`;
  const rest = instant - day * dayMs;
  if (rest === 0n) return `datetime("${date}")`;
  const time = [rest / 3_600_000n, (rest / 60_000n) % 60n, (rest / 1000n) % 60n].map((part) => digits(part, 2));
  return `datetime("${date}T${time.join(':')}.${digits(rest % 1000n, 3)}Z")`;
};
