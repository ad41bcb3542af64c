/** Frame types of HTTP/2 (RFC 9113, section 6). */
export const frameTypes = {
  data: 0,
  headers: 1,
  priority: 2,
  rstStream: 3,
  settings: 4,
  ping: 6,
  goaway: 7,
  windowUpdate: 8,
  continuation: 9,
} as const;

export const endStream = 1;
export const endHeaders = 4;

/** What a client's connection begins with: the preface and empty SETTINGS. */
export const connectionPreface = Buffer.from('PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n', 'latin1');

/** One frame, whatever its payload holds. */
export const frame = (type: number, flags: number, stream: number, payload: Uint8Array = Buffer.alloc(0)): Buffer => {
  const head = Buffer.alloc(9);
  head.writeUIntBE(payload.length, 0, 3);
  head.writeUInt8(type, 3);
  head.writeUInt8(flags, 4);
  head.writeUInt32BE(stream, 5);
  return Buffer.concat([head, payload]);
};

export type RawField = readonly [name: string, value: string];

/** RFC 7541, section 5.2: a string literal, not Huffman-coded. */
const literal = (text: string): Buffer => {
  const octets = Buffer.from(text, 'latin1');
  const length: number[] = [];
  if (octets.length < 127) length.push(octets.length);
  else {
    length.push(127);
    let rest = octets.length - 127;
    for (; rest >= 128; rest = Math.floor(rest / 128)) length.push((rest % 128) + 128);
    length.push(rest);
  }
  return Buffer.concat([Buffer.from(length), octets]);
};

/** Fields as literals without indexing (RFC 7541, section 6.2.2), whatever they hold. */
export const fieldBlock = (fields: readonly RawField[]): Buffer =>
  Buffer.concat(fields.map(([name, value]) => Buffer.concat([Buffer.from([0]), literal(name), literal(value)])));

export const getFields: readonly RawField[] = [
  [':method', 'GET'],
  [':scheme', 'http'],
  [':path', '/'],
  [':authority', 'a.example'],
];

/** A request without a body, in one frame. */
export const getRequest = (stream: number, fields: readonly RawField[] = []): Buffer =>
  frame(frameTypes.headers, endHeaders + endStream, stream, fieldBlock([...getFields, ...fields]));

/** The begin of one with a body. */
export const postRequest = (stream: number, fields: readonly RawField[] = []): Buffer =>
  frame(frameTypes.headers, endHeaders, stream, fieldBlock([[':method', 'POST'], ...getFields.slice(1), ...fields]));

/** A 32-bit number, as of RST_STREAM and WINDOW_UPDATE. */
export const uint32 = (value: number): Buffer => {
  const octets = Buffer.alloc(4);
  octets.writeUInt32BE(value);
  return octets;
};
