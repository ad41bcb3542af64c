import type { Socket } from 'node:net';
import type { Writable } from 'node:stream';

/** Internal socket handle of Node. */
interface Handle {
  /** Octets not yet accepted by the kernel. */
  readonly writeQueueSize?: number;
  /** Underlying handle of a TLS socket. */
  readonly _parent?: Handle;
}

/**
 * A token that changes whenever the kernel accepts written octets. Node reports completed writes
 * only; the progress of the current one is in the handle, which has no public name. If Node changes
 * it, a peer must take a whole write within the timeout.
 */
export const standOf = (socket: Socket): string => {
  const { _handle: handle } = socket as { readonly _handle?: Handle | null };
  return `${socket.bytesWritten - socket.writableLength} ${(handle?._parent ?? handle)?.writeQueueSize}`;
};

/**
 * Resolves when the stream accepts more or has ended. Destroys a peer that reads nothing for
 * `timeoutMs`; slow peers are tolerated. `socket` is the underlying socket.
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
