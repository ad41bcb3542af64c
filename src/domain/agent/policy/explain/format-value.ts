import { formatEntityUid } from '../values/entity-uid.js';
import type { DecimalValue, IpValue, Long, Value } from '../values/value.js';
import { quoteText } from './quote-text.js';

const dayMs = 86_400_000n;
/** Days from 0000-03-01 to 1970-01-01. Years start in March, so a leap day is the last day of its year. */
const epochDay = 719_468n;
const eraDays = 146_097n;

const floorDivide = (dividend: bigint, divisor: bigint): bigint => {
  const quotient = dividend / divisor;
  return dividend % divisor < 0n ? quotient - 1n : quotient;
};

/** Year, month and day (Gregorian) of a day counted from 1970-01-01. */
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

/** A datetime as Cedar text. A year beyond four digits is written as an offset from 1970. */
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

/** Maximum number of members shown of one set or record. */
const maxMembers = 20;
/** Maximum nesting of sets and records shown. */
const maxDepth = 6;
/** Maximum length of one string shown, in UTF-16 code units. */
const maxTextLength = 200;

const isName = (text: string): boolean => /^[A-Za-z_][A-Za-z0-9_]*$/.test(text);

const formatText = (text: string): string =>
  text.length <= maxTextLength ? quoteText(text) : `${quoteText(text.slice(0, maxTextLength))}...`;

const formatDecimal = ({ units }: DecimalValue): string => {
  const value = BigInt(units);
  const size = value < 0n ? -value : value;
  const fraction = String(size % 10_000n)
    .padStart(4, '0')
    .replace(/0{1,3}$/, '');
  return `decimal("${value < 0n ? '-' : ''}${size / 10_000n}.${fraction}")`;
};

const groupsOf = (address: bigint, count: number, bits: bigint, radix: 10 | 16): string[] =>
  Array.from({ length: count }, (_, index) =>
    ((address >> (bits * BigInt(count - 1 - index))) & ((1n << bits) - 1n)).toString(radix),
  );

/** Replaces the longest run of two or more zero groups with `::` (RFC 5952, section 4.2). */
const compressed = (groups: readonly string[]): string => {
  let [start, length] = [0, 1];
  for (let from = 0; from < groups.length; from += 1) {
    let to = from;
    while (groups[to] === '0') to += 1;
    if (to - from > length) [start, length] = [from, to - from];
    if (to > from) from = to;
  }
  if (length < 2) return groups.join(':');
  return `${groups.slice(0, start).join(':')}::${groups.slice(start + length).join(':')}`;
};

const formatIp = ({ version, address, prefixLength }: IpValue): string => {
  const text = version === 4 ? groupsOf(address, 4, 8n, 10).join('.') : compressed(groupsOf(address, 8, 16n, 16));
  return `ip("${text}${prefixLength === (version === 4 ? 32 : 128) ? '' : `/${prefixLength}`}")`;
};

const formatMembers = (members: readonly string[], size: number, open: string, close: string): string =>
  `${open}${[...members, ...(size > members.length ? [`... ${size - members.length} more`] : [])].join(', ')}${close}`;

const formatInside = (value: Value, depth: number): string => {
  if (typeof value === 'string') return formatText(value);
  if (typeof value !== 'object') return String(value);
  switch (value.kind) {
    case 'entity':
      return formatEntityUid(value);
    case 'set': {
      if (depth === 0 && value.elements.length > 0) return '[...]';
      const shown = value.elements.slice(0, maxMembers).map((element) => formatInside(element, depth - 1));
      return formatMembers(shown, value.elements.length, '[', ']');
    }
    case 'record': {
      if (depth === 0 && value.attributes.size > 0) return '{...}';
      const shown = [...value.attributes]
        .slice(0, maxMembers)
        .map(([name, one]) => `${isName(name) ? name : quoteText(name)}: ${formatInside(one, depth - 1)}`);
      return formatMembers(shown, value.attributes.size, '{', '}');
    }
    case 'decimal':
      return formatDecimal(value);
    case 'ip':
      return formatIp(value);
    case 'datetime':
      return formatDatetime(value.ms);
    case 'duration':
      return `duration("${value.ms}ms")`;
  }
};

/** A value as Cedar text. Long or deep values are cut and end with `...`. */
export const formatValue = (value: Value): string => formatInside(value, maxDepth);
