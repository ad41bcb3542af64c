import { parseIpAddress } from '../../../http/ip-address.js';
import { parseDecimal } from '../../../shared/decimal.js';
import type { IpValue } from '../values/value.js';

const bitsOf = (version: 4 | 6): 32 | 128 => (version === 4 ? 32 : 128);

const parseAddress = (text: string): { readonly version: 4 | 6; readonly address: bigint } | null => {
  const words = parseIpAddress(text);
  if (words === null) return null;
  if (!text.includes(':')) return { version: 4, address: BigInt(words[0]) };
  // Cedar refuses IPv6 notation with an embedded IPv4 address.
  if (text.includes('.')) return null;
  // One word is an IPv4-mapped address, which Cedar treats as IPv6.
  if (words.length === 1) return { version: 6, address: 0xffff_0000_0000n + BigInt(words[0]) };
  return { version: 6, address: words.reduce((address, word) => (address << 32n) + BigInt(word), 0n) };
};

const parsePrefixLength = (text: string, version: 4 | 6): number | null => {
  const length = parseDecimal(text, 3);
  if (length === null || (text.length > 1 && text.startsWith('0'))) return null;
  return length <= bitsOf(version) ? length : null;
};

/**
 * Parses an address with an optional prefix length, as Cedar does: "10.0.0.1", "10.0.0.0/8", "2001:db8::/32". Host bits
 * may be set. Null for anything else.
 */
export const parseIp = (text: string): IpValue | null => {
  const slash = text.indexOf('/');
  const parsed = parseAddress(slash < 0 ? text : text.slice(0, slash));
  if (parsed === null) return null;
  const prefixLength = slash < 0 ? bitsOf(parsed.version) : parsePrefixLength(text.slice(slash + 1), parsed.version);
  return prefixLength === null ? null : { kind: 'ip', ...parsed, prefixLength };
};

const sharesBits = (a: IpValue, b: bigint, bits: number): boolean =>
  (a.address ^ b) >> BigInt(bitsOf(a.version) - bits) === 0n;

/** Whether every address of `ip` is in `range`. Always false for different IP versions. */
export const isInRange = (ip: IpValue, range: IpValue): boolean =>
  ip.version === range.version &&
  ip.prefixLength >= range.prefixLength &&
  sharesBits(ip, range.address, range.prefixLength);

const loopback4 = 0x7f00_0000n;
const multicast4 = 0xe000_0000n;
const multicast6 = 0xffn << 120n;

/** Whether the whole range is in 127.0.0.0/8 or is ::1. */
export const isLoopbackRange = (ip: IpValue): boolean =>
  ip.version === 4
    ? ip.prefixLength >= 8 && sharesBits(ip, loopback4, 8)
    : ip.prefixLength === 128 && ip.address === 1n;

/** Whether the whole range is in 224.0.0.0/4 or ff00::/8. */
export const isMulticast = (ip: IpValue): boolean =>
  ip.version === 4
    ? ip.prefixLength >= 4 && sharesBits(ip, multicast4, 4)
    : ip.prefixLength >= 8 && sharesBits(ip, multicast6, 8);
