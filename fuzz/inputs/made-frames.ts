import type { SeededRandom } from './seeded-random.js';

/** Frame types of HTTP/2 (RFC 9113, section 6); 10 and above mean nothing to it. */
const types = {
  data: 0,
  headers: 1,
  priority: 2,
  reset: 3,
  settings: 4,
  pushPromise: 5,
  ping: 6,
  goaway: 7,
  windowUpdate: 8,
  continuation: 9,
} as const;

const endStream = 1;
const endHeaders = 4;
const padded = 8;

export const clientPreface = Buffer.from('PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n', 'latin1');

const frame = (type: number, flags: number, stream: number, payload: Uint8Array, length = payload.length): Buffer => {
  const head = Buffer.alloc(9);
  head.writeUIntBE(length, 0, 3);
  head.writeUInt8(type, 3);
  head.writeUInt8(flags, 4);
  head.writeUInt32BE(stream, 5);
  return Buffer.concat([head, payload]);
};

const nothing = Buffer.alloc(0);
export const emptySettings = frame(types.settings, 0, 0, nothing);
export const settingsAck = frame(types.settings, 1, 0, nothing);

/** 200, and a body of a few letters. */
export const plainResponse = (stream: number, body: string): Buffer =>
  Buffer.concat([
    frame(types.headers, endHeaders, stream, Buffer.from([0x88])),
    frame(types.data, endStream, stream, Buffer.from(body)),
  ]);

/** RFC 7541, section 6.2: with incremental indexing, or without; a name or value of over 126 octets is not made. */
const literal = (name: string, value: string, isIndexed: boolean): Buffer => {
  const [one, other] = [Buffer.from(name, 'latin1'), Buffer.from(value, 'latin1')];
  return Buffer.concat([Buffer.from([isIndexed ? 0x40 : 0, one.length]), one, Buffer.from([other.length]), other]);
};

/**
 * Header blocks that decoders have stumbled over: an index that is none, a table of another size, a number without
 * end.
 */
const brokenBlocks = [
  [0xff, 0xff, 0xff, 0xff, 0x7f],
  [0xbf],
  [0x3f, 0xe1, 0xff, 0x03],
  [0x80],
  [0x00, 0x7f],
  [0x00, 0x81, 0xff],
];

const names = [
  'x-a',
  'x-b',
  'cookie',
  'te',
  'X-Upper',
  'connection',
  'transfer-encoding',
  'content-length',
  'host',
  ':path',
  ':status',
  'x a',
  '',
  'expect',
  'trailer',
];
const values = ['b', '', '1', 'chunked', 'trailers', 'a\r\nb', 'a\0', ' a', 'keep-alive', '100-continue', '200'];

const field = (random: SeededRandom, oddity: number): Buffer => {
  const isOdd = random.chance(oddity);
  const name = isOdd ? random.pick(names) : `x-${random.below(50)}`;
  const value = isOdd ? random.pick(values) : 'y'.repeat(random.below(random.chance(0.1) ? 120 : 12));
  return literal(name, value, random.chance(0.5));
};

const fields = (random: SeededRandom, oddity: number, most: number): Buffer => {
  const list = Array.from({ length: random.below(most) }, () => field(random, oddity));
  if (random.chance(oddity / 3)) list.push(Buffer.from(random.pick(brokenBlocks)));
  return Buffer.concat(list);
};

const requestFields = (random: SeededRandom, oddity: number): Buffer => {
  const odd = (): boolean => random.chance(oddity / 4);
  // :method, :scheme and :path of the static table (RFC 7541, appendix A).
  const parts: Buffer[] = [Buffer.from([random.chance(0.5) ? 0x82 : 0x83]), Buffer.from([0x86])];
  parts.push(
    odd() ? literal(':path', random.pick(['', 'x', '*', '/\0', 'http://a/']), false) : literal(':path', '/a', false),
  );
  if (!odd()) parts.push(literal(':authority', 'a', false));
  if (odd()) parts.splice(random.below(parts.length), 1);
  return Buffer.concat([...parts, fields(random, oddity, 4)]);
};

/** A header block in frames: most in one, some in several, some without their end. */
const headerFrames = (
  random: SeededRandom,
  oddity: number,
  stream: number,
  block: Buffer,
  isEnd: boolean,
): Buffer[] => {
  const end = isEnd ? endStream : 0;
  const odd = (): boolean => random.chance(oddity);
  if (!odd()) return [frame(types.headers, end + endHeaders, stream, block)];
  const cut = random.below(block.length + 1);
  const list: Buffer[] = [frame(types.headers, end, stream, block.subarray(0, cut))];
  if (odd()) return list;
  for (let count = random.below(random.chance(0.1) ? 14 : 3); count > 0; count -= 1) {
    list.push(frame(types.continuation, 0, odd() ? stream + 2 : stream, fields(random, oddity, 3)));
  }
  if (odd()) list.push(otherFrame(random, stream));
  if (!odd()) list.push(frame(types.continuation, endHeaders, stream, block.subarray(cut)));
  return list;
};

const number32 = (value: number): Buffer => {
  const octets = Buffer.alloc(4);
  octets.writeUInt32BE(value >>> 0);
  return octets;
};

const randomOctets = (random: SeededRandom, most: number): Buffer =>
  Buffer.from(Array.from({ length: random.below(most) }, () => random.below(256)));

const otherFrame = (random: SeededRandom, stream: number): Buffer => {
  switch (random.below(9)) {
    case 0:
      return frame(types.reset, 0, stream, number32(random.below(14)));
    case 1:
      return frame(types.settings, 0, 0, Buffer.concat([Buffer.from([0, random.below(9)]), number32(random.next())]));
    case 2:
      return frame(types.ping, random.below(2), 0, Buffer.alloc(random.chance(0.9) ? 8 : 7));
    case 3:
      return frame(types.goaway, 0, 0, Buffer.concat([number32(random.below(9)), number32(random.below(3))]));
    case 4:
      return frame(
        types.windowUpdate,
        0,
        random.chance(0.5) ? 0 : stream,
        number32(random.chance(0.7) ? 1000 : random.next()),
      );
    case 5:
      return frame(types.priority, 0, stream, Buffer.concat([number32(random.below(9)), Buffer.from([1])]));
    case 6:
      return frame(
        types.pushPromise,
        endHeaders,
        stream,
        Buffer.concat([number32(stream + 1), Buffer.from([0x82, 0x86, 0x84])]),
      );
    case 7:
      return frame(random.below(256), random.below(256), random.below(9), randomOctets(random, 40));
    default:
      return frame(types.data, random.pick([0, endStream, padded]), stream, randomOctets(random, 40));
  }
};

const dataFrames = (random: SeededRandom, stream: number, isEnd: boolean): Buffer[] => {
  const list = Array.from({ length: random.below(3) }, () => frame(types.data, 0, stream, randomOctets(random, 60)));
  if (isEnd) list.push(frame(types.data, endStream, stream, nothing));
  return list;
};

/** Trailers, whole or not, and what must not come behind a message. */
const endFrames = (random: SeededRandom, oddity: number, stream: number): Buffer[] => {
  // What follows never comes: whole fields of a block that is not whole.
  if (random.chance(oddity)) return [frame(types.headers, endStream, stream, fields(random, 0, 6))];
  const block = random.chance(oddity) ? fields(random, oddity, 5) : literal('x-t', 'u', true);
  return headerFrames(random, oddity, stream, block, !random.chance(oddity));
};

const mostOctets = 200_000;

const joined = (random: SeededRandom, oddity: number, list: readonly Buffer[]): Buffer => {
  const all = Buffer.concat(list).subarray(0, mostOctets);
  // A connection that ends in the middle of a frame.
  return random.chance(oddity) ? all.subarray(0, random.below(all.length + 1)) : all;
};

/** What a client sends on a connection of HTTP/2: sound where `oddity` is 0. */
export const madeClientFrames = (random: SeededRandom, oddity: number): Buffer => {
  const odd = (): boolean => random.chance(oddity);
  const list: Buffer[] = [odd() && odd() ? clientPreface.subarray(0, random.below(24)) : clientPreface];
  list.push(odd() ? otherFrame(random, 1) : emptySettings);
  let stream = 1;
  for (let count = 1 + random.below(4); count > 0; count -= 1) {
    const isBodyless = random.chance(0.4);
    list.push(...headerFrames(random, oddity, stream, requestFields(random, oddity), isBodyless));
    if (odd()) list.push(otherFrame(random, stream));
    if (!isBodyless) {
      const hasTrailers = random.chance(0.5);
      list.push(...dataFrames(random, stream, !hasTrailers && !odd()));
      if (hasTrailers) list.push(...endFrames(random, oddity, stream));
    }
    if (odd()) list.push(otherFrame(random, stream));
    stream += odd() ? random.below(4) : 2;
  }
  return joined(random, oddity, list);
};

/** What a server answers to the request of one stream. */
export const madeServerFrames = (random: SeededRandom, oddity: number, stream: number): Buffer => {
  const odd = (): boolean => random.chance(oddity);
  const list: Buffer[] = [];
  if (odd())
    list.push(
      ...headerFrames(
        random,
        oddity,
        stream,
        literal(':status', random.pick(['100', '103', '101', '999', '']), false),
        false,
      ),
    );
  const status = odd()
    ? literal(':status', random.pick(['204', '304', '99', '1000', 'abc', '502']), false)
    : Buffer.from([0x88]);
  const isBodyless = random.chance(0.3);
  list.push(...headerFrames(random, oddity, stream, Buffer.concat([status, fields(random, oddity, 5)]), isBodyless));
  if (odd()) list.push(otherFrame(random, stream));
  if (!isBodyless) {
    const hasTrailers = random.chance(0.5);
    list.push(...dataFrames(random, stream, !hasTrailers && !odd()));
    if (hasTrailers) list.push(...endFrames(random, oddity, stream));
  }
  if (odd()) list.push(otherFrame(random, odd() ? stream + 2 : stream));
  return joined(random, oddity, list);
};
