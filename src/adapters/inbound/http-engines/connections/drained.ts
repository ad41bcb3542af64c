import type { Socket } from 'node:net';
import type { Writable } from 'node:stream';

/** Of a socket, as Node has it. */
interface Handle {
  /** Octets that the system has not taken yet. */
  readonly writeQueueSize?: number;
  /** What TLS is spoken over. */
  readonly _parent?: Handle;
}

/**
 * Changes as long as the system takes something of what was written. Node tells of writes that are over alone; how much
 * is left of the one under way stands with the socket's handle, for which there is no public name. Should that change, a
 * peer has to take the whole of a write in the time.
 */
export const standOf = (socket: Socket): string => {
  const { _handle: handle } = socket as { readonly _handle?: Handle | null };
  return `${socket.bytesWritten - socket.writableLength} ${(handle?._parent ?? handle)?.writeQueueSize}`;
};

/**
 * Resolves when a stream takes more, or has ended. A peer that takes nothing for this long is cut off; one that takes
 * little is waited for. `socket`: what the stream is written to in the end.
 */
export const drained = (stream: Writable, socket: Socket, timeoutMs: number, cutOff: () => void): Promise<void> =>
  new Promise((resolve) => {
    const settle = () => {
      clearTimeout(timer);
      stream.off('drain', settle);
      stream.off('close', settle);
      resolve();
    };
    let stand = standOf(socket);
    const look = () => {
      const now = standOf(socket);
      if (now === stand) {
        cutOff();
        settle();
        return;
      }
      stand = now;
      timer = setTimeout(look, timeoutMs);
    };
    let timer = setTimeout(look, timeoutMs);
    stream.on('drain', settle);
    stream.on('close', settle);
  });
