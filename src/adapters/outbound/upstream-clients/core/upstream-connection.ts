import type { TargetClientOptions, UpstreamFailure } from '../../../../application/ports/gateway/upstream-client.js';
import { streamAddressText } from '../../../../domain/configuration/schema/grpc-address.js';
import type { WheelTimer } from '../../../../domain/shared/timer-wheel.js';
import {
  afterReads,
  boundLateness,
  currentTurn,
  type DeferredWriter,
  deferWrite,
  turnBegins,
  turnEnds,
  turnMs,
} from '../../../event-loop-batching/event-loop-turn.js';
import { connectStream, type NodeUpstreamSocket, readingWith } from '../../../stream-sockets/node-socket-layer.js';
import type { SocketLayerSelector } from '../../../stream-sockets/socket-layer-selector.js';
import { writeBacklog } from '../../../stream-sockets/stream-socket.js';
import type { UpstreamStream } from '../../../stream-sockets/upstream-stream.js';
import { type AlpnProtocol, connectTls } from '../../../tls-sockets/connect-tls.js';
import { type TlsUpstreamStream, tlsUpstreamStream } from '../../../tls-sockets/tls-upstream-stream.js';
import type { PooledUpstreamConnection } from '../pool/target-connections.js';
import { defaultKeepMs, putOffTimer, removeTimer, setTimer } from './connection-timers.js';
import { Http1ResponseReader } from './http1-response-reader.js';
import { ConnectionsClosedError, connectFailure, lossFailure } from './upstream-failures.js';

/** A read of so many octets may have left some in the kernel. */
const fullRead = 65_536;

const http1Only: readonly AlpnProtocol[] = ['http/1.1'];

/** The current user of a connection. */
export interface ConnectionListener {
  /** The connection is open; the request may be written. */
  connected(): void;
  notConnected(failure: UpstreamFailure): void;
  /** Input, valid during this call. False: pause until the connection is resumed. */
  received(octets: Buffer, end: number): boolean;
  /** Pending writes are done. */
  drained(): void;
  /**
   * The connection closed; without an error if the upstream or the pool closed it, or a tunnel
   * ended. `isUnwritten`: the last write did not happen.
   */
  lost(error: Error | null, isUnwritten: boolean): void;
}

export interface ConnectionEvents {
  /** An idle connection closed, unless by `destroy`. */
  onLost(connection: UpstreamConnection): void;
  /** A TLS handshake failed. */
  handshakeFailed(): void;
}

/** A connection to a target, reopened on demand. It has one holder at a time. */
export class UpstreamConnection implements PooledUpstreamConnection, WheelTimer, DeferredWriter {
  // Deadline to connect, then to stay idle; unset while held.
  dueMs = 0;
  slot = -1;
  next: WheelTimer | null = null;
  previous: WheelTimer | null = null;
  idleIndex = -1;

  readonly settings: TargetClientOptions;
  readonly reader: Http1ResponseReader;
  /** A response arrived on it before. */
  hasServed = false;
  /** Idle timeout. */
  keepMs = defaultKeepMs;
  readonly #onLost: (connection: UpstreamConnection) => void;
  readonly #handshakeFailed: () => void;
  #holder: ConnectionListener | null = null;
  readonly #layers: SocketLayerSelector;
  #socket: UpstreamStream | null = null;
  /** The same socket, opened for a tunnel. */
  #stream: NodeUpstreamSocket | TlsUpstreamStream | null = null;
  #isConnected = false;
  #isTunnel = false;
  /** Octets of the last read. */
  #lastRead = 0;
  /** Turn of the last read. */
  #readTurn = -1;
  /** Holder that waits until its connection is known to be silent; see `start`. */
  #starting: ConnectionListener | null = null;
  /** Deferred to the end of the turn. */
  #late: Uint8Array | string | null = null;

  constructor(
    settings: TargetClientOptions,
    layers: SocketLayerSelector,
    { onLost, handshakeFailed }: ConnectionEvents,
  ) {
    this.settings = settings;
    this.reader = new Http1ResponseReader();
    this.#onLost = onLost;
    this.#handshakeFailed = handshakeFailed;
    this.#layers = layers;
  }

  get isOpen(): boolean {
    return this.#isConnected && this.isUsable;
  }

  /** Opened for a tunnel, and unused. */
  get isNewStream(): boolean {
    return this.#stream !== null && !this.hasServed;
  }

  /** Open or connecting, and writable. */
  get isUsable(): boolean {
    const socket = this.#socket;
    return socket !== null && !socket.destroyed && socket.writeError === null;
  }

  /**
   * Whether the last read emptied the kernel buffer. Reads of one turn repeat until the buffer is
   * not filled, with promises between them. A stream receives as much at once and may hold some of
   * it back.
   */
  get isReadDry(): boolean {
    // One read of TLS may bring several records, each delivered apart.
    if (this.settings.tls !== null) return false;
    return this.#lastRead < fullRead && (this.#socket === null || this.#socket.readableLength === 0);
  }

  /** All writes are done; another request may use the connection. */
  get isFlushed(): boolean {
    return this.isUsable && this.#late === null && this.#socket?.writableLength === 0;
  }

  /** The kernel may hold more of what the upstream sent, so the end of a response is no end of its octets. */
  get mayHaveMore(): boolean {
    return this.#socket?.mayHaveMore === true;
  }

  /** A write failed; the upstream may have missed data. */
  get isWriteBroken(): boolean {
    return this.#socket === null || this.#socket.writeError !== null;
  }

  /** Reserves the connection for `holder` until release. */
  hold(holder: ConnectionListener): void {
    this.#holder = holder;
  }

  /**
   * Lets the holder write, by `connected`. INVARIANT: input that arrived before a request is read before the request
   * is written; otherwise it would be taken for the response. A connection that was idle when this turn began may
   * have such input among the reads of this turn, so the holder waits for their end.
   */
  start(): void {
    const holder = this.#holder;
    if (holder === null) return;
    if (!this.hasServed || this.#readTurn === currentTurn()) {
      holder.connected();
      return;
    }
    this.#starting = holder;
    afterReads(() => this.#startNow(holder));
  }

  #startNow(holder: ConnectionListener): void {
    const socket = this.#socket;
    if (this.#starting !== holder || socket === null) return;
    // The layer read only a part of the ready sockets in this turn.
    if (socket.mayBeUnread && socket.hasUnreadInput) {
      this.#ended(socket, null);
      return;
    }
    this.#starting = null;
    holder.connected();
  }

  /** Ends the reservation; later input is unrequested. */
  release(): void {
    this.#holder = null;
    this.#starting = null;
    if (this.#isConnected) putOffTimer(this, turnMs() + this.keepMs);
  }

  /**
   * Connects unless connected or connecting. A tunnel always gets a new socket, which is a stream of
   * Node.
   */
  open(forTunnel: boolean): void {
    if (this.#socket !== null) {
      if (!forTunnel && this.isUsable) return;
      this.#drop();
    }
    const { connectMs } = this.settings;
    const socket = this.#connect(forTunnel);
    this.#socket = socket;
    this.#isTunnel = false;
    this.#lastRead = 0;
    this.hasServed = false;
    this.keepMs = defaultKeepMs;
    socket.on('drain', () => this.#holder?.drained());
    socket.on('end', () => {
      if (!this.#isTunnel) this.#ended(socket, this.reader.isUntilClose ? socket.findReset() : null);
    });
    socket.on('error', (error) => {
      if (!this.#isTunnel) this.#ended(socket, error);
    });
    socket.on('close', () => this.#ended(socket, null));
    this.#stream?.on('data', (octets: Buffer) => this.#readStream(socket, octets));
    setTimer(this, performance.now() + connectMs);
  }

  /** A new socket; `#connected` follows when it may be written. */
  #connect(forTunnel: boolean): UpstreamStream {
    const { address, tls } = this.settings;
    if (tls !== null) {
      const options = forTunnel ? {} : readingWith(this.#read);
      const opened = (): void => this.#connected(socket);
      const socket = tlsUpstreamStream(connectTls({ address, tls, protocols: http1Only, options, opened }));
      this.#stream = forTunnel ? socket : null;
      return socket;
    }
    this.#stream = forTunnel ? connectStream(address) : null;
    const socket = this.#stream ?? this.#layers.current.connect(address, this.#read);
    socket.on('connect', () => this.#connected(socket));
    return socket;
  }

  readonly #read = (octets: Buffer, end: number): boolean => this.#received(octets, end);

  /** Writes octets or latin1 text. False: `drained` follows. */
  write(octets: Uint8Array | string): boolean {
    return this.#socket?.write(octets, 'latin1') ?? true;
  }

  /** The same at the end of this turn, if nothing else is written until input arrives. */
  deferWrite(octets: Uint8Array | string): void {
    this.#late = octets;
    deferWrite(this);
  }

  writeNow(): void {
    const late = this.#late;
    this.#late = null;
    if (late !== null && this.isUsable) this.write(late);
  }

  /** Holds back writes until `uncork`. */
  cork(): void {
    this.#socket?.cork();
  }

  uncork(): void {
    this.#socket?.uncork();
  }

  /** The kernel may have taken a write above the high-water mark at once. */
  get isFull(): boolean {
    const socket = this.#socket;
    return socket?.writableNeedDrain === true && socket.writableLength > 0;
  }

  /** Shrinks when the kernel accepts written data. */
  get writeBacklog(): number {
    return this.#socket === null ? 0 : writeBacklog(this.#socket);
  }

  /** Ignores write errors; the result of reading decides. */
  forgiveWrites(): void {
    this.#socket?.forgiveWrites();
  }

  /** Resumes reading. */
  resume(): void {
    this.#socket?.resume();
  }

  /**
   * Gives the socket away as a stream that starts with `rest`. The holder is notified when it
   * closes.
   */
  becomeTunnel(rest: Uint8Array): NodeUpstreamSocket | TlsUpstreamStream | null {
    const socket = this.#stream;
    if (socket === null) return null;
    this.#isTunnel = true;
    socket.removeAllListeners('data');
    socket.pause();
    if (rest.length > 0) socket.unshift(rest);
    // Client data continues after the upstream half-closed.
    socket.allowHalfOpen = true;
    return socket;
  }

  /** Closes the connection; the holder is notified afterwards. */
  destroy(): void {
    if (this.#holder === null) this.#drop();
    else this.#socket?.destroy(new ConnectionsClosedError());
  }

  expired(): void {
    const socket = this.#socket;
    if (socket === null) return;
    if (this.#isConnected) {
      if (this.#holder === null) this.#ended(socket, null);
      return;
    }
    const { address, connectMs, tls } = this.settings;
    const detail = `no ${tls === null ? '' : 'TLS '}connection to ${streamAddressText(address)} within ${connectMs} ms`;
    this.#end({ code: 'timed_out', isUnconnected: true, detail });
  }

  #connected(socket: UpstreamStream): void {
    if (this.#socket !== socket) return;
    this.#isConnected = true;
    // The idle timeout may be shorter than the connect timeout.
    removeTimer(this);
    if (this.#holder === null) putOffTimer(this, performance.now() + this.keepMs);
    else this.#holder.connected();
  }

  #received(octets: Buffer, end: number): boolean {
    this.#lastRead = end;
    this.#readTurn = currentTurn();
    const socket = this.#socket;
    const isUnwritten = this.#late !== null || this.#starting !== null;
    // Unrequested input. A reused connection that gets some is discarded.
    if (isUnwritten && this.hasServed && socket !== null) {
      this.#ended(socket, null);
      return false;
    }
    if (this.#late !== null) this.writeNow();
    const holder = this.#holder;
    if (holder !== null) {
      // Not earlier: deferred work, or a request that it starts here, would be written as if it
      // preceded this input.
      const outerMs = turnBegins();
      try {
        boundLateness();
        // INVARIANT: only the holder at arrival gets this input, whatever the flush ended or
        // started. An exchange that ends early discards its socket, so no other request is
        // affected.
        if (this.#holder === holder && this.#socket === socket) return holder.received(octets, end);
      } finally {
        turnEnds(outerMs);
      }
    }
    if (socket !== null) this.#ended(socket, null);
    return false;
  }

  #readStream(socket: UpstreamStream, octets: Buffer): void {
    if (this.#socket === socket && !this.#received(octets, octets.length)) socket.pause();
  }

  #ended(socket: UpstreamStream, error: Error | null): void {
    if (this.#socket !== socket) return;
    // Reading saw a normal end although writing met a reset.
    const loss = error ?? socket.writeError;
    this.#end(this.#isConnected ? lossFailure(loss) : connectFailure(loss), loss);
  }

  #end(failure: UpstreamFailure, error: Error | null = null): void {
    const wasConnected = this.#isConnected;
    const isUnwritten = this.#late !== null || this.#starting !== null;
    this.#drop();
    if (!wasConnected && this.settings.tls !== null) this.#handshakeFailed();
    const holder = this.#holder;
    if (holder === null) this.#onLost(this);
    else if (wasConnected) holder.lost(error, isUnwritten);
    else holder.notConnected(failure);
  }

  #drop(): void {
    const socket = this.#socket;
    this.#socket = null;
    this.#stream = null;
    this.#late = null;
    this.#starting = null;
    this.#isConnected = false;
    removeTimer(this);
    socket?.destroy();
  }
}
