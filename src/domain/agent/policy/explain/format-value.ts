import { formatEntityUid } from '../values/entity-uid.js';
import type { DecimalValue, IpValue, Value } from '../values/value.js';
import { formatDatetime } from './format-datetime.js';
import { quoteText } from './quote-text.js';

/** Members of one set or record that are shown, at the most. */
const mostMembers = 20;
/** Sets and records inside one another that are shown, at the most. */
const mostDepth = 6;
/** UTF-16 code units of one text that are shown, at the most. */
const longestText = 200;

const isName = (text: string): boolean => /^[A-Za-z_][A-Za-z0-9_]*$/.test(text);

const formatText = (text: string): string =>
  text.length <= longestText ? quoteText(text) : `${quoteText(text.slice(0, longestText))}...`;

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

/** The longest run of zeros, of two groups or more, becomes `::` (RFC 5952, section 4.2). */
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
      const shown = value.elements.slice(0, mostMembers).map((element) => formatInside(element, depth - 1));
      return formatMembers(shown, value.elements.length, '[', ']');
    }
    case 'record': {
      if (depth === 0 && value.attributes.size > 0) return '{...}';
      const shown = [...value.attributes]
        .slice(0, mostMembers)
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

/** A value as Cedar text. What is long or deep is cut, with `...` in the place of the rest. */
export const formatValue = (value: Value): string => formatInside(value, mostDepth);
