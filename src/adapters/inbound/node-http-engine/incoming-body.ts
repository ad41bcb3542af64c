import type { ServerResponse } from 'node:http';
import { BodyReadError } from '../../../application/ports/body-source.js';
import type { ClientBody } from '../../../application/ports/http-exchange.js';
import type { HeaderList } from '../../../domain/http/header-list.js';
import type { FilteredIncomingMessage } from './filtered-incoming-message.js';
import { ReadAhead, type ReadAheadBudget } from './read-ahead.js';

interface WaitingReader {
  readonly resolve: (chunk: Uint8Array | null) => void;
  readonly reject: (error: Error) => void;
}

/** The body of a request, read from Node's stream one piece at a time. */
export class IncomingBody implements ClientBody {
  readonly #message: FilteredIncomingMessage;
  /** Set where the client waits for a 100 before it sends the body. */
  #continueWith: ServerResponse | null;
  readonly #timeoutMs: number;
  readonly #ahead: ReadAhead;
  #started = false;
  #failure: BodyReadError | null = null;
  #waiting: WaitingReader | null = null;
  #timer: NodeJS.Timeout | null = null;

  constructor(
    message: FilteredIncomingMessage,
    readonly declaredLength: number | null,
    continueWith: ServerResponse | null,
    timeoutMs: number,
    budget: ReadAheadBudget,
  ) {
    this.#message = message;
    this.#ahead = new ReadAhead(budget);
    this.#continueWith = continueWith;
    this.#timeoutMs = timeoutMs;
  }

  /** All of it has come, read or not. */
  get isComplete(): boolean {
    return this.#message.complete;
  }

  read(): Promise<Uint8Array | null> {
    if (this.#failure) return Promise.reject(this.#failure);
    if (!this.#started) this.#start();
    const chunk = this.#ahead.take() ?? (this.#message.read() as Uint8Array | null);
    if (chunk !== null) return Promise.resolve(chunk);
    if (this.#message.readableEnded) return Promise.resolve(null);
    if (this.#message.destroyed) return Promise.reject(new BodyReadError('aborted', 'the client went away'));
    return new Promise((resolve, reject) => {
      this.#waiting = { resolve, reject };
      this.#timer = setTimeout(
        () => this.fail(new BodyReadError('timed_out', 'the client fell silent')),
        this.#timeoutMs,
      );
    });
  }

  lookAhead(isWanted: boolean): void {
    this.#message.onFull = isWanted && this.#failure === null ? () => this.#readAhead() : null;
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
    this.#ahead.drop();
    this.#settle((waiting) => waiting.reject(this.#failure as BodyReadError));
  }

  /** Only what keeps the connection from being read: what is less shows its end as it is. */
  #readAhead(): void {
    const message = this.#message;
    while (message.onFull !== null && message.readableLength >= message.readableHighWaterMark && this.#ahead.hasRoom) {
      const chunk = message.read() as Uint8Array | null;
      if (chunk === null) return;
      this.#ahead.add(chunk);
    }
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
    const chunk = this.#message.read() as Uint8Array | null;
    if (chunk !== null) this.#settle((waiting) => waiting.resolve(chunk));
  }

  #settle(how: (waiting: WaitingReader) => void): void {
    if (this.#timer) clearTimeout(this.#timer);
    this.#timer = null;
    const waiting = this.#waiting;
    this.#waiting = null;
    if (waiting) how(waiting);
  }
}
