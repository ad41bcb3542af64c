import { ChunkedReader } from '../../../src/adapters/wire/http1/chunked-reader.js';
import { HeadBuffer } from '../../../src/adapters/wire/http1/head-buffer.js';
import { faultOf, type HeadReading, incompleteHead } from '../../../src/adapters/wire/http1/head-fault.js';
import { type Framing, fieldList } from '../../../src/adapters/wire/http1/message-head.js';
import {
  readRequestHead,
  readResponseHead,
  requestHead,
  responseFraming,
  responseHead,
} from '../../../src/adapters/wire/http1/read-head.js';

/** A message as the codec reads it. */
export interface Http1Message {
  /** Method and target, or status and reason. */
  readonly line: readonly [string, string];
  readonly minorVersion: 0 | 1;
  readonly fields: readonly string[];
  readonly framing: Framing;
  readonly isPersistent: boolean;
  body: string;
  trailers: readonly string[];
  isComplete: boolean;
}

/** Octets of text that has one character for each. */
export const octetsOf = (text: string): Uint8Array => Uint8Array.from(Buffer.from(text, 'latin1'));

/** One character for each octet. */
export const textOf = (octets: Uint8Array, start = 0, end = octets.length): string =>
  Buffer.from(octets.buffer, octets.byteOffset, octets.length).toString('latin1', start, end);

/**
 * Reads a stream of messages that comes in pieces, as an engine does: heads through a `HeadBuffer` where they come in
 * pieces, then bodies, message behind message until one is the last of its connection.
 */
export class Http1Stream {
  readonly messages: Http1Message[] = [];
  /** The fault that has ended it. */
  fault: string | null = null;
  /** Nothing is read behind the last message: it closes the connection, or a tunnel begins. */
  over: 'closed' | 'tunnel' | null = null;
  /** Octets behind the last message. */
  octetsBehind = 0;
  /** Octets that readers of heads were shown: no more than these can have been looked at. */
  octetsShown = 0;
  readonly #isRequest: boolean;
  readonly #maxHeadOctets: number;
  readonly #maxTrailerOctets: number;
  #held: HeadBuffer | null = null;
  #message: Http1Message | null = null;
  #chunks: ChunkedReader | null = null;
  #left = 0;
  #opensTunnel = false;

  constructor(kind: 'request' | 'response', maxHeadOctets = 65_536, maxTrailerOctets = 16_384) {
    this.#isRequest = kind === 'request';
    this.#maxHeadOctets = maxHeadOctets;
    this.#maxTrailerOctets = maxTrailerOctets;
  }

  /** How it has ended so far, in a word. */
  get ending(): string {
    if (this.fault !== null) return this.fault;
    if (this.over !== null) return this.over;
    return this.#message === null && (this.#held === null || this.#held.length === 0) ? 'between' : 'within';
  }

  feed(piece: Uint8Array): void {
    let at = 0;
    while (at < piece.length && this.fault === null) {
      if (this.over !== null) {
        this.octetsBehind += piece.length - at;
        return;
      }
      at = this.#message === null ? this.#feedHead(piece, at) : this.#feedBody(this.#message, piece, at);
    }
  }

  /** No more will come: what is held is read once more. */
  finish(): void {
    const held = this.#held;
    if (held === null || this.fault !== null) return;
    const reading = this.#read(held.octets, 0, held.length);
    if (reading < 0) this.fault = faultOf(reading);
  }

  #read(octets: Uint8Array, start: number, end: number): HeadReading {
    this.octetsShown += end - start;
    const reader = this.#isRequest ? readRequestHead : readResponseHead;
    return reader(octets, start, end, this.#maxHeadOctets);
  }

  #feedHead(piece: Uint8Array, at: number): number {
    const held = this.#held;
    const head = this.#isRequest ? requestHead : responseHead;
    if (held === null) {
      const reading = this.#read(piece, at, piece.length);
      if (reading === incompleteHead) {
        this.#held = new HeadBuffer();
        this.#held.add(piece, at + head.emptyOctets, piece.length);
        this.#held.noteRead();
        return piece.length;
      }
      return this.#take(piece, at, reading) ? at + reading : piece.length;
    }
    const before = held.length;
    held.add(piece, at, piece.length);
    if (!held.isDue && held.length < this.#maxHeadOctets) return piece.length;
    const reading = this.#read(held.octets, 0, held.length);
    if (reading === incompleteHead) {
      held.drop(head.emptyOctets);
      held.noteRead();
      return piece.length;
    }
    if (!this.#take(held.octets, 0, reading)) return piece.length;
    this.#held = null;
    return at + reading - before;
  }

  /** False where there is a fault. */
  #take(octets: Uint8Array, start: number, reading: HeadReading): boolean {
    if (reading < 0) {
      this.fault = faultOf(reading);
      return false;
    }
    const head = this.#isRequest ? requestHead : responseHead;
    const text = textOf(octets, start + head.emptyOctets, start + reading);
    const message = this.#isRequest ? this.#request(text) : this.#response(text);
    this.messages.push(message);
    this.#message = message;
    this.#left = message.framing === 'length' ? head.contentLength : 0;
    this.#chunks = message.framing === 'chunked' ? new ChunkedReader(textOf, this.#maxTrailerOctets) : null;
    if (message.framing === 'none') this.#end(message);
    return true;
  }

  #request(text: string): Http1Message {
    const { methodEnd, targetStart, targetEnd, contentLength, isChunked, minorVersion, isPersistent } = requestHead;
    const method = text.slice(0, methodEnd);
    this.#opensTunnel = method === 'CONNECT' || (requestHead.hasUpgrade && requestHead.saysUpgrade);
    return {
      line: [method, text.slice(targetStart, targetEnd)],
      minorVersion,
      fields: fieldList(text, requestHead),
      framing: isChunked ? 'chunked' : contentLength > 0 ? 'length' : 'none',
      isPersistent,
      body: '',
      trailers: [],
      isComplete: false,
    };
  }

  #response(text: string): Http1Message {
    const { status, reasonStart, reasonEnd, minorVersion, isPersistent } = responseHead;
    this.#opensTunnel = status === 101;
    const framing = responseFraming(responseHead, false);
    return {
      line: [String(status), text.slice(reasonStart, reasonEnd)],
      minorVersion,
      fields: fieldList(text, responseHead),
      framing,
      // An interim response does not end the exchange, whatever it says.
      isPersistent: status < 200 || (isPersistent && framing !== 'close'),
      body: '',
      trailers: [],
      isComplete: false,
    };
  }

  #end(message: Http1Message): void {
    message.isComplete = true;
    this.#message = null;
    if (this.#opensTunnel) this.over = 'tunnel';
    else if (!message.isPersistent) this.over = 'closed';
  }

  #feedBody(message: Http1Message, piece: Uint8Array, at: number): number {
    if (message.framing === 'close') {
      message.body += textOf(piece, at, piece.length);
      return piece.length;
    }
    if (this.#chunks !== null) return this.#feedChunks(this.#chunks, message, piece, at);
    const end = Math.min(piece.length, at + this.#left);
    message.body += textOf(piece, at, end);
    this.#left -= end - at;
    if (this.#left === 0) this.#end(message);
    return end;
  }

  #feedChunks(chunks: ChunkedReader, message: Http1Message, piece: Uint8Array, at: number): number {
    switch (chunks.step(piece, at, piece.length)) {
      case 'data':
        message.body += textOf(piece, chunks.dataStart, chunks.dataEnd);
        return chunks.at;
      case 'more':
        return piece.length;
      case 'end':
        message.trailers = chunks.trailers;
        this.#end(message);
        return chunks.at;
      case 'faulty':
        this.fault = chunks.fault;
        return piece.length;
    }
  }
}

/** A stream that has come in these pieces, and is over. */
export const readPieces = (
  kind: 'request' | 'response',
  pieces: readonly Uint8Array[],
  maxHeadOctets?: number,
  maxTrailerOctets?: number,
): Http1Stream => {
  const stream = new Http1Stream(kind, maxHeadOctets, maxTrailerOctets);
  for (const piece of pieces) stream.feed(piece);
  stream.finish();
  return stream;
};
