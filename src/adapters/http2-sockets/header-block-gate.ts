import type { Socket } from 'node:net';
import { Duplex } from 'node:stream';
import { TLSSocket } from 'node:tls';
import { boundLateness } from '../event-loop-batching/bound-lateness.js';
import { type HeaderBlockFault, HeaderBlockScanner, type ScannedOctets } from '../wire/http2/header-block-scanner.js';
import { OutgoingFrames } from '../wire/http2/outgoing-frames.js';
import { GatheredWrites, type Written } from './gathered-writes.js';

/** Octets that a header block usually has, at the most: what a connection has held of one counts beyond these. */
const usualBlockOctets = 16_384;

/** What all connections together may have held of blocks that are longer and not whole, in octets. */
export class HeldBudget {
  left: number;

  constructor(octets: number) {
    this.left = octets;
  }
}

/** Of the process. As much as is held of the heads of HTTP/1.1 on one listener. */
const processBudget = new HeldBudget(67_108_864);

/** How a connection ends whose peer sent a header block that is none (RFC 9113, sections 4.3 and 6.10). */
class HeaderBlockError extends Error {
  override readonly name = 'HeaderBlockError';
  readonly code = 'ERR_HTTP2_HEADER_BLOCK';

  /** `too_much_held`: it is long, and so many others are that there is no room for it. */
  constructor(fault: HeaderBlockFault | 'too_much_held') {
    super(`the peer sent a header block that is not well-formed (${fault})`);
  }
}

/** How a connection ends whose peer was told that it has broken the protocol (RFC 9113, section 5.4.1). */
class ConnectionFaultError extends Error {
  override readonly name = 'ConnectionFaultError';
  readonly code = 'ERR_HTTP2_CONNECTION_FAULT';

  /** @param errorCode what the peer was told (RFC 9113, section 7) */
  constructor(errorCode: number) {
    super(`what the peer sent is not well-formed (error ${errorCode} of HTTP/2)`);
  }
}

/** How long a peer that has broken the protocol has to take what it is told of that, in milliseconds. */
const faultGraceMs = 1_000;
/** Octets of a peer that are read behind the end of what is said to it: more than two systems hold for a connection. */
const mostDroppedOctets = 16_777_216;

/** Is told of a GOAWAY: its code, and the last stream that its sender has seen to. */
export type GoawayListener = (code: number, lastStream: number) => void;

/**
 * A socket as node:http2 may have it: what the peer sends of a header block is held until all of it is there.
 * INVARIANT: whatever lets node:http2 read what a peer wrote gives it one of these. Where a connection ends within the
 * trailers of a stream, or the head of a response, Node 20 keeps fields beyond the session that they belong to, and the
 * process aborts with a garbage collection. Nor does it get a GOAWAY, which it would answer by closing the session within
 * its own reading: see `endSession`. Who has the session gets it instead. Where node:http2 sends one that names an error, the
 * gate ends: nghttp2 reads nothing more then, and nobody is told.
 *
 * Nobody else reads from the socket any more. It ends with the gate, and the gate with it. Nothing
 * goes by the buffers of a Duplex, which would stand behind those of the socket: it is for node:http2 alone, which reads
 * by `data`, `pause` and `resume`, and writes a batch at a time.
 */
export class HeaderBlockGate extends Duplex implements ScannedOctets {
  readonly #socket: Socket;
  readonly #onGoaway: GoawayListener;
  readonly #scanner: HeaderBlockScanner;
  readonly #writes: GatheredWrites;
  readonly #outgoing: OutgoingFrames;
  readonly #budget: HeldBudget;
  /** What is held has taken of the budget. */
  #charged = 0;
  /** What came of one reading of the socket while nothing was wanted, and little behind it. */
  #waiting: Uint8Array[] = [];
  #isPaused = true;
  #isResuming = false;
  /** All that is to be read is in `#waiting`. */
  #hasEnded = false;
  #isEndTold = false;
  #isClosed = false;
  #isEnding = false;
  #lingers = false;

  /** `peer`: what it is in HTTP/2. What was read of the socket already was put back. */
  constructor(socket: Socket, peer: 'client' | 'server', onGoaway: GoawayListener, budget: HeldBudget = processBudget) {
    super({ allowHalfOpen: true });
    this.#socket = socket;
    this.#onGoaway = onGoaway;
    this.#scanner = new HeaderBlockScanner(peer, this);
    this.#writes = new GatheredWrites(socket);
    this.#outgoing = new OutgoingFrames(peer === 'client' ? 'server' : 'client');
    this.#budget = budget;
    // What node:http2 does with a socket that it knows.
    socket.setNoDelay(true);
    if (socket instanceof TLSSocket) socket.disableRenegotiation();
    socket.on('data', (octets: Buffer) => this.#take(octets));
    socket.on('end', () => {
      this.#hasEnded = true;
      this.#tellEnd();
    });
    socket.on('error', (error) => this.#endLater(error));
    socket.on('close', () => {
      this.#isClosed = true;
      if (this.#isEndTold || !this.#hasEnded) this.#endLater(null);
      // What came before its end is still read, by whoever is within a writing, too: that may have been cut off, and never end.
      else setImmediate(() => this.#readLast());
    });
    socket.resume();
  }

  /**
   * Its end does not cut off the socket from now on, which ends behind what was written. Whoever has the socket sees to it
   * that it does not stay: its peer may not end its side.
   */
  linger(): void {
    this.#lingers = true;
  }

  /** Octets of DATA frames that were begun to be sent, of all streams together. */
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

  /** node:http2 does it with every writing: nothing is done unless something comes meanwhile. */
  override pause(): this {
    this.#isPaused = true;
    return this;
  }

  override resume(): this {
    this.#isPaused = false;
    if (this.#waiting.length > 0 && !this.#isResuming) {
      this.#isResuming = true;
      // node:http2 is within its own writing.
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

  override write(octets: Uint8Array, encodingOrDone?: BufferEncoding | Written, done?: Written): boolean {
    const told = typeof encodingOrDone === 'function' ? encodingOrDone : done;
    this.#outgoing.take(octets);
    const { errorCode } = this.#outgoing;
    if (errorCode !== 0) this.#endLater(new ConnectionFaultError(errorCode));
    return this.#writes.add(octets, told ?? (() => undefined));
  }

  override end(...args: readonly unknown[]): this {
    this.#writes.end();
    const told = args.at(-1);
    this.#socket.end(typeof told === 'function' ? () => told() : undefined);
    return this;
  }

  override _destroy(error: Error | null, done: Written): void {
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
    // What waited may have ended it, and node:http2 with it.
    if (this.destroyed) return;
    const fault = this.#scanner.take(octets) ?? this.#hold(this.#scanner.held);
    if (fault === null || this.#isEnding) return;
    this.#socket.pause();
    this.#endLater(new HeaderBlockError(fault));
  }

  /** Refuses what is too much for all connections together. */
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
    this.#tellEnd();
  }

  #readLast(): void {
    for (let octets = this.#waiting.shift(); octets !== undefined; octets = this.#waiting.shift())
      this.emit('data', octets);
    this.#tellEnd();
  }

  #tellEnd(): void {
    if (!this.#hasEnded || this.#isEndTold || this.#waiting.length > 0 || this.destroyed) return;
    this.#isEndTold = true;
    this.emit('end');
    if (this.#isClosed) this.#endLater(null);
  }

  /** What still comes is read, so that the end is no reset, which may overtake what was written. */
  #dropRest(): void {
    const socket = this.#socket;
    let dropped = 0;
    socket.removeAllListeners('data');
    socket.on('data', (octets: Buffer) => {
      dropped += octets.length;
      if (dropped > mostDroppedOctets) socket.destroy();
    });
    socket.resume();
  }

  #destroyLater(): void {
    const socket = this.#socket;
    const deadline = setTimeout(() => socket.destroy(), faultGraceMs);
    socket.once('close', () => clearTimeout(deadline));
  }

  /** INVARIANT: not within what node:http2 has been given to read, or has written: see `endSession`. */
  #endLater(error: Error | null): void {
    if (this.#isEnding) return;
    this.#isEnding = true;
    setImmediate(() => this.destroy(error ?? undefined));
  }
}
