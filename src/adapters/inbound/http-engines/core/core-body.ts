import { BodyReadError } from '../../../../application/ports/gateway/body-source.js';
import type { ClientBody } from '../../../../application/ports/gateway/http-exchange.js';
import { firstBodyWait, nextBodyWait } from '../../../../domain/gateway/limits/body-pace.js';
import { type HeaderList, noHeaders } from '../../../../domain/http/header-list.js';
import { ChunkedReader, type OctetText } from '../../../wire/http1/chunked-reader.js';
import { requestHead } from '../../../wire/http1/read-request-head.js';
import type { BodyPatience } from '../connections/listener-timers.js';
import { maxReadAheadOctets, type ReadAheadBudget } from '../connections/read-ahead.js';
import { PieceQueue } from './corked-writes.js';
import type { ConnectionSurroundings } from './http1-connection-context.js';
import { inOwnMemory } from './own-memory.js';

/** The body of the request whose head was read last; null where it has none. */
export const newBody = (connection: BodyConnection, { patience, budget }: ConnectionSurroundings): CoreBody | null => {
  const { isChunked, contentLength, expectsContinue, minorVersion } = requestHead;
  if (contentLength <= 0 && !isChunked) return null;
  const length = isChunked ? null : contentLength;
  return new CoreBody(connection, length, expectsContinue && minorVersion === 1, patience.body, budget);
};

/** Octets that are held though nobody has asked for them; one piece may go beyond. */
const maxHeldOctets = 131_072;
/** Octets that the system is read for at once: what is held beyond is everybody's. */
const readOctets = 65_536;
/** Octets of a trailer section. */
const maxTrailerOctets = 16_384;

const octetText: OctetText = (octets, start, end) =>
  Buffer.from(octets.buffer, octets.byteOffset + start, end - start).toString('latin1');

/** What a body needs of the connection that it comes by. */
export interface BodyConnection {
  /** The client waits to be told that its body is wanted (RFC 9110, section 10.1.1). */
  sendContinue(): void;
  /** Somebody waits for more, until this moment of the monotonic clock at the most: then `waitIsOver` is to be called. */
  awaitBody(untilMs: number): void;
  /** Nobody waits any more. */
  bodyAwaitedNoMore(): void;
  /** There is room for more now, or for less. */
  bodyRoomChanged(): void;
}

interface WaitingReader {
  readonly resolve: (piece: Uint8Array | null) => void;
  readonly reject: (error: BodyReadError) => void;
}

/** The body of a request. */
export class CoreBody implements ClientBody {
  /** All of it has come, read or not. */
  isComplete = false;
  /** Somebody has asked for it. */
  wasRead = false;
  /** It broke the rules of its framing: where it ends cannot be known. */
  isFaulty = false;
  /** Octets that came when nobody wanted them any more. */
  unwanted = 0;
  readonly #connection: BodyConnection;
  readonly #patience: BodyPatience;
  readonly #budget: ReadAheadBudget;
  readonly #pieces = new PieceQueue();
  /** Null where its length was declared. */
  readonly #chunks: ChunkedReader | null;
  /** Octets that have not come, where its length was declared. */
  #left: number;
  #awaitsContinue: boolean;
  #failure: BodyReadError | null = null;
  #waiting: WaitingReader | null = null;
  #looksAhead = false;
  /** What it has taken of the shared budget. */
  #charged = 0;
  #isReleased = false;
  /** For how long the client may be waited for since the last piece, and was until now; null stands for no waiting at the moment. */
  #mayWaitMs: number;
  #waitedMs = 0;
  #waitsSinceMs: number | null = null;

  constructor(
    connection: BodyConnection,
    readonly declaredLength: number | null,
    awaitsContinue: boolean,
    patience: BodyPatience,
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

  /** No more of it is to be read of the connection for now. Where all share too much, one read is held, and no more. */
  get isFull(): boolean {
    const held = this.#pieces.octets;
    if (held === 0) return false;
    if (this.#budget.left <= 0) return true;
    return held >= (this.#looksAhead ? maxReadAheadOctets : maxHeldOctets);
  }

  /** Nobody will read what comes of it. */
  get isUnwanted(): boolean {
    return this.#failure !== null;
  }

  read(): Uint8Array | null | Promise<Uint8Array | null> {
    if (this.#failure !== null) return Promise.reject(this.#failure);
    this.wasRead = true;
    const piece = this.#pieces.take();
    if (piece !== null) {
      // Nobody waits for the client of a body that has come: how slow it was counts no more.
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
    // Of one that was read to its last octet nothing is left to be unwanted.
    if (this.isComplete && this.#pieces.octets === 0) return;
    this.fail(new BodyReadError('aborted', 'the body is no longer wanted'));
  }

  /** Ends the body with an error: what has come and what comes is wanted no more. */
  fail(error: BodyReadError): void {
    this.#failure ??= error;
    this.#pieces.clear();
    this.#looksAhead = false;
    this.#settle()?.reject(this.#failure);
    this.#roomChanged();
  }

  /** The exchange is over: what nobody has read is nobody's share any more. */
  release(): void {
    this.#budget.left += this.#charged;
    this.#charged = 0;
    this.#isReleased = true;
  }

  /** Somebody has waited for as long as the client may be waited for. */
  waitIsOver(): void {
    const why = this.#leftMs < this.#patience.silenceMs ? 'the client was too slow' : 'the client fell silent';
    this.fail(new BodyReadError('timed_out', why));
  }

  /** Takes what is its own of the octets from `start` on; gives the place behind that. Their memory is the body's then. */
  take(octets: Buffer, start: number): number {
    // Who sends it does not wait for a word.
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
        // However small the chunks are, what was read at once stays in one piece: the frames between are overwritten.
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
        // What comes while nobody waits for it may fill it up: then the client is not waited for.
        if (this.#waitsSinceMs !== null) this.#clock();
      } else {
        // Whoever reads it may hold it.
        const piece = inOwnMemory(part);
        this.#settle();
        this.#pulled(piece);
        waiting.resolve(piece);
      }
    } else if (this.isComplete && waiting !== null) this.#settle()?.resolve(null);
    if (this.isComplete) this.#looksAhead = false;
  }

  /** What is left of the time for which the client may be waited for before the next piece. */
  get #leftMs(): number {
    return Math.max(0, this.#mayWaitMs - this.#waitedMs);
  }

  /** A piece goes to whoever asked for it. */
  #pulled(piece: Uint8Array): void {
    if (this.#waitsSinceMs !== null) this.#clock();
    this.#mayWaitMs = nextBodyWait(this.#mayWaitMs, this.#waitedMs, piece.length, this.#patience);
    this.#waitedMs = 0;
  }

  /** To be called with each change of who waits for the client. Gives the time. */
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
