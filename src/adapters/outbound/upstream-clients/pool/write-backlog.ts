import type { Socket } from 'node:net';

/** The handle of a socket, as Node has it. */
interface Handle {
  /** Octets of the write under way that the system has not taken. */
  readonly writeQueueSize?: number;
  /** The handle under TLS. */
  readonly _parent?: Handle;
}

/**
 * A number that shrinks whenever the system takes some of what was written to a socket; it is not a count of octets. Node
 * reports a write only when all of it is taken. How much is left of it is a property of the handle, which has no public name;
 * without it, only whole writes count.
 */
export const writeBacklog = (socket: Socket): number => {
  const { _handle: handle } = socket as { readonly _handle?: Handle | null };
  return socket.writableLength + ((handle?._parent ?? handle)?.writeQueueSize ?? 0);
};
