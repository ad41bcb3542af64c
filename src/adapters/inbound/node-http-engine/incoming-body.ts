import type { IncomingMessage, ServerResponse } from 'node:http';
import { BodyReadError, type BodySource } from '../../../application/ports/body-source.js';
import type { HeaderList } from '../../../domain/http/header-list.js';

interface WaitingReader {
  readonly resolve: (chunk: Uint8Array | null) => void;
  readonly reject: (error: Error) => void;
}

/** The body of a request, read from Node's stream one piece at a time. */
export class IncomingBody implements BodySource {
  readonly #message: IncomingMessage;
  /** Set where the client waits for a 100 before it sends the body. */
  #continueWith: ServerResponse | null;
  readonly #timeoutMs: number;
  #started = false;
  #failure: BodyReadError | null = null;
  #waiting: WaitingReader | null = null;
  #timer: NodeJS.Timeout | null = null;

  constructor(
    message: IncomingMessage,
    readonly declaredLength: number | null,
    continueWith: ServerResponse | null,
    timeoutMs: number,
  ) {
    this.#message = message;
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
    const chunk = this.#message.read() as Uint8Array | null;
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

  trailers(): HeaderList {
    return this.#message.rawTrailers;
  }

  cancel(): void {
    this.fail(new BodyReadError('aborted', 'the body is no longer wanted'));
  }

  /** Ends the body with an error: for what Node reports beside the stream. */
  fail(error: BodyReadError): void {
    this.#failure ??= error;
    this.#settle((waiting) => waiting.reject(this.#failure as BodyReadError));
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
