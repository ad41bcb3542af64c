/**
 * The rate-limit group of a client address: an IPv4 address, or the /64 of an IPv6 address, which one site
 * owns (RFC 6177, section 2). Any other text is its own group.
 */
export const addressGroup = (ip: string): string => {
  // Fast path: most addresses are IPv4.
  if (!ip.includes(':')) return ip;
  const words = parseIpAddress(ip);
  if (words === null) return ip;
  return words.length === 1 ? formatIpAddress(words) : `${formatIpAddress([words[0], words[1], 0, 0])}/64`;
};

const mapped = '::ffff:';

/**
 * Converts an IPv4-mapped IPv6 address (RFC 4291, section 2.5.5.2), as the system formats it, to IPv4.
 * Cheaper than parsing; leaves other spellings unchanged.
 */
export const unmappedAddress = (text: string): string =>
  text.startsWith(mapped) && text.includes('.') ? text.slice(mapped.length) : text;

/**
 * An IP address as big-endian 32-bit words: one for IPv4, four for IPv6. An IPv4-mapped IPv6 address (RFC
 * 4291, section 2.5.5.2) becomes IPv4.
 */
export type IpAddress = readonly [number] | readonly [number, number, number, number];

const isDigit = (code: number): boolean => code >= 0x30 && code <= 0x39;

/** Four decimal numbers without leading zeros, as one word, or null. */
const parseIpv4 = (text: string): number | null => {
  if (text.length < 7 || text.length > 15) return null;
  let word = 0;
  let octets = 0;
  let index = 0;
  while (octets < 4) {
    const start = index;
    let octet = 0;
    while (index < text.length && isDigit(text.charCodeAt(index))) {
      octet = octet * 10 + text.charCodeAt(index) - 0x30;
      index += 1;
    }
    const digits = index - start;
    // A leading zero means octal to some readers.
    if (digits === 0 || digits > 3 || octet > 255 || (digits > 1 && text[start] === '0')) return null;
    word = word * 256 + octet;
    octets += 1;
    if (octets < 4) {
      if (text[index] !== '.') return null;
      index += 1;
    }
  }
  return index === text.length ? word : null;
};

const hexGroup = (text: string): number => {
  if (text.length === 0 || text.length > 4) return -1;
  let value = 0;
  for (let index = 0; index < text.length; index += 1) {
    const digit = '0123456789abcdef'.indexOf((text[index] as string).toLowerCase());
    if (digit < 0) return -1;
    value = value * 16 + digit;
  }
  return value;
};

/** The 16-bit groups of one side of `::`, or null. A dotted quad may end the right side. */
const parseGroups = (text: string, mayEndInIpv4: boolean): number[] | null => {
  if (text === '') return [];
  const parts = text.split(':');
  const groups: number[] = [];
  for (let index = 0; index < parts.length; index += 1) {
    const part = parts[index] as string;
    if (mayEndInIpv4 && index === parts.length - 1 && part.includes('.')) {
      const word = parseIpv4(part);
      if (word === null) return null;
      groups.push(Math.floor(word / 65_536), word % 65_536);
      continue;
    }
    const group = hexGroup(part);
    if (group < 0) return null;
    groups.push(group);
  }
  return groups;
};

const parseIpv6 = (text: string): readonly number[] | null => {
  if (text.length > 45) return null;
  const gap = text.indexOf('::');
  if (gap < 0) {
    const groups = parseGroups(text, true);
    return groups !== null && groups.length === 8 ? groups : null;
  }
  const left = parseGroups(text.slice(0, gap), false);
  const right = parseGroups(text.slice(gap + 2), true);
  if (left === null || right === null || left.length + right.length > 7) return null;
  return [...left, ...new Array<number>(8 - left.length - right.length).fill(0), ...right];
};

/** Reads an address in text (RFC 4291, section 2.2; RFC 3986, section 3.2.2); no brackets, port, zone or prefix. */
export const parseIpAddress = (text: string): IpAddress | null => {
  if (!text.includes(':')) {
    const word = parseIpv4(text);
    return word === null ? null : [word];
  }
  const groups = parseIpv6(text);
  if (groups === null) return null;
  const word = (index: number): number => (groups[index] as number) * 65_536 + (groups[index + 1] as number);
  if (word(0) === 0 && word(2) === 0 && word(4) === 0xffff) return [word(6)];
  return [word(0), word(2), word(4), word(6)];
};

const ipv4Text = (word: number): string =>
  `${Math.floor(word / 16_777_216)}.${Math.floor(word / 65_536) % 256}.${Math.floor(word / 256) % 256}.${word % 256}`;

/** The longest run of two or more zero groups (RFC 5952, section 4.2), or null. */
const longestZeroRun = (groups: readonly number[]): { start: number; length: number } | null => {
  let best = { start: 0, length: 1 };
  for (let start = 0; start < 8; start += 1) {
    let length = 0;
    while (start + length < 8 && groups[start + length] === 0) length += 1;
    if (length > best.length) best = { start, length };
  }
  return best.length > 1 ? best : null;
};

/** The canonical text of an address (RFC 5952). */
export const formatIpAddress = (address: IpAddress): string => {
  if (address.length === 1) return ipv4Text(address[0]);
  const groups = address.flatMap((word) => [Math.floor(word / 65_536), word % 65_536]);
  const hex = (part: readonly number[]): string => part.map((group) => group.toString(16)).join(':');
  const gap = longestZeroRun(groups);
  if (gap === null) return hex(groups);
  return `${hex(groups.slice(0, gap.start))}::${hex(groups.slice(gap.start + gap.length))}`;
};
