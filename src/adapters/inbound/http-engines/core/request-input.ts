import type { StreamSocket } from '../../../stream-sockets/stream-socket.js';
import { incompleteHead } from '../../../wire/http1/head-fault.js';
import { readRequestHead, requestHead } from '../../../wire/http1/read-head.js';
import type { CoreBody } from './core-body.js';
import { PieceQueue } from './corked-writes.js';

/** Pipelined octets buffered during an exchange; the last chunk may exceed it. */
const maxBehindOctets = 65_536;

/**
 * Input during an exchange: the body, and pipelined data after it. INVARIANT: octets are used in
 * order of arrival. While the body is incomplete the queue is empty, since the body consumes it at
 * its start. New input therefore belongs to an incomplete body, and afterwards goes to the end of
 * the queue.
 */
export class RequestInput {
  /** Body of the current request, or null. */
  body: CoreBody | null = null;
  /** Input after the request is discarded. */
  isClosed = false;
  readonly #socket: StreamSocket;
  readonly #maxUnwantedOctets: number;
  readonly #waiting = new PieceQueue();
  #isPaused = false;
  /** Octets discarded after the last request. */
  #dropped = 0;

  /**
   * @param maxUnwantedOctets discarded input up to this size is still read, so that the client sees
   * the response before a reset
   */
  constructor(socket: StreamSocket, maxUnwantedOctets: number) {
    this.#socket = socket;
    this.#maxUnwantedOctets = maxUnwantedOctets;
  }

  /** The whole request arrived. */
  get isComplete(): boolean {
    return this.body === null || this.body.isComplete;
  }

  /** More input was discarded than is worth reading. */
  get isTooMuch(): boolean {
    return this.#dropped + (this.body?.unwanted ?? 0) > this.#maxUnwantedOctets;
  }

  /** The whole last request was read, and nothing behind it: a close resets nothing. */
  get isCleanlyOver(): boolean {
    return this.isClosed && this.isComplete && this.#dropped === 0;
  }

  /** The same for input after the last request only. */
  get isFlood(): boolean {
    return this.#dropped > this.#maxUnwantedOctets;
  }

  /** Pipelined input is queued. */
  get hasMore(): boolean {
    return this.#waiting.octets > 0;
  }

  /** Removes and returns the first queued chunk, or null. */
  next(): Buffer | null {
    return this.#waiting.take();
  }

  /**
   * Whether the connection can be reused after the response that begins now. `maxHeadOctets` limits
   * the next head.
   */
  canGoOn(maxHeadOctets: number): boolean {
    if (this.isClosed) return false;
    // A body that nothing reads prevents reuse.
    if (this.body !== null && !this.body.isComplete) return this.body.wasRead;
    const octets = this.#waiting.first();
    if (octets === null) return true;
    // Garbage gets no response, and a connection is handed over only without pipelined data.
    const reading = readRequestHead(octets, 0, octets.length, maxHeadOctets);
    return reading === incompleteHead || (reading > 0 && !(requestHead.saysUpgrade && requestHead.namesWebSocket));
  }

  /** Returns pipelined input to the next reader of the socket. */
  giveBack(socket: Pick<StreamSocket, 'unshift'>): void {
    const pieces: Buffer[] = [];
    for (let piece = this.next(); piece !== null; piece = this.next()) pieces.push(piece);
    if (pieces.length > 0) socket.unshift(Buffer.concat(pieces));
  }

  /**
   * Discards input after the request. Call it after the request began: the queue may hold its body.
   */
  close(): void {
    this.isClosed = true;
    this.#waiting.clear();
  }

  /** A request begins. `rest` is the input after its head in the same read. */
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

  /** The request ended. */
  dropBody(): void {
    this.body?.release();
    this.body = null;
  }

  /** Takes new input. */
  take(octets: Buffer): void {
    const { body } = this;
    const behind = body === null || body.isComplete ? octets : this.#takeBody(body, octets);
    if (behind === null) return;
    if (this.isClosed) this.#dropped += behind.length;
    else this.#waiting.push(behind);
  }

  /** Resumes or pauses reading. */
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

  /** Gives the body its part and returns the rest, or null. */
  #takeBody(body: CoreBody, octets: Buffer): Buffer | null {
    const at = body.take(octets, 0);
    if (body.isFaulty) this.close();
    return at === octets.length ? null : octets.subarray(at);
  }
}
