import type { Socket } from 'node:net';
import { incomplete } from '../../../wire/http1/head-fault.js';
import { readRequestHead, requestHead } from '../../../wire/http1/read-request-head.js';
import { type CoreBody, maxUnwantedOctets } from './core-body.js';
import { PieceQueue } from './piece-queue.js';

/** Octets behind the request that is being answered; one piece may go beyond. */
const maxBehindOctets = 65_536;

/** What comes on a connection while a request is being answered: its body, and what is pipelined behind it. */
export class RequestInput {
  /** Of the request that is being answered; null where it has none. */
  body: CoreBody | null = null;
  /** What comes behind the request is read by nobody. */
  isClosed = false;
  readonly #socket: Socket;
  readonly #behind = new PieceQueue();
  #isPaused = false;
  /** Octets that came behind the last request. */
  #dropped = 0;

  constructor(socket: Socket) {
    this.#socket = socket;
  }

  /** All of the request has come. */
  get isComplete(): boolean {
    return this.body === null || this.body.isComplete;
  }

  /** More came that nobody wants than is worth to be read. */
  get isTooMuch(): boolean {
    return this.isFlood || this.body?.isTooMuch === true;
  }

  /** The same, behind the last request alone. */
  get isFlood(): boolean {
    return this.#dropped > maxUnwantedOctets;
  }

  /** Of what is pipelined; null where nothing is. */
  first(): Buffer | null {
    return this.#behind.first();
  }

  /** The same, taken out. */
  next(): Buffer | null {
    return this.#behind.take();
  }

  /** Whether another request can be answered behind the response that begins now. `maxHeadOctets`: of its head. */
  canGoOn(maxHeadOctets: number): boolean {
    if (this.isClosed) return false;
    // A body that nobody will read is no basis for another request on this connection.
    if (this.body !== null && !this.body.isComplete) return this.body.wasRead;
    const octets = this.first();
    if (octets === null) return true;
    // Garbage is not worth an answer of its own, and a connection is given away only while nothing else is in it.
    const reading = readRequestHead(octets, 0, octets.length, maxHeadOctets);
    return reading === incomplete || (reading > 0 && !(requestHead.saysUpgrade && requestHead.namesWebSocket));
  }

  /** Leaves what is pipelined to whoever reads the connection next. */
  giveBack(): void {
    const pieces: Buffer[] = [];
    for (let piece = this.next(); piece !== null; piece = this.next()) pieces.push(piece);
    if (pieces.length > 0) this.#socket.unshift(Buffer.concat(pieces));
  }

  close(): void {
    this.isClosed = true;
    this.#behind.clear();
  }

  /** A request begins. `rest`: what came behind its head; there may be more of what was pipelined. */
  begin(body: CoreBody | null, rest: Buffer | null): void {
    this.body = body;
    let octets = rest;
    while (octets !== null && body !== null && !body.isComplete) {
      octets = this.#takeBody(body, octets);
      octets ??= this.#behind.take();
    }
    if (octets !== null && !this.isClosed) this.#behind.pushFirst(octets);
  }

  /** Takes what comes then. */
  take(octets: Buffer): void {
    const { body } = this;
    const behind = body === null || body.isComplete ? octets : this.#takeBody(body, octets);
    if (behind === null) return;
    if (this.isClosed) this.#dropped += behind.length;
    else this.#behind.push(behind);
  }

  /** Reads on, or does not. `isDropped`: nothing of the body is held any more. */
  flow(isDropped: boolean): void {
    const { body } = this;
    const isFull =
      body === null || body.isComplete ? this.#behind.octets >= maxBehindOctets : body.isFull && !isDropped;
    if (isFull === this.#isPaused) return;
    this.#isPaused = isFull;
    if (isFull) this.#socket.pause();
    else this.#socket.resume();
  }

  /** What is not the body's. */
  #takeBody(body: CoreBody, octets: Buffer): Buffer | null {
    const at = body.take(octets, 0);
    if (body.isFaulty) this.close();
    return at === octets.length ? null : octets.subarray(at);
  }
}
