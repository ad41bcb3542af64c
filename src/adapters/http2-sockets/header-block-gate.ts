import type { Socket } from 'node:net';
import { Duplex } from 'node:stream';
import { TLSSocket } from 'node:tls';
import { boundLateness } from '../event-loop-batching/event-loop-turn.js';
import { type HeaderBlockFault, HeaderBlockScanner, type ScannedOctets } from '../wire/http2/header-block-scanner.js';
import { OutgoingFrames } from '../wire/http2/outgoing-frames.js';
import { GatheredWrites, type WriteCallback } from './gathered-writes.js';

/** Usual size of a header block; a connection charges the budget for more. */
const usualBlockOctets = 16_384;

/** Budget for long incomplete header blocks of all connections, in octets. */
export class HeaderBlockBudget {
  left: number;

  constructor(octets: number) {
    this.left = octets;
  }
}

/** Budget of the process, as large as that for HTTP/1.1 heads of one listener. */
const processBudget = new HeaderBlockBudget(67_108_864);

/** The peer sent an invalid header block (RFC 9113, sections 4.3 and 6.10). */
class HeaderBlockError extends Error {
  override readonly name = 'HeaderBlockError';
  readonly code = 'ERR_HTTP2_HEADER_BLOCK';

  /** `too_much_held`: the block is long and the shared budget is used up. */
  constructor(fault: HeaderBlockFault | 'too_much_held') {
    super(`the peer sent a malformed header block (${fault})`);
  }
}

/** This side sent a GOAWAY with an error (RFC 9113, section 5.4.1). */
class ConnectionFaultError extends Error {
  override readonly name = 'ConnectionFaultError';
  readonly code = 'ERR_HTTP2_CONNECTION_FAULT';

  /** @param errorCode code of the GOAWAY (RFC 9113, section 7) */
  constructor(errorCode: number) {
    super(`the peer broke the HTTP/2 protocol (error code ${errorCode})`);
  }
}

/** Time for the peer to read a GOAWAY with an error, in milliseconds. */
const faultGraceMs = 1_000;
/** Octets read and dropped after the last write; more than two kernels buffer for a connection. */
const maxDroppedOctets = 16_777_216;

/** Receives the error code and last stream of a GOAWAY. */
export type GoawayListener = (code: number, lastStream: number) => void;

/**
 * A socket for node:http2 that delivers header blocks only when complete. INVARIANT: node:http2
 * reads peers only through this class. If a connection ends inside trailers or a response head,
 * Node 20 keeps fields after their session, and a garbage collection aborts the process. GOAWAY is
 * kept from node:http2, which would close the session while reading: see `endSession`; the owner of
 * the session gets it instead. When node:http2 sends a GOAWAY with an error, the gate closes, since
 * nghttp2 then stops reading without an event. The gate is the only reader of the socket, and both
 * end together. It bypasses the Duplex buffers, which would double those of the socket. It supports
 * only what node:http2 uses: `data`, `pause`, `resume`, and one write batch at a time.
 */
export class HeaderBlockGate extends Duplex implements ScannedOctets {
  readonly #socket: Socket;
  readonly #onGoaway: GoawayListener;
  readonly #scanner: HeaderBlockScanner;
  readonly #writes: GatheredWrites;
  readonly #outgoing: OutgoingFrames;
  readonly #budget: HeaderBlockBudget;
  /** Octets charged to the budget. */
  #charged = 0;
  /** The rest of one socket read while paused, and little more. */
  #waiting: Uint8Array[] = [];
  #isPaused = true;
  #isResuming = false;
  /** All remaining input is in `#waiting`. */
  #hasEnded = false;
  #hasEmittedEnd = false;
  #isClosed = false;
  #isEnding = false;
  #lingers = false;

  /** @param peer the peer's role in HTTP/2. Data already read from the socket was unshifted. */
  constructor(
    socket: Socket,
    peer: 'client' | 'server',
    onGoaway: GoawayListener,
    budget: HeaderBlockBudget = processBudget,
  ) {
    super({ allowHalfOpen: true });
    this.#socket = socket;
    this.#onGoaway = onGoaway;
    this.#scanner = new HeaderBlockScanner(peer, this);
    this.#writes = new GatheredWrites(socket);
    this.#outgoing = new OutgoingFrames(peer === 'client' ? 'server' : 'client');
    this.#budget = budget;
    // node:http2 does this for sockets that it knows.
    socket.setNoDelay(true);
    if (socket instanceof TLSSocket) socket.disableRenegotiation();
    socket.on('data', (octets: Buffer) => this.#take(octets));
    socket.on('end', () => {
      this.#hasEnded = true;
      this.#emitEnd();
    });
    socket.on('error', (error) => this.#endLater(error));
    socket.on('close', () => {
      this.#isClosed = true;
      if (this.#hasEmittedEnd || !this.#hasEnded) this.#endLater(null);
      // Input before the end is still delivered, even during a write, which may have been cut off
      // and never complete.
      else setImmediate(() => this.#readLast());
    });
    socket.resume();
  }

  /**
   * Lets the socket outlive the gate until all writes are done. The owner must bound this time: the
   * peer may not close its side.
   */
  linger(): void {
    this.#lingers = true;
  }

  /** DATA octets whose frames were started, all streams together. */
  get sentDataOctets(): number {
    return this.#outgoing.dataOctets;
  }

  pass(octets: Uint8Array): void {
    if (!this.#isPaused && this.#waiting.length === 0) {
      this.emit('data', octets);
      return;
    }
    this.#waiting.push(octets);
    this.#socket.pause();
  }

  goaway(code: number, lastStream: number): void {
    this.#onGoaway(code, lastStream);
  }

  /** node:http2 pauses on every write; do nothing unless input arrives. */
  override pause(): this {
    this.#isPaused = true;
    return this;
  }

  override resume(): this {
    this.#isPaused = false;
    if (this.#waiting.length > 0 && !this.#isResuming) {
      this.#isResuming = true;
      // node:http2 may call this during a write.
      process.nextTick(() => this.#resumed());
    }
    return this;
  }

  override cork(): void {
    this.#writes.gather();
  }

  override uncork(): void {
    this.#writes.send();
  }

  override write(octets: Uint8Array, encodingOrDone?: BufferEncoding | WriteCallback, done?: WriteCallback): boolean {
    const onWritten = typeof encodingOrDone === 'function' ? encodingOrDone : done;
    this.#outgoing.take(octets);
    const { errorCode } = this.#outgoing;
    if (errorCode !== 0) this.#endLater(new ConnectionFaultError(errorCode));
    return this.#writes.add(octets, onWritten ?? (() => undefined));
  }

  override end(...args: readonly unknown[]): this {
    this.#writes.end();
    const onEnded = args.at(-1);
    this.#socket.end(typeof onEnded === 'function' ? () => onEnded() : undefined);
    return this;
  }

  override _destroy(error: Error | null, done: WriteCallback): void {
    const socket = this.#socket;
    this.#waiting = [];
    this.#charge(0);
    const isFault = error instanceof ConnectionFaultError;
    if ((isFault || (this.#lingers && error === null)) && !socket.destroyed) {
      socket.end();
      if (isFault) this.#destroyLater();
      this.#dropRest();
    } else socket.destroy();
    done(error);
  }

  #take(octets: Buffer): void {
    boundLateness();
    // Pending input may have ended the gate and node:http2.
    if (this.destroyed) return;
    const fault = this.#scanner.take(octets) ?? this.#hold(this.#scanner.held);
    if (fault === null || this.#isEnding) return;
    this.#socket.pause();
    this.#endLater(new HeaderBlockError(fault));
  }

  /** Refuses octets above the shared budget. */
  #hold(octets: number): 'too_much_held' | null {
    this.#charge(this.destroyed ? 0 : Math.max(0, octets - usualBlockOctets));
    return this.#charged > 0 && this.#budget.left < 0 ? 'too_much_held' : null;
  }

  #charge(octets: number): void {
    this.#budget.left -= octets - this.#charged;
    this.#charged = octets;
  }

  #resumed(): void {
    this.#isResuming = false;
    while (!this.#isPaused && !this.destroyed) {
      const octets = this.#waiting.shift();
      if (octets === undefined) break;
      this.emit('data', octets);
    }
    if (this.#waiting.length > 0 || this.destroyed) return;
    if (!this.#isEnding) this.#socket.resume();
    this.#emitEnd();
  }

  #readLast(): void {
    for (let octets = this.#waiting.shift(); octets !== undefined; octets = this.#waiting.shift())
      this.emit('data', octets);
    this.#emitEnd();
  }

  #emitEnd(): void {
    if (!this.#hasEnded || this.#hasEmittedEnd || this.#waiting.length > 0 || this.destroyed) return;
    this.#hasEmittedEnd = true;
    this.emit('end');
    if (this.#isClosed) this.#endLater(null);
  }

  /** Reads and drops further input: a reset could overtake the last writes. */
  #dropRest(): void {
    const socket = this.#socket;
    let dropped = 0;
    socket.removeAllListeners('data');
    socket.on('data', (octets: Buffer) => {
      dropped += octets.length;
      if (dropped > maxDroppedOctets) socket.destroy();
    });
    socket.resume();
  }

  #destroyLater(): void {
    const socket = this.#socket;
    const deadline = setTimeout(() => socket.destroy(), faultGraceMs);
    socket.once('close', () => clearTimeout(deadline));
  }

  /** INVARIANT: not inside a read or write of node:http2: see `endSession`. */
  #endLater(error: Error | null): void {
    if (this.#isEnding) return;
    this.#isEnding = true;
    setImmediate(() => this.destroy(error ?? undefined));
  }
}
