import { type AddressInfo, createServer, type Socket } from 'node:net';
import type { ProbedTarget } from '../../../src/application/ports/gateway/health-prober.js';
import { eventually } from '../shared/eventually.js';

/** A server for health checks, which does with each connection what a test wants. */
export interface ProbedServer {
  readonly target: ProbedTarget;
  /** What came by all connections. */
  readonly received: () => string;
  /** Resolves once no connection is open, if there was one. */
  readonly allClosed: () => Promise<void>;
  close(): Promise<void>;
}

/** `accept` is called with each connection, `hear` with everything that comes by one. */
export const startProbedServer = async (
  hear: (socket: Socket, octets: Buffer) => void,
  accept: (socket: Socket) => void = () => {},
): Promise<ProbedServer> => {
  const open = new Set<Socket>();
  let accepted = 0;
  let received = '';
  const server = createServer((socket) => {
    accepted += 1;
    open.add(socket);
    socket.on('error', () => undefined);
    socket.on('close', () => open.delete(socket));
    socket.on('data', (octets) => {
      received += octets.toString('latin1');
      hear(socket, octets);
    });
    accept(socket);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  return {
    target: { address: { host: '127.0.0.1', port }, authority: 'api.test:8080', tls: null },
    received: () => received,
    allClosed: () => eventually(() => accepted > 0 && open.size === 0),
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        for (const socket of open) socket.destroy();
      }),
  };
};
