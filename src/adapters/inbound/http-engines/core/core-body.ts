import { BodyReadError } from '../../../../application/ports/gateway/body-source.js';
import type { ClientBody } from '../../../../application/ports/gateway/http-exchange.js';
import { firstBodyWait, nextBodyWait } from '../../../../domain/gateway/limits/body-pace.js';
import { type HeaderList, noHeaders } from '../../../../domain/http/header-list.js';
import { ChunkedReader, type OctetText } from '../../../wire/http1/chunked-reader.js';
import { requestHead } from '../../../wire/http1/read-head.js';
import type { BodyTimeouts } from '../connections/deadlines.js';
import { maxReadAheadOctets, type ReadAheadBudget } from '../connections/read-ahead.js';
import { compactCopy } from './compact-copy.js';
import { PieceQueue } from './corked-writes.js';
import type { Http1ConnectionContext } from './http1-connection-context.js';

/** The body of the last parsed request head, or null. */
export const newBody = (connection: BodyConnection, { patience, budget }: Http1ConnectionContext): CoreBody | null => {
  const { isChunked, contentLength, expectsContinue, minorVersion } = requestHead;
  if (contentLength <= 0 && !isChunked) return null;
  const length = isChunked ? null : contentLength;
  return new CoreBody(connection, length, expectsContinue && minorVersion === 1, patience.body, budget);
};

/** Octets buffered before a read; the last chunk may exceed it. */
const maxHeldOctets = 131_072;
/** Octets of one socket read; buffered data beyond it counts against the shared budget. */
const readOctets = 65_536;
/** Longest trailer section. */
const maxTrailerOctets = 16_384;

const octetText: OctetText = (octets, start, end) =>
  Buffer.from(octets.buffer, octets.byteOffset + start, end - start).toString('latin1');

/** What a body needs from its connection. */
export interface BodyConnection {
  /** The client expects 100 Continue (RFC 9110, section 10.1.1). */
  sendContinue(): void;
  /** A reader waits for data until `untilMs` (monotonic clock); `waitIsOver` must follow then. */
  awaitBody(untilMs: number): void;
  /** The reader no longer waits. */
  bodyAwaitedNoMore(): void;
  /** The free buffer space changed. */
  bodyRoomChanged(): void;
}

interface WaitingReader {
  readonly resolve: (piece: Uint8Array | null) => void;
  readonly reject: (error: BodyReadError) => void;
}

/** A request body with its framing, buffer and timeouts. */
export class CoreBody implements ClientBody {
  /** All octets arrived, read or not. */
  isComplete = false;
  /** The application has started to read. */
  wasRead = false;
  /** The framing is invalid; the end of the body is unknown. */
  isFaulty = false;
  /** Discarded octets. */
  unwanted = 0;
  readonly #connection: BodyConnection;
  readonly #patience: BodyTimeouts;
  readonly #budget: ReadAheadBudget;
  readonly #pieces = new PieceQueue();
  /** Null if Content-Length frames the body. */
  readonly #chunks: ChunkedReader | null;
  /** Octets still to come under Content-Length. */
  #left: number;
  #awaitsContinue: boolean;
  #failure: BodyReadError | null = null;
  #waiting: WaitingReader | null = null;
  #looksAhead = false;
  /** Octets charged to the shared budget. */
  #charged = 0;
  #isReleased = false;
  /**
   * Time left to wait for the next chunk, and the start of the current wait; null if no reader
   * waits.
   */
  #mayWaitMs: number;
  #waitedMs = 0;
  #waitsSinceMs: number | null = null;

  constructor(
    connection: BodyConnection,
    readonly declaredLength: number | null,
    awaitsContinue: boolean,
    patience: BodyTimeouts,
    budget: ReadAheadBudget,
  ) {
    this.#connection = connection;
    this.#left = declaredLength ?? 0;
    this.#chunks = declaredLength === null ? new ChunkedReader(octetText, maxTrailerOctets) : null;
    this.#awaitsContinue = awaitsContinue;
    this.#patience = patience;
    this.#budget = budget;
    this.#mayWaitMs = firstBodyWait(patience);
  }

  /**
   * Stop reading the connection. When the shared budget is exhausted, each body buffers one read.
   */
  get isFull(): boolean {
    const held = this.#pieces.octets;
    if (held === 0) return false;
    if (this.#budget.left <= 0) return true;
    return held >= (this.#looksAhead ? maxReadAheadOctets : maxHeldOctets);
  }

  /** Further data will be discarded. */
  get isUnwanted(): boolean {
    return this.#failure !== null;
  }

  read(): Uint8Array | null | Promise<Uint8Array | null> {
    if (this.#failure !== null) return Promise.reject(this.#failure);
    this.wasRead = true;
    const piece = this.#pieces.take();
    if (piece !== null) {
      // A complete body needs no more waiting; its pace no longer matters.
      if (this.isComplete) this.#charge();
      else {
        this.#pulled(piece);
        this.#roomChanged();
      }
      return piece;
    }
    if (this.isComplete) return null;
    if (this.#awaitsContinue) {
      this.#awaitsContinue = false;
      this.#connection.sendContinue();
    }
    return new Promise((resolve, reject) => {
      this.#waiting = { resolve, reject };
      const nowMs = this.#clock();
      this.#connection.awaitBody(nowMs + Math.min(this.#patience.silenceMs, this.#leftMs));
    });
  }

  lookAhead(isWanted: boolean): void {
    this.#looksAhead = isWanted && this.#failure === null && !this.isComplete;
    this.#clock();
    this.#roomChanged();
  }

  trailers(): HeaderList {
    return this.isComplete ? (this.#chunks?.trailers ?? noHeaders) : noHeaders;
  }

  cancel(): void {
    // The body was read completely; nothing is left to discard.
    if (this.isComplete && this.#pieces.octets === 0) return;
    this.fail(new BodyReadError('aborted', 'the body is no longer wanted'));
  }

  /** Fails the body and discards present and future data. */
  fail(error: BodyReadError): void {
    this.#failure ??= error;
    this.#pieces.clear();
    this.#looksAhead = false;
    this.#settle()?.reject(this.#failure);
    this.#roomChanged();
  }

  /** The exchange ended: returns the budget of unread data. */
  release(): void {
    this.#budget.left += this.#charged;
    this.#charged = 0;
    this.#isReleased = true;
  }

  /** The wait for the client timed out. */
  waitIsOver(): void {
    const why = this.#leftMs < this.#patience.silenceMs ? 'the client was too slow' : 'the client fell silent';
    this.fail(new BodyReadError('timed_out', why));
  }

  /**
   * Consumes its part of `octets` from `start` and returns the index after it. The body then owns
   * the memory.
   */
  take(octets: Buffer, start: number): number {
    // The client sends without waiting for 100 Continue.
    this.#awaitsContinue = false;
    if (this.isFaulty) {
      this.unwanted += octets.length - start;
      return octets.length;
    }
    return this.#chunks === null ? this.#takeCounted(octets, start) : this.#takeChunks(this.#chunks, octets, start);
  }

  #takeCounted(octets: Buffer, start: number): number {
    const end = Math.min(octets.length, start + this.#left);
    this.#left -= end - start;
    this.isComplete = this.#left === 0;
    this.#came(octets, start, end);
    return end;
  }

  #takeChunks(chunks: ChunkedReader, octets: Buffer, start: number): number {
    let at = start;
    let first = start;
    let last = start;
    for (;;) {
      const step = chunks.step(octets, at, octets.length);
      if (step === 'faulty') {
        this.isFaulty = true;
        this.fail(new BodyReadError('malformed', 'the request body is malformed'));
        return octets.length;
      }
      at = chunks.at;
      if (step !== 'data') {
        this.isComplete = step === 'end';
        this.#came(octets, first, last);
        return at;
      }
      if (last === first) {
        first = chunks.dataStart;
        last = chunks.dataEnd;
      } else {
        // Keep one read in one buffer however small its chunks are, by overwriting the chunk
        // headers.
        octets.copyWithin(last, chunks.dataStart, chunks.dataEnd);
        last += chunks.dataEnd - chunks.dataStart;
      }
    }
  }

  #came(octets: Buffer, start: number, end: number): void {
    const length = end - start;
    if (this.#failure !== null) {
      this.unwanted += length;
      return;
    }
    const waiting = this.#waiting;
    if (length > 0) {
      const part = length === octets.length ? octets : octets.subarray(start, end);
      if (waiting === null) {
        this.#pieces.push(part);
        this.#charge();
        // Data without a reader may fill the buffer; the client is not waited for then.
        if (this.#waitsSinceMs !== null) this.#clock();
      } else {
        // The reader may keep this chunk.
        const piece = compactCopy(part);
        this.#settle();
        this.#pulled(piece);
        waiting.resolve(piece);
      }
    } else if (this.isComplete && waiting !== null) this.#settle()?.resolve(null);
    if (this.isComplete) this.#looksAhead = false;
  }

  /** Time left to wait for the next chunk, in milliseconds. */
  get #leftMs(): number {
    return Math.max(0, this.#mayWaitMs - this.#waitedMs);
  }

  /** Gives a chunk to the reader. */
  #pulled(piece: Uint8Array): void {
    if (this.#waitsSinceMs !== null) this.#clock();
    this.#mayWaitMs = nextBodyWait(this.#mayWaitMs, this.#waitedMs, piece.length, this.#patience);
    this.#waitedMs = 0;
  }

  /** Call it whenever a wait starts or ends. Returns the current time. */
  #clock(): number {
    const nowMs = performance.now();
    if (this.#waitsSinceMs !== null) this.#waitedMs += nowMs - this.#waitsSinceMs;
    const isAwaited = this.#waiting !== null || (this.#looksAhead && !this.#awaitsContinue && !this.isFull);
    this.#waitsSinceMs = isAwaited && !this.isComplete ? nowMs : null;
    return nowMs;
  }

  #settle(): WaitingReader | null {
    const waiting = this.#waiting;
    if (waiting === null) return null;
    this.#waiting = null;
    this.#clock();
    this.#connection.bodyAwaitedNoMore();
    return waiting;
  }

  #roomChanged(): void {
    this.#charge();
    this.#connection.bodyRoomChanged();
  }

  #charge(): void {
    if (this.#isReleased) return;
    const over = Math.max(0, this.#pieces.octets - readOctets);
    this.#budget.left -= over - this.#charged;
    this.#charged = over;
  }
}
