import type { Socket } from 'node:net';
import { setImmediate as turn } from 'node:timers/promises';

/** Writes each octet by itself, in a turn of its own. */
export const writeOctetByOctet = async (socket: Socket, octets: Uint8Array): Promise<void> => {
  socket.setNoDelay(true);
  for (let at = 0; at < octets.length && !socket.destroyed; at += 1) {
    socket.write(octets.subarray(at, at + 1));
    await turn();
  }
};
