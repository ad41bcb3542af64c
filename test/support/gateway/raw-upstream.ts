import { type AddressInfo, createServer, type Socket } from 'node:net';

/** What happens on a request head. `turn` counts the heads of all connections, from 0. */
export type RawAnswer = (socket: Socket, head: string, turn: number) => void;

/** An upstream that says exactly what a test has it say. */
export interface RawUpstream {
  readonly port: number;
  /** Request heads, in the order in which they came. */
  readonly heads: readonly string[];
  /** Connections that were ever made to it. */
  readonly connections: () => number;
  close(): Promise<void>;
}

const requestHead = /^[A-Z-]+ \S+ HTTP\/1\.1\r\n/;

export const startRawUpstream = async (answer: RawAnswer): Promise<RawUpstream> => {
  const heads: string[] = [];
  const sockets = new Set<Socket>();
  let connections = 0;
  const server = createServer((socket) => {
    let pending = '';
    connections += 1;
    sockets.add(socket);
    socket.setEncoding('latin1');
    socket.on('error', () => undefined);
    socket.on('close', () => sockets.delete(socket));
    socket.on('data', (text: string) => {
      pending += text;
      for (let end = pending.indexOf('\r\n\r\n'); end >= 0; end = pending.indexOf('\r\n\r\n')) {
        const head = pending.slice(0, end);
        pending = pending.slice(end + 4);
        if (!requestHead.test(`${head}\r\n`)) continue;
        heads.push(head);
        answer(socket, head, heads.length - 1);
      }
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return {
    port: (server.address() as AddressInfo).port,
    heads,
    connections: () => connections,
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        for (const socket of sockets) socket.destroy();
      }),
  };
};
