import type { ServerResponse } from 'node:http';
import { BodyReadError } from '../../../../application/ports/body-source.js';
import type { ClientBody } from '../../../../application/ports/http-exchange.js';
import type { HeaderList } from '../../../../domain/http/header-list.js';
import { firstBodyWait, nextBodyWait } from '../../../../domain/limits/body-pace.js';
import type { BodyPatience } from '../connections/body-patience.js';
import { ReadAhead, type ReadAheadBudget } from '../connections/read-ahead.js';
import type { FilteredIncomingMessage } from './filtered-incoming-message.js';

interface WaitingReader {
  readonly resolve: (chunk: Uint8Array | null) => void;
  readonly reject: (error: Error) => void;
}

/** The body of a request, read from Node's stream one piece at a time. */
export class IncomingBody implements ClientBody {
  readonly #message: FilteredIncomingMessage;
  /** Set where the client waits for a 100 before it sends the body. */
  #continueWith: ServerResponse | null;
  readonly #patience: BodyPatience;
  readonly #ahead: ReadAhead;
  #started = false;
  #failure: BodyReadError | null = null;
  #waiting: WaitingReader | null = null;
  #timer: NodeJS.Timeout | null = null;
  /** Somebody would have more of it, and reads ahead. */
  #looksAhead = false;
  /** For how long the client may be waited for since the last piece, and was until now; null stands for no waiting at the moment. */
  #mayWaitMs: number;
  #waitedMs = 0;
  #waitsSinceMs: number | null = null;

  constructor(
    message: FilteredIncomingMessage,
    readonly declaredLength: number | null,
    continueWith: ServerResponse | null,
    patience: BodyPatience,
    budget: ReadAheadBudget,
  ) {
    this.#message = message;
    this.#ahead = new ReadAhead(budget);
    this.#continueWith = continueWith;
    this.#patience = patience;
    this.#mayWaitMs = firstBodyWait(patience);
  }

  /** All of it has come, read or not. */
  get isComplete(): boolean {
    return this.#message.complete;
  }

  read(): Promise<Uint8Array | null> {
    if (this.#failure) return Promise.reject(this.#failure);
    if (!this.#started) this.#start();
    const chunk = this.#ahead.take() ?? this.#pull();
    if (chunk !== null) return Promise.resolve(chunk);
    if (this.#message.readableEnded) return Promise.resolve(null);
    if (this.#message.destroyed) return Promise.reject(new BodyReadError('aborted', 'the client went away'));
    return new Promise((resolve, reject) => {
      this.#waiting = { resolve, reject };
      this.#clock();
      const { silenceMs } = this.#patience;
      const leftMs = Math.ceil(Math.max(0, this.#mayWaitMs - this.#waitedMs));
      const why = leftMs < silenceMs ? 'the client was too slow' : 'the client fell silent';
      this.#timer = setTimeout(() => this.fail(new BodyReadError('timed_out', why)), Math.min(silenceMs, leftMs));
    });
  }

  lookAhead(isWanted: boolean): void {
    this.#message.onFull = isWanted && this.#failure === null ? () => this.#readAhead() : null;
    // Whoever waits for a 100 sends nothing.
    this.#looksAhead = this.#message.onFull !== null && this.#continueWith === null;
    this.#clock();
    this.#message.onFull?.();
  }

  trailers(): HeaderList {
    return this.#message.rawTrailers;
  }

  cancel(): void {
    this.fail(new BodyReadError('aborted', 'the body is no longer wanted'));
    // Node lets go of what nobody has begun to read. What was read in part would keep the next request from being read.
    if (!this.#message.complete) return;
    this.#message.removeAllListeners('readable');
    this.#message.resume();
  }

  /** Ends the body with an error: for what Node reports beside the stream. */
  fail(error: BodyReadError): void {
    this.#failure ??= error;
    this.#message.onFull = null;
    this.#looksAhead = false;
    this.#ahead.drop();
    this.#settle((waiting) => waiting.reject(this.#failure as BodyReadError));
  }

  /** Only what keeps the connection from being read: what is less shows its end as it is. */
  #readAhead(): void {
    const message = this.#message;
    while (message.onFull !== null && message.readableLength >= message.readableHighWaterMark && this.#ahead.hasRoom) {
      const chunk = this.#pull();
      if (chunk === null) return;
      this.#ahead.add(chunk);
    }
    if (message.readableLength < message.readableHighWaterMark) return;
    this.#looksAhead = false;
    this.#clock();
  }

  #pull(): Uint8Array | null {
    const chunk = this.#message.read() as Uint8Array | null;
    if (chunk !== null) {
      this.#clock();
      this.#mayWaitMs = nextBodyWait(this.#mayWaitMs, this.#waitedMs, chunk.length, this.#patience);
      this.#waitedMs = 0;
    }
    return chunk;
  }

  /** To be called with each change of who waits for the client. */
  #clock(): void {
    const nowMs = performance.now();
    if (this.#waitsSinceMs !== null) this.#waitedMs += nowMs - this.#waitsSinceMs;
    this.#waitsSinceMs = this.#waiting !== null || this.#looksAhead ? nowMs : null;
  }

  #start(): void {
    this.#started = true;
    this.#continueWith?.writeContinue();
    this.#continueWith = null;
    this.#message.on('readable', () => this.#advance());
    this.#message.on('end', () => this.#settle((waiting) => waiting.resolve(null)));
    this.#message.on('error', () => this.fail(new BodyReadError('aborted', 'the client went away')));
    this.#message.on('close', () => {
      if (!this.#message.readableEnded) this.fail(new BodyReadError('aborted', 'the client went away'));
    });
  }

  #advance(): void {
    if (!this.#waiting) return;
    const chunk = this.#pull();
    if (chunk !== null) this.#settle((waiting) => waiting.resolve(chunk));
  }

  #settle(how: (waiting: WaitingReader) => void): void {
    if (this.#timer) clearTimeout(this.#timer);
    this.#timer = null;
    const waiting = this.#waiting;
    this.#waiting = null;
    this.#clock();
    if (waiting) how(waiting);
  }
}
