import { once } from 'node:events';
import { type AddressInfo, connect, createServer, type Socket } from 'node:net';

const piece = Buffer.alloc(65_536, 'x');
const mostOctets = 16_777_216;
/** What the system takes no sooner than that, it takes when the other side reads. */
const stillMs = 20;

const turn = (ms: number): Promise<void> => new Promise((resolve) => setTimeout(resolve, ms));

/**
 * Octets that the system of this machine takes on one connection while the other side reads no more than the first of
 * them.
 */
export const heldCapacity = async (): Promise<number> => {
  const taken: Socket[] = [];
  const server = createServer((socket) => {
    taken.push(socket);
    socket.on('error', () => undefined);
    socket.once('data', () => socket.pause());
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const socket = connect({ host: '127.0.0.1', port: (server.address() as AddressInfo).port, noDelay: true });
  socket.on('error', () => undefined);
  await once(socket, 'connect');
  // A head comes before the body, by itself.
  socket.write(piece.subarray(0, 300));
  await turn(stillMs);
  let written = 0;
  while (written < mostOctets) {
    socket.write(piece);
    written += piece.length;
    if (socket.writableLength > 0) await turn(stillMs);
    if (socket.writableLength > 0) break;
    await turn(0);
  }
  const capacity = written - socket.writableLength;
  socket.destroy();
  for (const other of taken) other.destroy();
  server.close();
  return capacity;
};
