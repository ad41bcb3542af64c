import { daysInMonth, daysSinceEpoch } from '../../../shared/calendar.js';
import { parseDecimal } from '../../../shared/decimal.js';
import { addLongs, floorRemainder, subtractLongs } from '../values/long.js';
import type { DatetimeValue, DurationValue } from '../values/value.js';

const minuteMs = 60_000;
const hourMs = 3_600_000;
const dayMs = 86_400_000;

/** Reads exactly `digits` digits at `start`; -1 if there are fewer or the number exceeds `greatest`. */
const numberAt = (text: string, start: number, digits: number, greatest: number): number => {
  const part = text.slice(start, start + digits);
  const value = part.length === digits ? parseDecimal(part, digits) : null;
  return value === null || value > greatest ? -1 : value;
};

/** Milliseconds of "YYYY-MM-DD" at the start of the text, or null. */
const parseDate = (text: string): number | null => {
  const year = numberAt(text, 0, 4, 9999);
  const month = numberAt(text, 5, 2, 12);
  const day = numberAt(text, 8, 2, 31);
  if (text[4] !== '-' || text[7] !== '-' || year < 0 || month < 1 || day < 1) return null;
  return day > daysInMonth(year, month) ? null : daysSinceEpoch(year, month, day) * dayMs;
};

/** Milliseconds of "Thh:mm:ss" after the date, or null. Leap seconds are not allowed. */
const parseTime = (text: string): number | null => {
  const hour = numberAt(text, 11, 2, 23);
  const minute = numberAt(text, 14, 2, 59);
  const second = numberAt(text, 17, 2, 59);
  if (text[10] !== 'T' || text[13] !== ':' || text[16] !== ':' || hour < 0 || minute < 0 || second < 0) return null;
  return hour * hourMs + minute * minuteMs + second * 1000;
};

/** Milliseconds of "Z", "+hhmm" or "-hhmm", or null. */
const parseOffset = (text: string): number | null => {
  if (text === 'Z') return 0;
  const hours = numberAt(text, 1, 2, 23);
  const minutes = numberAt(text, 3, 2, 59);
  if (text.length !== 5 || hours < 0 || minutes < 0) return null;
  const ms = hours * hourMs + minutes * minuteMs;
  if (text[0] === '+') return ms;
  return text[0] === '-' ? -ms : null;
};

/**
 * Parses "YYYY-MM-DD", optionally followed by "Thh:mm:ss", an optional ".SSS", and "Z", "+hhmm" or "-hhmm", such as
 * "2024-10-15T11:35:00.000+0100". Null for anything else and for a day or time that does not exist.
 */
export const parseDatetime = (text: string): DatetimeValue | null => {
  const date = parseDate(text);
  if (date === null) return null;
  if (text.length === 10) return { kind: 'datetime', ms: date };
  const time = parseTime(text);
  const fraction = text[19] === '.' ? numberAt(text, 20, 3, 999) : 0;
  const offset = parseOffset(text.slice(text[19] === '.' ? 23 : 19));
  if (time === null || fraction < 0 || offset === null) return null;
  return { kind: 'datetime', ms: date + time + fraction - offset };
};

/** Adds a duration, which may be negative. Null beyond 64 bits. */
export const offsetDatetime = (start: DatetimeValue, duration: DurationValue): DatetimeValue | null => {
  const ms = addLongs(start.ms, duration.ms);
  return ms === null ? null : { kind: 'datetime', ms };
};

/** The duration from `start` to `end`, negative if `start` is later. Null beyond 64 bits. */
export const durationSince = (end: DatetimeValue, start: DatetimeValue): DurationValue | null => {
  const ms = subtractLongs(end.ms, start.ms);
  return ms === null ? null : { kind: 'duration', ms };
};

/** Midnight (UTC) of the day of `time`. Null beyond 64 bits. */
export const dateOf = (time: DatetimeValue): DatetimeValue | null => {
  const ms = subtractLongs(time.ms, floorRemainder(time.ms, dayMs));
  return ms === null ? null : { kind: 'datetime', ms };
};

/** The duration since midnight (UTC) of the day of `time`; never negative. */
export const timeOf = (time: DatetimeValue): DurationValue => ({
  kind: 'duration',
  ms: floorRemainder(time.ms, dayMs),
});
