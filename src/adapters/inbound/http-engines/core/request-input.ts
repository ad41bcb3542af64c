import type { Socket } from 'node:net';
import { incompleteHead } from '../../../wire/http1/head-fault.js';
import { readRequestHead, requestHead } from '../../../wire/http1/read-request-head.js';
import type { CoreBody } from './core-body.js';
import { PieceQueue } from './corked-writes.js';

/** Octets behind the request that is being answered; one piece may go beyond. */
const maxBehindOctets = 65_536;

/**
 * What comes on a connection while a request is being answered: its body, and what is pipelined behind it.
 *
 * INVARIANT: octets are used in the order in which they came. What came behind a head in its piece is the first of what
 * waits; what waits comes before anything new; and while a body is not complete nothing waits, for it is fed with all that
 * does when it begins. New octets are therefore the body's as long as it is not complete, and the last of what waits
 * from then on.
 */
export class RequestInput {
  /** Of the request that is being answered; null where it has none. */
  body: CoreBody | null = null;
  /** What comes behind the request is read by nobody. */
  isClosed = false;
  readonly #socket: Socket;
  readonly #maxUnwantedOctets: number;
  readonly #waiting = new PieceQueue();
  #isPaused = false;
  /** Octets that came behind the last request. */
  #dropped = 0;

  /** `maxUnwantedOctets`: what nobody wants is read up to this, so that the client gets to see the answer before a reset. */
  constructor(socket: Socket, maxUnwantedOctets: number) {
    this.#socket = socket;
    this.#maxUnwantedOctets = maxUnwantedOctets;
  }

  /** All of the request has come. */
  get isComplete(): boolean {
    return this.body === null || this.body.isComplete;
  }

  /** More came that nobody wants than is worth to be read. */
  get isTooMuch(): boolean {
    return this.#dropped + (this.body?.unwanted ?? 0) > this.#maxUnwantedOctets;
  }

  /** The same, behind the last request alone. */
  get isFlood(): boolean {
    return this.#dropped > this.#maxUnwantedOctets;
  }

  /** Something came behind the request already. */
  get hasMore(): boolean {
    return this.#waiting.octets > 0;
  }

  /** The first piece of what waits, taken out; null where nothing does. */
  next(): Buffer | null {
    return this.#waiting.take();
  }

  /** Whether another request can be answered behind the response that begins now. `maxHeadOctets`: of its head. */
  canGoOn(maxHeadOctets: number): boolean {
    if (this.isClosed) return false;
    // A body that nobody will read is no basis for another request on this connection.
    if (this.body !== null && !this.body.isComplete) return this.body.wasRead;
    const octets = this.#waiting.first();
    if (octets === null) return true;
    // Garbage is not worth an answer of its own, and a connection is given away only while nothing else is in it.
    const reading = readRequestHead(octets, 0, octets.length, maxHeadOctets);
    return reading === incompleteHead || (reading > 0 && !(requestHead.saysUpgrade && requestHead.namesWebSocket));
  }

  /** Leaves what is pipelined to whoever reads the connection next. */
  giveBack(): void {
    const pieces: Buffer[] = [];
    for (let piece = this.next(); piece !== null; piece = this.next()) pieces.push(piece);
    if (pieces.length > 0) this.#socket.unshift(Buffer.concat(pieces));
  }

  /** Nothing behind the request is read from now on. To be called once it has begun: its body may wait until then. */
  close(): void {
    this.isClosed = true;
    this.#waiting.clear();
  }

  /** A request begins. `rest`: what came behind its head, in one piece with it. */
  begin(body: CoreBody | null, rest: Buffer | null): void {
    this.body = body;
    if (body === null) {
      if (rest !== null) this.#waiting.pushFirst(rest);
      return;
    }
    let octets = rest;
    while (!body.isComplete) {
      octets ??= this.next();
      if (octets === null) return;
      octets = this.#takeBody(body, octets);
    }
    if (octets !== null) this.#waiting.pushFirst(octets);
  }

  /** The request is over. */
  dropBody(): void {
    this.body?.release();
    this.body = null;
  }

  /** Takes what has just come. */
  take(octets: Buffer): void {
    const { body } = this;
    const behind = body === null || body.isComplete ? octets : this.#takeBody(body, octets);
    if (behind === null) return;
    if (this.isClosed) this.#dropped += behind.length;
    else this.#waiting.push(behind);
  }

  /** Reads on, or does not. */
  flow(): void {
    const { body } = this;
    const isFull = body === null || body.isComplete ? this.#waiting.octets >= maxBehindOctets : this.#isBodyFull(body);
    if (isFull === this.#isPaused) return;
    this.#isPaused = isFull;
    if (isFull) this.#socket.pause();
    else this.#socket.resume();
  }

  #isBodyFull(body: CoreBody): boolean {
    return body.isUnwanted ? this.isTooMuch : body.isFull;
  }

  /** What is not the body's. */
  #takeBody(body: CoreBody, octets: Buffer): Buffer | null {
    const at = body.take(octets, 0);
    if (body.isFaulty) this.close();
    return at === octets.length ? null : octets.subarray(at);
  }
}
