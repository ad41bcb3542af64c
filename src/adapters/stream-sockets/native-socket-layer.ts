import { constants } from 'node:os';
import type { SocketLayer as Addon, SocketLayerOptions } from '#native';
import type { ListeningSocket } from '../../application/ports/gateway/listening-sockets.js';
import { isUnixSocket, type StreamAddress } from '../../domain/configuration/network-addresses.js';
import { batchBegins, batchEnds, throwApart } from '../event-loop-batching/event-loop-turn.js';
import { NativeSocket, type NativeSocketId, type NativeSocketOwner, systemError } from './native-socket.js';
import { backlog } from './node-socket-layer.js';
import { bindPathHandle, type ServerHandle } from './server-handle.js';
import type { Acceptor, PathAcceptorEvents, SocketLayer } from './socket-layer.js';
import type { StreamSocket } from './stream-socket.js';
import type { TakeUpstreamInput, UpstreamStream } from './upstream-stream.js';

/**
 * Octets read per turn. The rest stays in the kernel until the next turn. INVARIANT: more than twice a read (64 KiB).
 * Code that keeps a part of a read copies it only if the part is less than half of its memory.
 */
const arenaOctets = 262_144;
const rowLength = 8;
const maxRows = 512;
/** Largest queue of one socket. A writer that ignores `drain` and exceeds it loses its connection. */
const maxQueuedOctets = 268_435_456;
/** Rows handled between two readings of the clock. */
const rowsPerMoment = 4;

// Types of rows; see native/index.d.cts.
const accepted = 1;
const data = 2;
const end = 3;
const failure = 4;
const connected = 5;
const drained = 6;
const acceptFailed = 7;

/** The layer answers a lack of descriptors itself: it closes the connection. */
const descriptorErrors: ReadonlySet<number> = new Set([constants.errno.EMFILE, constants.errno.ENFILE]);

/** The peer's name of a TCP socket in error messages. */
const addressName = (host: string, port: number): string => `${host}:${port}`;

type Open = (options: SocketLayerOptions) => Addon;

/** Adds and removes a listener of the layer. */
interface ListenerCalls {
  /** Returns the slot of the listener. Throws the system's error. */
  listen(acceptor: NativeAcceptor): number;
  close(listener: number): void;
}

/** Accepts on one listening socket, and counts its connections until they close. */
class NativeAcceptor implements Acceptor {
  readonly #take: (socket: StreamSocket) => void;
  readonly #calls: ListenerCalls;
  readonly failed: (error: Error) => void;
  #listener: number | null = null;
  #open = 0;
  #whenClosed: (() => void) | null = null;

  constructor(
    take: (socket: StreamSocket) => void,
    calls: ListenerCalls,
    failed: (error: Error) => void = () => undefined,
  ) {
    this.#take = take;
    this.#calls = calls;
    this.failed = failed;
  }

  async listen(): Promise<void> {
    this.#listener = this.#calls.listen(this);
  }

  take(socket: NativeSocket): void {
    this.#open += 1;
    socket.onClosed = this.#closed;
    this.#take(socket);
  }

  readonly #closed = (): void => {
    this.#open -= 1;
    if (this.#open === 0) this.#whenClosed?.();
  };

  close(closed: () => void): void {
    if (this.#listener !== null) this.#calls.close(this.#listener);
    this.#listener = null;
    this.#whenClosed = closed;
    if (this.#open === 0) setImmediate(closed);
  }
}

/**
 * Sockets on one epoll instance of the addon in native/. It reads all ready sockets in one call and reports them in a
 * table; each write is one call. The process stays alive while there is a listener or a socket.
 */
export class NativeSocketLayer implements SocketLayer {
  readonly name = 'native';
  readonly #arena = Buffer.allocUnsafeSlow(arenaOctets);
  readonly #rows = new Int32Array(maxRows * rowLength);
  readonly #addon: Addon;
  /** By slot. */
  readonly #sockets: (NativeSocket | null)[] = [];
  /** By slot. */
  readonly #listeners = new Map<number, NativeAcceptor>();
  readonly #owner: NativeSocketOwner;
  #users = 0;
  /** The row at hand, and how many this turn has. */
  #row = 0;
  #count = 0;
  /** The last turn left ready sockets to the next. */
  #isCut = false;

  constructor(open: Open) {
    this.#addon = open({
      arena: this.#arena,
      events: this.#rows,
      maxQueuedOctets,
      onEvents: (count, hasMore) => this.#handle(count, hasMore),
    });
    this.#addon.unref();
    const isCut = (): boolean => this.#isCut;
    this.#owner = {
      addon: this.#addon,
      get hasUnreadSockets() {
        return isCut();
      },
      onRemoved: (socket) => this.#left(socket),
      reportRest: (socket) => this.#reportRest(socket),
    };
  }

  acceptor(socket: ListeningSocket, take: (socket: StreamSocket) => void): Acceptor {
    return new NativeAcceptor(take, {
      listen: (acceptor) => this.#listen(socket.fd, acceptor),
      close: (listener) => this.#closeListener(listener),
    });
  }

  pathAcceptor(path: string, { accepted: take, failed }: PathAcceptorEvents): Acceptor {
    let file: ServerHandle | null = null;
    const calls: ListenerCalls = {
      listen: (acceptor) => {
        file = bindPathHandle(path);
        try {
          return this.#listen(file.fd, acceptor);
        } catch (error) {
          file.close();
          throw error;
        }
      },
      close: (listener) => {
        // The file goes first: a client that finds it finds the listener.
        file?.close();
        this.#closeListener(listener);
      },
    };
    return new NativeAcceptor(take, calls, failed);
  }

  connect(address: StreamAddress, read: TakeUpstreamInput): UpstreamStream {
    if (isUnixSocket(address)) return this.#connectPath(address.path, read);
    const { host, port } = address;
    const place = { remoteAddress: host, remotePort: port, peerName: addressName(host, port) };
    return this.#connect(place, () => this.#addon.connect(host, port), read);
  }

  connectPath(path: string, read: TakeUpstreamInput): StreamSocket {
    return this.#connectPath(path, read);
  }

  #connectPath(path: string, read: TakeUpstreamInput): NativeSocket {
    const place = { remoteAddress: '', remotePort: 0, peerName: path };
    return this.#connect(place, () => this.#addon.connectPath(path), read);
  }

  #connect(
    place: Omit<NativeSocketId, 'slot' | 'generation'>,
    connectTo: () => number,
    read: TakeUpstreamInput,
  ): NativeSocket {
    let socket: NativeSocket;
    try {
      const slot = connectTo();
      socket = this.#enterSocket({ ...place, slot, generation: this.#addon.generationOf(slot) }, true);
    } catch (error) {
      socket = new NativeSocket(null, { ...place, slot: -1, generation: -1 }, true);
      const { errno } = error as NodeJS.ErrnoException;
      socket.destroy(errno === undefined ? (error as Error) : systemError(-errno, 'connect', place.peerName));
    }
    socket.readUpstream(read);
    return socket;
  }

  #listen(fd: number, acceptor: NativeAcceptor): number {
    const listener = this.#addon.listen(fd, backlog);
    this.#listeners.set(listener, acceptor);
    this.#enter();
    return listener;
  }

  #closeListener(listener: number): void {
    this.#listeners.delete(listener);
    this.#addon.closeListener(listener);
    this.#leave();
  }

  #enterSocket(place: NativeSocketId, isConnecting: boolean): NativeSocket {
    const { slot } = place;
    const socket = new NativeSocket(this.#owner, place, isConnecting);
    while (this.#sockets.length <= slot) this.#sockets.push(null);
    this.#sockets[slot] = socket;
    this.#enter();
    return socket;
  }

  #left(socket: NativeSocket): void {
    if (this.#sockets[socket.slot] === socket) this.#sockets[socket.slot] = null;
    this.#leave();
  }

  #enter(): void {
    this.#users += 1;
    if (this.#users === 1) this.#addon.ref();
  }

  #leave(): void {
    this.#users -= 1;
    if (this.#users === 0) this.#addon.unref();
  }

  #handle(count: number, hasMore: boolean): void {
    this.#count = count;
    this.#isCut = hasMore;
    for (let row = 0; row < count; row += 1) {
      this.#row = row;
      if (row % rowsPerMoment === 0) batchBegins();
      try {
        this.#handleRow(row * rowLength);
      } catch (error) {
        throwApart(error);
      }
    }
    batchEnds();
    this.#count = 0;
  }

  /** A socket that leaves the layer takes along what this turn has read of it. */
  #reportRest(socket: NativeSocket): void {
    const rows = this.#rows;
    for (let row = this.#row + 1; row < this.#count; row += 1) {
      const at = row * rowLength;
      if (rows[at] === data && rows[at + 1] === socket.slot && rows[at + 2] === socket.generation) {
        this.#handleRow(at);
        // It is reported once.
        rows[at] = 0;
      }
    }
  }

  #handleRow(at: number): void {
    const rows = this.#rows;
    const type = rows[at];
    if (type === accepted) {
      this.#accept(at);
      return;
    }
    if (type === acceptFailed) {
      this.#acceptFailed(rows[at + 6] as number, rows[at + 5] as number);
      return;
    }
    const socket = this.#sockets[rows[at + 1] as number];
    // An earlier row of this turn may have closed the socket, and another one may use its slot.
    if (socket === null || socket === undefined || socket.generation !== rows[at + 2]) return;
    switch (type) {
      case data: {
        const start = rows[at + 3] as number;
        socket.onData(this.#arena.subarray(start, start + (rows[at + 4] as number)), rows[at + 5] === 1);
        return;
      }
      case end:
        socket.onEnd();
        return;
      case drained:
        socket.onDrain();
        return;
      case connected:
        socket.connected();
        return;
      case failure:
        socket.onError(rows[at + 5] as number, rows[at + 4] === 1);
    }
  }

  #accept(at: number): void {
    const rows = this.#rows;
    const start = rows[at + 3] as number;
    const address = this.#arena.toString('latin1', start, start + (rows[at + 4] as number));
    const port = rows[at + 5] as number;
    const socket = this.#enterSocket(
      {
        slot: rows[at + 1] as number,
        generation: rows[at + 2] as number,
        remoteAddress: address,
        remotePort: port,
        peerName: '',
      },
      false,
    );
    const acceptor = this.#listeners.get(rows[at + 6] as number);
    if (acceptor === undefined) socket.destroy();
    else acceptor.take(socket);
  }

  #acceptFailed(listener: number, errno: number): void {
    if (!descriptorErrors.has(errno)) this.#listeners.get(listener)?.failed(systemError(errno, 'accept'));
  }
}
