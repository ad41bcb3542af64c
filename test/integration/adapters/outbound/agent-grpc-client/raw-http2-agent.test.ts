import {
  constants,
  createServer,
  type Http2Server,
  type IncomingHttpHeaders,
  type ServerHttp2Session,
  type ServerHttp2Stream,
} from 'node:http2';
import type { Socket } from 'node:net';
import zlib, { gzipSync } from 'node:zlib';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import type { ConnectionRecord } from '../../../../support/gateway/connection-record.js';
import { eventually } from '../../../../support/shared/eventually.js';
import { connectRecorded, grpcConnector } from '../../../../support/shared/grpc-connections.js';

/** An answer to the handshake that is taken, where it is read. */
const hello = Buffer.from([0x0a, 0x06, 0x08, 0x02, 0x12, 0x00, 0x18, 0x01]);
const grpcHead = { ':status': 200, 'content-type': 'application/grpc' };

const prefixed = (flag: number, message: Uint8Array, length = message.length): Buffer => {
  const prefix = Buffer.alloc(5);
  prefix.writeUInt8(flag);
  prefix.writeUInt32BE(length, 1);
  return Buffer.concat([prefix, message]);
};

// What @grpc/grpc-js cannot be made to do as a server.
describe('an agent with unusual HTTP/2', () => {
  let server: Http2Server;
  const sessions: ServerHttp2Session[] = [];
  const sockets: Socket[] = [];
  beforeEach(async () => {
    sessions.length = 0;
    sockets.length = 0;
    server = createServer();
    server.on('connection', (socket: Socket) => sockets.push(socket));
    server.on('session', (session) => {
      sessions.push(session);
      session.on('error', () => {});
    });
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  });
  afterEach(() => {
    for (const session of sessions) setImmediate(() => session.destroy());
    server.close();
  });

  const connect = (onStream: (stream: ServerHttp2Stream, headers: IncomingHttpHeaders) => void): ConnectionRecord => {
    server.once('stream', (stream, headers) => {
      stream.on('error', () => {});
      onStream(stream, headers);
    });
    const address = server.address();
    const port = typeof address === 'object' && address !== null ? address.port : 0;
    return connectRecorded(grpcConnector({ kind: 'tcp', host: '127.0.0.1', port })).told;
  };
  const cut = () => {
    for (const socket of sockets) socket.destroy();
  };
  const allClosed = () => eventually(() => sessions.length > 0 && sessions.every((session) => session.destroyed));

  it.each([
    ['leaves open', () => {}],
    ['fails', (pushed: ServerHttp2Stream) => pushed.close(constants.NGHTTP2_INTERNAL_ERROR)],
    [
      'lets fail with the connection',
      ({ session }: ServerHttp2Stream) =>
        void setImmediate(() => session?.destroy(new Error('so'), constants.NGHTTP2_INTERNAL_ERROR)),
    ],
  ])('loses its connection for a pushed stream that it %s', async (_, then) => {
    const told = connect((stream) => {
      stream.pushStream({ ':path': '/pushed' }, (error, pushed) => {
        if (error !== null) return;
        pushed.on('error', () => {});
        pushed.respond({ ':status': 200 });
        pushed.write('x');
        then(pushed);
      });
    });
    expect(['malformed', 'ended']).toContain((await told.hasEnded()).kind);
    await allClosed();
  });

  it('has the pushed stream named as reason', async () => {
    const told = connect((stream) => stream.pushStream({ ':path': '/pushed' }, () => {}));
    expect(await told.hasEnded()).toMatchObject({ kind: 'malformed', detail: expect.stringContaining('pushes') });
  });

  it('loses its connection for a message with a length of 4 GiB', async () => {
    const told = connect((stream) => {
      stream.respond(grpcHead);
      stream.write(prefixed(0, Buffer.of(1), 2 ** 32 - 1));
    });
    expect(await told.hasEnded()).toMatchObject({ kind: 'malformed' });
    await allClosed();
  });

  it('is asked not to compress', async () => {
    let asked: unknown = null;
    const told = connect((stream, headers) => {
      asked = headers['grpc-accept-encoding'];
      stream.close();
    });
    await told.hasEnded();
    expect(asked).toBe('identity');
  });

  it.each([
    ['says that it compresses with gzip', 'gzip', null],
    ['says that it compresses with what nobody knows', 'zip9', null],
    ['compresses as it said', 'gzip', prefixed(1, gzipSync(hello))],
    ['compresses and says nothing of it', null, prefixed(1, gzipSync(hello))],
    ['compresses against what it said', 'identity', prefixed(1, gzipSync(hello))],
    ['marks a message as compressed that is not', null, prefixed(1, hello)],
    ['marks a message as what there is not', null, prefixed(7, hello)],
  ])('loses its connection without inflation if it %s', async (_, encoding, octets) => {
    const inflaters = [vi.spyOn(zlib, 'createGunzip'), vi.spyOn(zlib, 'createInflate')];
    try {
      const told = connect((stream) => {
        stream.respond({ ...grpcHead, ...(encoding === null ? {} : { 'grpc-encoding': encoding }) });
        if (octets !== null) stream.write(octets);
      });
      expect(await told.hasEnded()).toMatchObject({
        kind: 'malformed',
        detail: expect.stringContaining('compresses'),
      });
      expect(told.ready).toEqual([]);
      for (const inflater of inflaters) expect(inflater).not.toHaveBeenCalled();
    } finally {
      for (const inflater of inflaters) inflater.mockRestore();
    }
    await allClosed();
  });

  it.each([
    ['another status', { ':status': 503 }],
    ['a page', { ':status': 200, 'content-type': 'text/html' }],
  ])('is no agent if it answers with %s', async (_, head) => {
    const told = connect((stream) => {
      stream.respond(head);
      stream.end('<html>'.repeat(1_000));
    });
    await told.hasEnded();
    expect(told.ready).toEqual([]);
    await allClosed();
  });

  it.each([
    ['resets the stream', (stream: ServerHttp2Stream) => stream.close(constants.NGHTTP2_INTERNAL_ERROR)],
    ['refuses the stream', (stream: ServerHttp2Stream) => stream.close(constants.NGHTTP2_REFUSED_STREAM)],
    [
      'says goodbye with an error',
      ({ session }: ServerHttp2Stream) =>
        void setImmediate(() => session?.destroy(new Error('so'), constants.NGHTTP2_PROTOCOL_ERROR)),
    ],
    ['cuts the connection', () => cut()],
  ])('ends without a hidden reconnect if it %s', async (_, act) => {
    const told = connect(act);
    expect(await told.hasEnded()).toMatchObject({ kind: 'ended' });
    await allClosed();
    expect(sessions).toHaveLength(1);
  });
});
