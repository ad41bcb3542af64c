const isLeapYear = (year: number): boolean => (year % 4 === 0 && year % 100 !== 0) || year % 400 === 0;

/** Days of a month (1 to 12) in the Gregorian calendar. */
export const daysInMonth = (year: number, month: number): number => {
  if (month === 2) return isLeapYear(year) ? 29 : 28;
  return month === 4 || month === 6 || month === 9 || month === 11 ? 30 : 31;
};

/**
 * Days since 1970-01-01 in the proleptic Gregorian calendar. The calculation starts years in March, so that a leap day
 * is the last day.
 */
export const daysSinceEpoch = (year: number, month: number, day: number): number => {
  const fromMarch = month > 2 ? month - 3 : month + 9;
  const y = month > 2 ? year : year - 1;
  const leapDays = Math.floor(y / 4) - Math.floor(y / 100) + Math.floor(y / 400);
  return y * 365 + leapDays + Math.floor((fromMarch * 153 + 2) / 5) + day - 719_469;
};

/** A day of the Gregorian calendar; months and days count from 1. */
export interface CalendarDay {
  readonly year: number;
  readonly month: number;
  readonly day: number;
}

/** The day that is `days` after 1970-01-01: the inverse of `daysSinceEpoch`. */
export const calendarDay = (days: number): CalendarDay => {
  // A year has 365.2425 days on average, so the estimate differs by at most one year.
  let year = 1970 + Math.floor(days / 365.2425);
  if (daysSinceEpoch(year, 1, 1) > days) year -= 1;
  else if (daysSinceEpoch(year + 1, 1, 1) <= days) year += 1;
  let month = 12;
  while (daysSinceEpoch(year, month, 1) > days) month -= 1;
  return { year, month, day: days - daysSinceEpoch(year, month, 1) + 1 };
};
