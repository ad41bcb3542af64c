import { daysInMonth, daysSinceEpoch } from '../../shared/calendar.js';
import { type DerValue, derTags } from './der-values.js';

/** Two digits at an offset; -1 if they are not digits. */
const pairAt = (octets: Uint8Array, index: number): number => {
  const tens = (octets[index] as number) - 0x30;
  const ones = (octets[index + 1] as number) - 0x30;
  return tens >= 0 && tens <= 9 && ones >= 0 && ones <= 9 ? tens * 10 + ones : -1;
};

const zulu = 0x5a;
/** Digits behind the year: month, day, hour, minute, second. */
const pairsAfterYear = 5;

/**
 * A Time in milliseconds since the Unix epoch; null if malformed. Only the forms of RFC 5280, section 4.1.2.5: UTCTime
 * `YYMMDDHHMMSSZ`, whose years below 50 are of this century, and GeneralizedTime `YYYYMMDDHHMMSSZ`.
 */
export const timeOfDer = (octets: Uint8Array, { tag, start, end }: DerValue): number | null => {
  const yearDigits = tag === derTags.utcTime ? 2 : 4;
  const isTime = tag === derTags.utcTime || tag === derTags.generalizedTime;
  if (!isTime || end - start !== yearDigits + 2 * pairsAfterYear + 1 || octets[end - 1] !== zulu) return null;
  const pairs: number[] = [];
  for (let index = start; index < end - 1; index += 2) pairs.push(pairAt(octets, index));
  if (pairs.includes(-1)) return null;
  const [first = 0, second = 0] = pairs;
  const year = yearDigits === 4 ? first * 100 + second : first + (first < 50 ? 2000 : 1900);
  const [month = 0, day = 0, hour = 0, minute = 0, seconds = 0] = pairs.slice(yearDigits / 2);
  if (month < 1 || month > 12 || day < 1 || day > daysInMonth(year, month)) return null;
  if (hour > 23 || minute > 59 || seconds > 59) return null;
  return (((daysSinceEpoch(year, month, day) * 24 + hour) * 60 + minute) * 60 + seconds) * 1000;
};
