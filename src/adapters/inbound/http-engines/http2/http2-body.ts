import type { ServerHttp2Stream } from 'node:http2';
import { BodyReadError } from '../../../../application/ports/gateway/body-source.js';
import type { ClientBody } from '../../../../application/ports/gateway/http-exchange.js';
import { firstBodyWait, nextBodyWait } from '../../../../domain/gateway/limits/body-pace.js';
import type { HeaderList } from '../../../../domain/http/header-list.js';
import { type BodyTimeouts, Deadline, type Deadlines } from '../connections/deadlines.js';
import type { PayloadMeter } from './session-options.js';

interface WaitingReader {
  readonly resolve: (chunk: Uint8Array | null) => void;
  readonly reject: (error: Error) => void;
}

/**
 * The body of a request stream, read chunk by chunk. Unread data closes the flow-control window.
 */
export class Http2Body implements ClientBody {
  readonly #stream: ServerHttp2Stream;
  readonly #patience: BodyTimeouts;
  readonly #deadlines: Deadlines;
  readonly #meter: PayloadMeter;
  readonly #deadline = new Deadline(() => this.#runOut());
  #expectsContinue: boolean;
  #started = false;
  #failure: BodyReadError | null = null;
  #waiting: WaitingReader | null = null;
  #trailers: HeaderList = [];
  /** Time left to wait for the next chunk, and the start of the current wait. */
  #mayWaitMs: number;
  #waitedMs = 0;
  #waitsSinceMs = 0;

  /** @param expectsContinue the client awaits 100 Continue */
  constructor(
    stream: ServerHttp2Stream,
    readonly declaredLength: number | null,
    expectsContinue: boolean,
    patience: BodyTimeouts,
    deadlines: Deadlines,
    meter: PayloadMeter,
  ) {
    this.#stream = stream;
    this.#expectsContinue = expectsContinue;
    this.#patience = patience;
    this.#deadlines = deadlines;
    this.#meter = meter;
    this.#mayWaitMs = firstBodyWait(patience);
    // Trailers may arrive before the first read.
    stream.on('trailers', (_fields: unknown, _flags: unknown, raw: readonly string[]) => {
      this.#trailers = raw;
    });
  }

  read(): Uint8Array | null | Promise<Uint8Array | null> {
    if (this.#failure) return Promise.reject(this.#failure);
    if (!this.#started) this.#start();
    const chunk = this.#pull();
    if (chunk !== null) return chunk;
    if (this.#stream.readableEnded) return null;
    if (this.#stream.destroyed) return Promise.reject(new BodyReadError('aborted', 'the client went away'));
    return new Promise((resolve, reject) => {
      this.#waiting = { resolve, reject };
      this.#waitsSinceMs = performance.now();
      this.#deadlines.set(this.#deadline, this.#waitsSinceMs + Math.min(this.#patience.silenceMs, this.#leftMs()));
    });
  }

  /** The connection is always read, so a lost client is noticed. */
  lookAhead(_isWanted: boolean): void {}

  trailers(): HeaderList {
    return this.#stream.readableEnded ? this.#trailers : [];
  }

  cancel(): void {
    this.#fail(new BodyReadError('aborted', 'the body is no longer wanted'));
  }

  #leftMs(): number {
    return Math.max(0, this.#mayWaitMs - this.#waitedMs);
  }

  #runOut(): void {
    const why = this.#leftMs() < this.#patience.silenceMs ? 'the client was too slow' : 'the client fell silent';
    this.#fail(new BodyReadError('timed_out', why));
  }

  #fail(error: BodyReadError): void {
    this.#failure ??= error;
    this.#settle((waiting) => waiting.reject(this.#failure as BodyReadError));
  }

  #pull(): Uint8Array | null {
    const chunk = this.#stream.read() as Uint8Array | null;
    if (chunk === null) return null;
    this.#meter.octets += chunk.length;
    this.#mayWaitMs = nextBodyWait(this.#mayWaitMs, this.#waitedMs, chunk.length, this.#patience);
    this.#waitedMs = 0;
    return chunk;
  }

  #start(): void {
    this.#started = true;
    const stream = this.#stream;
    if (this.#expectsContinue && !stream.headersSent && !stream.destroyed) stream.additionalHeaders({ ':status': 100 });
    this.#expectsContinue = false;
    stream.on('readable', () => this.#advance());
    stream.on('end', () => this.#settle((waiting) => waiting.resolve(null)));
    stream.on('close', () => {
      if (!stream.readableEnded) this.#fail(new BodyReadError('aborted', 'the client went away'));
    });
  }

  #advance(): void {
    if (this.#waiting === null) return;
    this.#stopWaiting();
    const chunk = this.#pull();
    if (chunk === null) this.#waitsSinceMs = performance.now();
    else this.#settle((waiting) => waiting.resolve(chunk));
  }

  #stopWaiting(): void {
    this.#waitedMs += performance.now() - this.#waitsSinceMs;
  }

  #settle(how: (waiting: WaitingReader) => void): void {
    const waiting = this.#waiting;
    if (waiting === null) return;
    this.#waiting = null;
    this.#deadlines.remove(this.#deadline);
    how(waiting);
  }
}
