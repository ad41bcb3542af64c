import { createServer, type OnReadOpts, type Server, Socket, type SocketConstructorOpts } from 'node:net';
import { isUnixSocket, type StreamAddress } from '../../domain/configuration/network-addresses.js';
import type { Acceptor, PathAcceptorEvents, SocketLayer } from './socket-layer.js';
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

type StartListening = (server: Server, listening: () => void) => void;

class NodeAcceptor implements Acceptor {
  readonly #server: Server;
  readonly #start: StartListening;
  readonly #failed: (error: Error) => void;

  /** @param failed accepting one connection failed, for example for lack of memory; the next may succeed */
  constructor(
    start: StartListening,
    accepted: (socket: StreamSocket) => void,
    failed: (error: Error) => void = () => undefined,
  ) {
    this.#start = start;
    this.#failed = failed;
    this.#server = createServer({ allowHalfOpen: true, noDelay: true }, accepted);
  }

  listen(): Promise<void> {
    return new Promise((resolve, reject) => {
      this.#server.once('error', reject);
      this.#start(this.#server, () => {
        this.#server.off('error', reject);
        this.#server.on('error', this.#failed);
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
  acceptor: ({ listenable }, accepted) =>
    new NodeAcceptor((server, listening) => server.listen(listenable, backlog, listening), accepted),
  pathAcceptor: (path: string, { accepted, failed }: PathAcceptorEvents) =>
    new NodeAcceptor((server, listening) => server.listen({ path }, listening), accepted, failed),
  connect: (address: StreamAddress, read: TakeUpstreamInput): UpstreamStream =>
    connected(address, readingWith(read) as SocketConstructorOpts),
  connectPath: (path, read) =>
    new Socket({ ...readingWith(read), allowHalfOpen: true } as SocketConstructorOpts).connect({ path }),
};
