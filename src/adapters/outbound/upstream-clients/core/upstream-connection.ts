import type { ConnectOpts, SocketConstructorOpts } from 'node:net';
import type { TargetClientSettings, UpstreamFailure } from '../../../../application/ports/gateway/upstream-client.js';
import type { WheelTimer } from '../../../../domain/shared/timer-wheel.js';
import { boundLateness } from '../../../event-loop-batching/bound-lateness.js';
import { type LateWriter, writeLate } from '../../../event-loop-batching/deferred-writes.js';
import { turnBegins, turnEnds, turnMs } from '../../../event-loop-batching/turn-clock.js';
import type { PooledUpstreamConnection } from '../pool/target-connections.js';
import { writeBacklog } from '../pool/write-backlog.js';
import { Http1ResponseReader } from './http1-response-reader.js';
import { defaultKeepMs } from './keep-alive-time.js';
import type { ResponseHeadCache } from './response-head-cache.js';
import { ConnectionsClosedError, lossFailure } from './upstream-failures.js';
import { putOffTimer, removeTimer, setTimer, UpstreamSocket } from './upstream-socket.js';

/** Silence after which the system asks whether the other side is still there. */
const keepAliveMs = 60_000;

/**
 * What all connections read into, one after the other.
 * INVARIANT: nothing keeps a part of it once `received` has returned.
 */
const sharedOctets = Buffer.allocUnsafeSlow(65_536);

/** Whose request a connection has. */
export interface ConnectionHolder {
  /** It stands: the request may be written. */
  connected(): void;
  notConnected(failure: UpstreamFailure): void;
  /** Octets have come, valid for as long as this takes. False: no more are wanted until the connection resumes. */
  received(octets: Buffer, end: number): boolean;
  /** What was written has gone out. */
  drained(): void;
  /**
   * It has ended; without an error by the will of the upstream, or of the pool. A tunnel has closed. `isUnwritten`: what was to be
   * written last was not.
   */
  lost(error: Error | null, isUnwritten: boolean): void;
}

/** One connection to a target, made anew when it is needed again after it was closed. Has one holder at a time. */
export class UpstreamConnection implements PooledUpstreamConnection, WheelTimer, LateWriter {
  // For the time to connect, then for that to be kept: while it has a holder nothing is due.
  dueMs = 0;
  slot = -1;
  next: WheelTimer | null = null;
  previous: WheelTimer | null = null;
  restingAt = -1;

  readonly settings: TargetClientSettings;
  readonly reader: Http1ResponseReader;
  /** It has brought an answer. */
  hasServed = false;
  /** How long it is kept without a holder. */
  keepMs = defaultKeepMs;
  readonly #onLost: (connection: UpstreamConnection) => void;
  readonly #reading: Pick<ConnectOpts, 'onread'>;
  #holder: ConnectionHolder | null = null;
  #socket: UpstreamSocket | null = null;
  #isConnected = false;
  #isTunnel = false;
  /** Octets of the last read. */
  #lastRead = 0;
  /** Waits for the end of the turn. */
  #late: Uint8Array | string | null = null;

  /**
   * @param onLost called when it has closed while nobody held it, unless it was destroyed
   * @param repeated of the target
   */
  constructor(
    settings: TargetClientSettings,
    onLost: (connection: UpstreamConnection) => void,
    repeated: ResponseHeadCache,
  ) {
    this.settings = settings;
    this.reader = new Http1ResponseReader(repeated);
    this.#onLost = onLost;
    this.#reading = { onread: { buffer: sharedOctets, callback: (octets) => this.#received(sharedOctets, octets) } };
  }

  get isOpen(): boolean {
    return this.#isConnected && this.isUsable;
  }

  /** It stands, or is being made. One that cannot be written to any more does not. */
  get isUsable(): boolean {
    const socket = this.#socket;
    return socket !== null && !socket.destroyed && socket.writeError === null;
  }

  /**
   * The system is read until it has less than the buffer takes, and that in one turn of the loop, where promises go on
   * between two reads. So only a read that left room was certainly the last one. A stream, which is given as much at once,
   * may hold some of it back.
   */
  get isReadDry(): boolean {
    return this.#lastRead < sharedOctets.length && (this.#socket === null || this.#socket.readableLength === 0);
  }

  /** Another request may have it: all that was written has gone out. */
  get isFlushed(): boolean {
    return this.isUsable && this.#late === null && this.#socket?.writableLength === 0;
  }

  /** A write has failed: what was written may not have come to the upstream. */
  get isWriteBroken(): boolean {
    return this.#socket === null || this.#socket.writeError !== null;
  }

  /** Nobody else has it until it is released. */
  hold(holder: ConnectionHolder): void {
    this.#holder = holder;
  }

  /** Nobody has it: what comes now was not asked for. */
  release(): void {
    this.#holder = null;
    if (this.#isConnected) putOffTimer(this, turnMs() + this.keepMs);
  }

  /**
   * Connects, unless that is done or under way. One that is to be a tunnel is always made anew, because the socket of a
   * tunnel is a stream, and others are not.
   */
  open(forTunnel: boolean): void {
    if (this.#socket !== null) {
      if (!forTunnel && this.isUsable) return;
      this.#drop();
    }
    const options: SocketConstructorOpts & Pick<ConnectOpts, 'onread'> = forTunnel ? {} : this.#reading;
    const socket = new UpstreamSocket(options);
    this.#socket = socket;
    this.#isTunnel = false;
    this.#lastRead = 0;
    this.hasServed = false;
    this.keepMs = defaultKeepMs;
    socket.on('connect', () => this.#connected(socket));
    socket.on('drain', () => this.#holder?.drained());
    socket.on('end', () => {
      if (!this.#isTunnel) this.#ended(socket, this.reader.isUntilClose ? socket.findReset() : null);
    });
    socket.on('error', (error) => {
      if (!this.#isTunnel) this.#ended(socket, error);
    });
    socket.on('close', () => this.#ended(socket, null));
    if (forTunnel) socket.on('data', (octets: Buffer) => this.#readStream(socket, octets));
    socket.setNoDelay(true).setKeepAlive(true, keepAliveMs);
    setTimer(this, performance.now() + this.settings.connectMs);
    const { host, port } = this.settings.address;
    socket.connect({ host, port });
  }

  /** Writes octets, or text of one octet for each character. False: the holder is told when they have gone out. */
  write(octets: Uint8Array | string): boolean {
    return this.#socket?.write(octets, 'latin1') ?? true;
  }

  /** The same at the end of this turn, for what is all that is written until something has come. */
  writeLate(octets: Uint8Array | string): void {
    this.#late = octets;
    writeLate(this);
  }

  writeNow(): void {
    const late = this.#late;
    this.#late = null;
    if (late !== null && this.isUsable) this.write(late);
  }

  /** Holds back what is written until `uncork`, so that it goes out together. */
  cork(): void {
    this.#socket?.cork();
  }

  uncork(): void {
    this.#socket?.uncork();
  }

  /** What is longer than the stream likes to hold may have been taken by the system at once. */
  get isFull(): boolean {
    const socket = this.#socket;
    return socket?.writableNeedDrain === true && socket.writableLength > 0;
  }

  /** Shrinks whenever the system takes some of what was written. */
  get writeBacklog(): number {
    return this.#socket === null ? 0 : writeBacklog(this.#socket);
  }

  /** From now on the end is what reading says it is. */
  forgiveWrites(): void {
    this.#socket?.forgiveWrites();
  }

  /** More octets are wanted. */
  resume(): void {
    this.#socket?.resume();
  }

  /** Gives its socket away as a stream that has these octets to read first. The holder is told when that has closed. */
  becomeTunnel(rest: Uint8Array): UpstreamSocket | null {
    const socket = this.#socket;
    if (socket === null) return null;
    this.#isTunnel = true;
    socket.removeAllListeners('data');
    socket.pause();
    if (rest.length > 0) socket.unshift(rest);
    // What the client still sends goes on when the upstream has said its last.
    socket.allowHalfOpen = true;
    return socket;
  }

  /** Cuts off what is under way. A holder is told, once this has returned. */
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
    const { address, connectMs } = this.settings;
    this.#end({ code: 'timed_out', detail: `no connection to ${address.host}:${address.port} within ${connectMs} ms` });
  }

  #connected(socket: UpstreamSocket): void {
    if (this.#socket !== socket) return;
    this.#isConnected = true;
    // A time to be kept may well be shorter than one to connect.
    removeTimer(this);
    if (this.#holder === null) putOffTimer(this, performance.now() + this.keepMs);
    else this.#holder.connected();
  }

  #received(octets: Buffer, end: number): boolean {
    this.#lastRead = end;
    if (this.#late !== null) {
      // It answers nothing: the request has not been written. A connection that has served is not taken at its word any more.
      if (this.hasServed && this.#socket !== null) {
        this.#ended(this.#socket, null);
        return false;
      }
      this.writeNow();
    }
    const holder = this.#holder;
    const socket = this.#socket;
    if (holder !== null) {
      // Not before: what waits here, or is begun by it on this connection, would be written as if it had come before these octets.
      const outerMs = turnBegins();
      try {
        boundLateness();
        // INVARIANT: they go to nobody else but the one whose answer they are, whatever was ended or begun by what was written. An
        // exchange that ends before its answer has discarded its socket, so that below it is nobody else's who would suffer for it.
        if (this.#holder === holder && this.#socket === socket) return holder.received(octets, end);
      } finally {
        turnEnds(outerMs);
      }
    }
    if (socket !== null) this.#ended(socket, null);
    return false;
  }

  #readStream(socket: UpstreamSocket, octets: Buffer): void {
    if (this.#socket === socket && !this.#received(octets, octets.length)) socket.pause();
  }

  #ended(socket: UpstreamSocket, error: Error | null): void {
    if (this.#socket !== socket) return;
    // What reading takes for an end in order was none where writing has met a reset.
    const loss = error ?? socket.writeError;
    this.#end(lossFailure(loss), loss);
  }

  #end(failure: UpstreamFailure, error: Error | null = null): void {
    const wasConnected = this.#isConnected;
    const isUnwritten = this.#late !== null;
    this.#drop();
    const holder = this.#holder;
    if (holder === null) this.#onLost(this);
    else if (wasConnected) holder.lost(error, isUnwritten);
    else holder.notConnected(failure);
  }

  #drop(): void {
    const socket = this.#socket;
    this.#socket = null;
    this.#late = null;
    this.#isConnected = false;
    removeTimer(this);
    socket?.destroy();
  }
}
