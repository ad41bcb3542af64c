import { once } from 'node:events';
import { performServerHandshake, type ServerHttp2Stream } from 'node:http2';
import { type AddressInfo, createServer } from 'node:net';
import { HeaderBlockGate } from '../../src/adapters/http2-sockets/header-block-gate.js';
import type { SocketAddress } from '../../src/domain/configuration/network-addresses.js';

/** The limits of Node that a long connection with many refused requests would reach. */
export const unlimited = { maxSessionInvalidFrames: 1_000_000, maxSessionRejectedStreams: 1_000_000 };

/** What the gateway reads HTTP/2 with: a socket behind a `HeaderBlockGate`, read by node:http2. */
export interface Http2Server {
  readonly address: SocketAddress;
  /** Names and values of each request since the last call, by stream. */
  takeRequests(): ReadonlyMap<number, readonly string[]>;
  close(): Promise<void>;
}

export const startHttp2Server = async (): Promise<Http2Server> => {
  let requests = new Map<number, readonly string[]>();
  const server = createServer((socket) => {
    socket.on('error', () => socket.destroy());
    const session = performServerHandshake(new HeaderBlockGate(socket, 'client', () => undefined), unlimited);
    session.on('error', () => undefined);
    session.on('stream', (stream: ServerHttp2Stream, _headers: unknown, _flags: number, fields?: readonly string[]) => {
      stream.on('error', () => undefined);
      requests.set(stream.id ?? 0, fields ?? []);
      stream.respond({ ':status': 204 }, { endStream: true });
    });
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { address, port } = server.address() as AddressInfo;
  return {
    address: { host: address, port },
    takeRequests() {
      const taken = requests;
      requests = new Map();
      return taken;
    },
    async close() {
      server.close();
      await once(server, 'close');
    },
  };
};
