import { type IpAddress, parseIpAddress } from '../../../http/ip-address.js';

/** A block of addresses as a fraction of its family. `start` and `size` are between 0 and 1. */
interface Block {
  readonly index: number;
  readonly family: 4 | 6;
  readonly start: number;
  readonly size: number;
}

const wordSize = 4_294_967_296;

const startOf = (address: IpAddress): number =>
  address.length === 1 ? address[0] / wordSize : address[0] / wordSize + address[1] / (wordSize * wordSize);

const blockOf = (cidr: string, index: number): Block | null => {
  const [text = '', bits] = cidr.split('/');
  const address = parseIpAddress(text);
  if (address === null) return null;
  const family = address.length === 1 ? 4 : 6;
  // The prefix of an IPv4-mapped block counts from the start of the mapped range.
  const most = family === 6 ? 128 : 32;
  const written = bits === undefined ? most : Number(bits);
  const prefix = family === 4 && text.includes(':') && bits !== undefined ? Math.max(0, written - 96) : written;
  const size = 2 ** -prefix;
  return { index, family, start: Math.floor(startOf(address) / size) * size, size };
};

/** Loopback and private networks (RFC 1918, 3927, 4193, 6598). */
const privateBlocks: readonly Block[] = [
  '10.0.0.0/8',
  '172.16.0.0/12',
  '192.168.0.0/16',
  '100.64.0.0/10',
  '127.0.0.0/8',
  '169.254.0.0/16',
  'fc00::/7',
  'fe80::/10',
  '::1/128',
].flatMap((cidr) => blockOf(cidr, -1) ?? []);

const isWithin = (inner: Block, outer: Block): boolean =>
  inner.family === outer.family &&
  inner.size <= outer.size &&
  inner.start >= outer.start &&
  inner.start < outer.start + outer.size;

/** The fraction of a family that counts as too wide: a /7 of IPv4, a /15 of IPv6. */
const tooMuch = { 4: 2 ** -7, 6: 2 ** -15 } as const;

/** Indexes of blocks that cover too many public addresses, alone or together. */
export const wideBlocks = (cidrs: readonly string[]): readonly number[] => {
  const blocks = cidrs
    .flatMap((cidr, index) => blockOf(cidr, index) ?? [])
    .filter((block) => !privateBlocks.some((own) => isWithin(block, own)));
  return ([4, 6] as const).flatMap((family) => {
    const own = blocks.filter((block) => block.family === family);
    const alone = own.filter(({ size }) => size >= tooMuch[family]);
    if (alone.length > 0) return alone.map(({ index }) => index);
    const apart = own.filter(
      (block, at) =>
        !own.some((other, place) => place !== at && isWithin(block, other) && (other.size > block.size || place < at)),
    );
    const sum = apart.reduce((total, { size }) => total + size, 0);
    const [first] = apart;
    return first !== undefined && sum >= tooMuch[family] ? [first.index] : [];
  });
};
