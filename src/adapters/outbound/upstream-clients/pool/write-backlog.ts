import type { Socket } from 'node:net';

/** Internal socket handle of Node. */
interface Handle {
  /** Octets of the current write not yet accepted by the kernel. */
  readonly writeQueueSize?: number;
  /** Underlying handle of a TLS socket. */
  readonly _parent?: Handle;
}

/**
 * A number that shrinks when the kernel accepts written data; not a count of octets. Node reports
 * completed writes only. The progress of the current one is in the handle, which has no public
 * name; without it, only whole writes count.
 */
export const writeBacklog = (socket: Socket): number => {
  const { _handle: handle } = socket as { readonly _handle?: Handle | null };
  return socket.writableLength + ((handle?._parent ?? handle)?.writeQueueSize ?? 0);
};
