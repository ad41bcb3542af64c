import { createServer, type OnReadOpts, type Server, Socket, type SocketConstructorOpts } from 'node:net';
import type { ListeningSocket } from '../../application/ports/gateway/listening-sockets.js';
import { isUnixSocket, type StreamAddress } from '../../domain/configuration/network-addresses.js';
import type { Acceptor, SocketLayer } from './socket-layer.js';
import type { StreamSocket } from './stream-socket.js';
import type { TakeUpstreamInput, UpstreamStream } from './upstream-stream.js';

/** Listen backlog; the kernel caps it. Node's default of 511 would drop bursts. */
export const backlog = 4_096;

/** Idle time before TCP keep-alive probes, in milliseconds. */
const keepAliveMs = 60_000;

/** Read buffer of all connections. Readers copy what they keep. */
const sharedOctets = Buffer.allocUnsafeSlow(65_536);

type WriteCallback = (error?: Error | null) => void;

/** A `net.Socket` to an upstream. */
export class NodeUpstreamSocket extends Socket implements UpstreamStream {
  readonly mayHaveMore = false;
  readonly mayBeUnread = false;
  readonly hasUnreadInput = false;
  #isForgiving = false;
  #writeError: Error | null = null;

  forgiveWrites(): void {
    this.#isForgiving = true;
  }

  get writeError(): Error | null {
    return this.#writeError;
  }

  /**
   * libuv reports a reset that arrives with data as a normal end. An empty write detects the reset: it fails then, and
   * sends nothing otherwise.
   */
  findReset(): Error | null {
    if (!this.destroyed && !this.writableEnded && this.writableLength === 0) this.write('');
    return this.errored ?? this.#writeError;
  }

  override _write(chunk: unknown, encoding: BufferEncoding, callback: WriteCallback): void {
    if (!this.#isForgiving) super._write(chunk, encoding, callback);
    else if (this.#writeError !== null) callback();
    else super._write(chunk, encoding, this.#forgiving(callback));
  }

  override _writev(chunks: { chunk: unknown; encoding: BufferEncoding }[], callback: WriteCallback): void {
    if (!this.#isForgiving) super._writev?.(chunks, callback);
    else if (this.#writeError !== null) callback();
    else super._writev?.(chunks, this.#forgiving(callback));
  }

  #forgiving(callback: WriteCallback): WriteCallback {
    return (error) => {
      if (error) this.#writeError = error;
      callback();
    };
  }
}

const connected = (address: StreamAddress, options: SocketConstructorOpts): NodeUpstreamSocket => {
  const socket = new NodeUpstreamSocket(options);
  if (isUnixSocket(address)) return socket.connect({ path: address.path });
  socket.setNoDelay(true).setKeepAlive(true, keepAliveMs);
  return socket.connect({ host: address.host, port: address.port });
};

/** A connection that is read as a stream, for tunnels. */
export const connectStream = (address: StreamAddress): NodeUpstreamSocket => connected(address, {});

/** Socket options for reading with a function, into one buffer of the process. */
export const readingWith = (read: TakeUpstreamInput): { readonly onread: OnReadOpts } => ({
  onread: { buffer: sharedOctets, callback: (octets: number) => read(sharedOctets, octets) },
});

class NodeAcceptor implements Acceptor {
  readonly #server: Server;
  readonly #socket: ListeningSocket;

  constructor(socket: ListeningSocket, accepted: (socket: StreamSocket) => void) {
    this.#socket = socket;
    this.#server = createServer({ allowHalfOpen: true, noDelay: true }, accepted);
  }

  listen(): Promise<void> {
    return new Promise((resolve, reject) => {
      this.#server.once('error', reject);
      this.#server.listen(this.#socket.listenable, backlog, () => {
        this.#server.off('error', reject);
        // Accepting one connection failed, for example for lack of memory. The next may succeed.
        this.#server.on('error', () => undefined);
        resolve();
      });
    });
  }

  close(closed: () => void): void {
    // The server counts a connection as closed shortly before the close event fires.
    this.#server.close(closed);
  }
}

/** node:net, for every platform. */
export const nodeSocketLayer: SocketLayer = {
  name: 'node',
  acceptor: (socket, accepted) => new NodeAcceptor(socket, accepted),
  connect: (address: StreamAddress, read: TakeUpstreamInput): UpstreamStream =>
    connected(address, readingWith(read) as SocketConstructorOpts),
};
