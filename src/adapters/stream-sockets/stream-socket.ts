import { Socket } from 'node:net';

/** Called once a write is done, or with the error that prevented it. */
type Written = (error?: Error | null) => void;

/**
 * A connected TCP or unix socket, as the HTTP/1.1 core and agents use it. `net.Socket` and `NativeSocket` implement it.
 */
export interface StreamSocket {
  readonly remoteAddress?: string | undefined;
  readonly remotePort?: number | undefined;
  /** Octets received. */
  readonly bytesRead: number;
  /** Octets written, including those that the kernel has not accepted. */
  readonly bytesWritten: number;
  /** Octets that the kernel has not accepted. */
  readonly writableLength: number;
  /** `end` was called. */
  readonly writableEnded: boolean;
  readonly destroyed: boolean;
  /** The error that destroyed it. */
  readonly errored: Error | null;
  on(event: 'end' | 'close' | 'drain' | 'connect', listener: () => void): unknown;
  on(event: 'error', listener: (error: Error) => void): unknown;
  once(event: 'close' | 'connect', listener: () => void): unknown;
  off(event: 'end' | 'close' | 'drain' | 'error', listener: () => void): unknown;
  pause(): unknown;
  resume(): unknown;
  /** Puts octets back in front of the unread input. */
  unshift(octets: Uint8Array): unknown;
  /** Writes octets or latin1 text. False: more should wait for `drain`. */
  write(data: Uint8Array | string, encoding: 'latin1', written?: Written): boolean;
  write(data: Uint8Array, written?: Written): boolean;
  cork(): void;
  uncork(): void;
  /** Closes the write side after what was written. */
  end(): unknown;
  end(last: Uint8Array): unknown;
  /** Like `end`, and closes the socket once everything is sent. */
  destroySoon(): unknown;
  /** Closes the socket and drops what was not sent. */
  destroy(error?: Error): unknown;
  /** Like `destroy`, with a TCP reset. */
  resetAndDestroy(): unknown;
}

/** A socket of the native layer, which leaves the layer by `detach`. */
export interface DetachableSocket extends StreamSocket {
  /** The kernel holds input, an end or an error. */
  readonly hasUnreadInput: boolean;
  /** Reads with a function; see `readOctets`. */
  readWith(take: (octets: Buffer) => void): void;
  /** The same connection as a `net.Socket`, with the octets read so far put back. */
  detach(): Socket;
}

export const isDetachable = (socket: StreamSocket): socket is DetachableSocket => 'detach' in socket;

/**
 * Whether input waits in the kernel, so that the connection is not idle. Node reads every ready socket in a turn; the
 * native layer may leave some to the next one.
 */
export const hasUnreadInput = (socket: StreamSocket): boolean => isDetachable(socket) && socket.hasUnreadInput;

/** The connection as a `net.Socket`. */
export const toNodeSocket = (socket: StreamSocket): Socket => {
  if (socket instanceof Socket) return socket;
  if (isDetachable(socket)) return socket.detach();
  throw new TypeError('the socket belongs to no layer');
};

/**
 * Passes input of a `net.Socket` to one reader without the stream machinery, which costs a fifth of a read in Node.
 * While the stream is paused or buffers data, its `data` listener gets the input as usual. Sockets deliver input
 * through `push`, which is public in Readable; input on any other path reaches the listener too.
 *
 * @param take must also be the `data` listener
 */
export const readDirectly = (socket: Socket, take: (octets: Buffer) => void): void => {
  socket.push = (chunk: unknown, encoding?: BufferEncoding): boolean => {
    if (!(chunk instanceof Buffer) || socket.readableFlowing !== true || socket.readableLength > 0) {
      return Socket.prototype.push.call(socket, chunk, encoding);
    }
    take(chunk);
    return true;
  };
};

/**
 * Passes input of a socket to `take`. The octets of a native socket are valid only during the call, because all
 * sockets of a turn share one buffer.
 */
export const readOctets = (socket: StreamSocket, take: (octets: Buffer) => void): void => {
  if (socket instanceof Socket) {
    socket.on('data', take);
    readDirectly(socket, take);
  } else if (isDetachable(socket)) socket.readWith(take);
};

/** Ends `readOctets`: input passes through the stream again. Pause the socket first. */
export const readAsStream = (socket: Socket, take: (octets: Buffer) => void): void => {
  socket.off('data', take);
  socket.push = Socket.prototype.push;
};

/** Internal socket handle of Node. */
interface Handle {
  /** Octets not yet accepted by the kernel. */
  readonly writeQueueSize?: number;
  /** Underlying handle of a TLS socket. */
  readonly _parent?: Handle;
}

/** Octets of the current write that the kernel has not accepted; undefined if Node does not report it. */
const currentWrite = (socket: StreamSocket): number | undefined => {
  const { _handle: handle } = socket as { readonly _handle?: Handle | null };
  return (handle?._parent ?? handle)?.writeQueueSize;
};

/**
 * A token that changes whenever the kernel accepts written octets. Node reports completed writes
 * only; the progress of the current one is in the handle, which has no public name. If Node changes
 * it, a peer must take a whole write within the timeout.
 */
export const writeProgressToken = (socket: StreamSocket): string =>
  `${socket.bytesWritten - socket.writableLength} ${currentWrite(socket)}`;

/**
 * A number that shrinks when the kernel accepts written data; not a count of octets. See `writeProgressToken`.
 */
export const writeBacklog = (socket: StreamSocket): number => socket.writableLength + (currentWrite(socket) ?? 0);
