import { parseDecimal } from '../shared/decimal.js';
import { err, ok, type Result } from '../shared/result.js';
import { type IpAddress, parseIpAddress } from './ip-address.js';

/** A block of addresses, both ends included. */
interface Range {
  readonly first: IpAddress;
  readonly last: IpAddress;
}

/** Blocks of addresses, sorted and without overlap, so that a look-up is a binary search. */
export interface CidrSet {
  readonly ipv4: readonly Range[];
  readonly ipv6: readonly Range[];
}

export const noCidrs: CidrSet = { ipv4: [], ipv6: [] };

const compare = (left: IpAddress, right: IpAddress): number => {
  for (let index = 0; index < left.length; index += 1) {
    const difference = (left[index] as number) - (right[index] as number);
    if (difference !== 0) return difference;
  }
  return 0;
};

/** The word with every bit after the first `bits` cleared or set. */
const bound = (word: number, bits: number, upper: boolean): number => {
  const size = 2 ** (32 - Math.min(32, Math.max(0, bits)));
  const first = word - (word % size);
  return upper ? first + size - 1 : first;
};

const edge = (address: IpAddress, bits: number, upper: boolean): IpAddress => {
  if (address.length === 1) return [bound(address[0], bits, upper)];
  const [a, b, c, d] = address;
  return [bound(a, bits, upper), bound(b, bits - 32, upper), bound(c, bits - 64, upper), bound(d, bits - 96, upper)];
};

const parseRange = (text: string): Range | null => {
  const slash = text.indexOf('/');
  const addressText = slash < 0 ? text : text.slice(0, slash);
  const address = parseIpAddress(addressText);
  if (address === null) return null;
  if (slash < 0) return { first: address, last: address };
  const isMapped = address.length === 1 && addressText.includes(':');
  const written = parseDecimal(text.slice(slash + 1), 3);
  if (written === null || written > (addressText.includes(':') ? 128 : 32)) return null;
  const bits = isMapped ? written - 96 : written;
  // A shorter prefix would cover both IPv4 and IPv6 addresses; that is a mistake.
  if (bits < 0) return null;
  return { first: edge(address, bits, false), last: edge(address, bits, true) };
};

const merged = (ranges: readonly Range[]): readonly Range[] => {
  const result: Range[] = [];
  for (const range of ranges.toSorted((left, right) => compare(left.first, right.first))) {
    const previous = result.at(-1);
    if (previous === undefined || compare(previous.last, range.first) < 0) result.push(range);
    else if (compare(previous.last, range.last) < 0) {
      result[result.length - 1] = { first: previous.first, last: range.last };
    }
  }
  return result;
};

/**
 * Compiles IPv4 and IPv6 addresses and CIDR blocks (RFC 4632, RFC 4291). Ignores bits after the prefix, as
 * nginx does. An IPv6 block contains no IPv4 address, not even `::/0`. The error names the first invalid
 * entry.
 */
export const compileCidrs = (blocks: readonly string[]): Result<CidrSet, string> => {
  const ipv4: Range[] = [];
  const ipv6: Range[] = [];
  for (const block of blocks) {
    const range = parseRange(block);
    if (range === null) return err(`"${block}" is neither an IP address nor a CIDR block`);
    (range.first.length === 1 ? ipv4 : ipv6).push(range);
  }
  return ok({ ipv4: merged(ipv4), ipv6: merged(ipv6) });
};

/** The union of some sets. */
export const joinCidrs = (sets: readonly CidrSet[]): CidrSet => ({
  ipv4: merged(sets.flatMap(({ ipv4 }) => ipv4)),
  ipv6: merged(sets.flatMap(({ ipv6 }) => ipv6)),
});

export const includesAddress = (set: CidrSet, address: IpAddress): boolean => {
  const ranges = address.length === 1 ? set.ipv4 : set.ipv6;
  let low = 0;
  let high = ranges.length - 1;
  while (low <= high) {
    const middle = (low + high) >>> 1;
    const { first, last } = ranges[middle] as Range;
    if (compare(address, first) < 0) high = middle - 1;
    else if (compare(address, last) > 0) low = middle + 1;
    else return true;
  }
  return false;
};
