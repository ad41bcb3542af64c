import { type AddressInfo, createServer, type Server, type Socket } from 'node:net';
import type { UpstreamStream } from '../../../src/adapters/stream-sockets/upstream-stream.js';
import type { CleanUp } from '../shared/clean-up.js';
import { eventually } from '../shared/eventually.js';
import { testSocketLayers } from './socket-layers.js';

export const sleep = (ms: number): Promise<void> => new Promise((resolve) => setTimeout(resolve, ms));

export const serverOf = async (
  cleanUp: CleanUp,
  take: (socket: Socket) => void,
): Promise<{ port: number; server: Server; sockets: Socket[] }> => {
  const sockets: Socket[] = [];
  const server = createServer({ noDelay: true, allowHalfOpen: true }, (socket) => {
    sockets.push(socket);
    socket.on('error', () => undefined);
    cleanUp.add(() => void socket.destroy());
    take(socket);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  cleanUp.add(() => void server.close());
  return { port: (server.address() as AddressInfo).port, server, sockets };
};

/** Other connections of the layer, which have this much to read as soon as `fill` is called. */
export const fillers = async (cleanUp: CleanUp, count: number, octets: number) => {
  const { port, sockets } = await serverOf(cleanUp, () => undefined);
  const reads: number[] = [];
  const streams: UpstreamStream[] = [];
  for (let index = 0; index < count; index += 1) {
    const stream = testSocketLayers.current.connect({ host: '127.0.0.1', port }, (_octets, end) => {
      reads.push(end);
      return true;
    });
    stream.on('error', () => undefined);
    cleanUp.add(() => void stream.destroy());
    streams.push(stream);
  }
  await eventually(() => sockets.length === count);
  await sleep(50);
  return { reads, fill: () => sockets.forEach((socket) => void socket.write(Buffer.alloc(octets, 0x66))) };
};

/** Errors that nobody caught, while `during` runs; no other listener hears of them. */
export const uncaught = async (during: () => Promise<void>): Promise<unknown[]> => {
  const seen: unknown[] = [];
  const others = process.listeners('uncaughtException');
  process.removeAllListeners('uncaughtException');
  const note = (error: unknown): void => void seen.push(error);
  process.on('uncaughtException', note);
  try {
    await during();
  } finally {
    process.off('uncaughtException', note);
    for (const other of others) process.on('uncaughtException', other);
  }
  return seen;
};
