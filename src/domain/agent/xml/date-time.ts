import { calendarDay, daysInMonth, daysSinceEpoch } from '../../shared/calendar.js';

const minuteMs = 60_000;
const hourMs = 3_600_000;
const dayMs = 86_400_000;
/** The fixed part, such as `2026-01-02T03:04:05`. */
const wholePart = /^(\d{4})-(\d{2})-(\d{2})T(\d{2}):(\d{2}):(\d{2})$/;
const wholeLength = 19;
const fractionPart = /^\.\d+$/;
const offsetPart = /^([+-])(\d{2}):(\d{2})$/;
const offsetLength = 6;
/** Maximum length; longer texts are refused unread. */
const greatestLength = 64;

/**
 * Milliseconds of a date and time; null if there is no such day or time. Leap seconds are refused (SAML core, section
 * 1.3.3).
 */
const instantOf = (parts: readonly number[]): number | null => {
  const [year = 0, month = 0, day = 0, hour = 0, minute = 0, second = 0] = parts;
  if (year < 1 || month < 1 || month > 12 || day < 1 || day > daysInMonth(year, month)) return null;
  // The end of a day may be hour 24 (XML Schema part 2, section 3.2.7).
  const isEndOfDay = hour === 24 && minute === 0 && second === 0;
  if ((hour > 23 && !isEndOfDay) || minute > 59 || second > 59) return null;
  return daysSinceEpoch(year, month, day) * dayMs + hour * hourMs + minute * minuteMs + second * 1000;
};

/** Milliseconds of an offset such as `+02:00`; null if malformed or beyond 14 hours. */
const offsetOf = (text: string): number | null => {
  const found = offsetPart.exec(text);
  if (found === null) return null;
  const minutes = Number(found[3]);
  const ms = Number(found[2]) * hourMs + minutes * minuteMs;
  if (minutes > 59 || ms > 14 * hourMs) return null;
  return found[1] === '-' ? -ms : ms;
};

/** Milliseconds of a fraction such as `.25`, truncated to three digits; 0 if empty; null if malformed. */
const fractionOf = (text: string): number | null => {
  if (text === '') return 0;
  return fractionPart.test(text) ? Number(text.slice(1, 4).padEnd(3, '0')) : null;
};

/**
 * Parses an xs:dateTime (XML Schema part 2, section 3.2.7) to milliseconds since the Unix epoch. Years have four
 * digits. Null: malformed, no such day or time, surrounding white space, or no time zone, which would be ambiguous.
 */
export const parseDateTime = (text: string): number | null => {
  if (text.length > greatestLength) return null;
  const whole = wholePart.exec(text.slice(0, wholeLength));
  const isUtc = text.endsWith('Z');
  const end = isUtc ? text.length - 1 : text.length - offsetLength;
  if (whole === null || end < wholeLength) return null;
  const instant = instantOf(whole.slice(1).map(Number));
  const fraction = fractionOf(text.slice(wholeLength, end));
  const offset = isUtc ? 0 : offsetOf(text.slice(end));
  // Hour 24 is the end of the day, so it has no fraction.
  if (instant === null || fraction === null || offset === null) return null;
  if (fraction > 0 && whole[4] === '24') return null;
  return instant + fraction - offset;
};

const digits = (value: number, count: number): string => String(value).padStart(count, '0');

/** Formats a moment as xs:dateTime in UTC, with milliseconds if not zero. For years 1 to 9999. */
export const formatDateTime = (ms: number): string => {
  const days = Math.floor(ms / dayMs);
  const { year, month, day } = calendarDay(days);
  const rest = ms - days * dayMs;
  const time = [Math.floor(rest / hourMs), Math.floor(rest / minuteMs) % 60, Math.floor(rest / 1000) % 60];
  const fraction = Math.floor(rest) % 1000;
  const clock = time.map((part) => digits(part, 2)).join(':');
  const date = `${digits(year, 4)}-${digits(month, 2)}-${digits(day, 2)}`;
  return `${date}T${clock}${fraction === 0 ? '' : `.${digits(fraction, 3)}`}Z`;
};
