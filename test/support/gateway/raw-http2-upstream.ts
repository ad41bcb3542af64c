import { type AddressInfo, createServer, type Socket } from 'node:net';
import { setImmediate as turn } from 'node:timers/promises';
import type { CleanUp } from '../shared/clean-up.js';

export const frameTypes = {
  data: 0,
  headers: 1,
  resetStream: 3,
  settings: 4,
  pushPromise: 5,
  ping: 6,
  goaway: 7,
  windowUpdate: 8,
  continuation: 9,
} as const;

export const frameFlags = { endStream: 1, ack: 1, endHeaders: 4 } as const;

export interface Http2Frame {
  readonly type: number;
  readonly flags: number;
  readonly stream: number;
  readonly payload: Buffer;
}

/** A frame (RFC 9113, section 4.1). */
export const frame = (type: number, flags: number, stream: number, payload: Uint8Array = Buffer.alloc(0)): Buffer => {
  const head = Buffer.alloc(9);
  head.writeUIntBE(payload.length, 0, 3);
  head.writeUInt8(type, 3);
  head.writeUInt8(flags, 4);
  head.writeUInt32BE(stream, 5);
  return Buffer.concat([head, payload]);
};

/** A number of 32 bits. */
export const number32 = (...values: readonly number[]): Buffer => {
  const octets = Buffer.alloc(4 * values.length);
  for (const [index, value] of values.entries()) octets.writeUInt32BE(value, 4 * index);
  return octets;
};

/** Settings, as `[identifier, value]`. */
export const settings = (...pairs: readonly (readonly [number, number])[]): Buffer =>
  frame(
    frameTypes.settings,
    0,
    0,
    Buffer.concat(
      pairs.map(([identifier, value]) => {
        const octets = Buffer.alloc(6);
        octets.writeUInt16BE(identifier, 0);
        octets.writeUInt32BE(value, 2);
        return octets;
      }),
    ),
  );

const lengthPrefixed = (text: string): Buffer => {
  const octets = Buffer.from(text, 'latin1');
  if (octets.length < 127) return Buffer.concat([Buffer.from([octets.length]), octets]);
  const rest: number[] = [127];
  let length = octets.length - 127;
  for (; length >= 128; length = Math.floor(length / 128)) rest.push((length % 128) + 128);
  return Buffer.concat([Buffer.from([...rest, length]), octets]);
};

/** Fields as literals without indexing (RFC 7541, section 6.2.2), whatever they hold. */
export const fieldBlock = (...fields: readonly (readonly [string, string])[]): Buffer =>
  Buffer.concat(fields.flatMap(([name, value]) => [Buffer.from([0]), lengthPrefixed(name), lengthPrefixed(value)]));

/** HEADERS with all of its fields. */
export const headers = (
  stream: number,
  fields: readonly (readonly [string, string])[],
  flags: number = frameFlags.endHeaders,
): Buffer => frame(frameTypes.headers, flags, stream, fieldBlock(...fields));

const preface = 'PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n';

/** A connection of a client that has sent its preface. */
export class RawHttp2Peer {
  readonly frames: Http2Frame[] = [];
  #pending: Buffer = Buffer.alloc(0);
  #isBegun = false;

  constructor(
    readonly socket: Socket,
    readonly index: number,
    onFrame: (frame: Http2Frame, peer: RawHttp2Peer) => void,
  ) {
    socket.on('error', () => undefined);
    socket.on('data', (chunk: Buffer) => {
      this.#pending = Buffer.concat([this.#pending, chunk]);
      if (!this.#isBegun) {
        if (this.#pending.length < preface.length) return;
        this.#isBegun = true;
        this.#pending = this.#pending.subarray(preface.length);
      }
      for (let next = this.#next(); next !== null; next = this.#next()) {
        this.frames.push(next);
        onFrame(next, this);
      }
    });
  }

  write(...frames: readonly Buffer[]): void {
    this.socket.write(Buffer.concat(frames));
  }

  of(type: number): readonly Http2Frame[] {
    return this.frames.filter((each) => each.type === type);
  }

  #next(): Http2Frame | null {
    if (this.#pending.length < 9) return null;
    const length = this.#pending.readUIntBE(0, 3);
    if (this.#pending.length < 9 + length) return null;
    const whole = this.#pending;
    this.#pending = whole.subarray(9 + length);
    return {
      type: whole.readUInt8(3),
      flags: whole.readUInt8(4),
      stream: whole.readUInt32BE(5) % 2 ** 31,
      payload: whole.subarray(9, 9 + length),
    };
  }
}

export interface RawHttp2Upstream {
  readonly port: number;
  readonly peers: RawHttp2Peer[];
}

/** An upstream whose frames the test writes itself; `begun` is called for each connection that has come. */
export const startRawHttp2Upstream = async (
  cleanUp: CleanUp,
  onFrame: (frame: Http2Frame, peer: RawHttp2Peer) => void,
  begun: (peer: RawHttp2Peer) => void = (peer) => peer.write(settings()),
): Promise<RawHttp2Upstream> => {
  const peers: RawHttp2Peer[] = [];
  const server = createServer((socket) => {
    const peer = new RawHttp2Peer(socket, peers.length, onFrame);
    peers.push(peer);
    begun(peer);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  cleanUp.add(async () => {
    for (const { socket } of peers) socket.destroy();
    await new Promise((resolve) => server.close(resolve));
  });
  return { port: (server.address() as AddressInfo).port, peers };
};

/** Writes each octet by itself, in a turn of its own. */
export const writeOctetByOctet = async (socket: Socket, octets: Uint8Array): Promise<void> => {
  socket.setNoDelay(true);
  for (let at = 0; at < octets.length && !socket.destroyed; at += 1) {
    socket.write(octets.subarray(at, at + 1));
    await turn();
  }
};
