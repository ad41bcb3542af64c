import type { ClientHttp2Stream } from 'node:http2';
import type { BodySource } from '../../../../application/ports/gateway/body-source.js';

/** Octets and chunks kept for a resend. */
const maxKeptOctets = 65_536;
const maxKeptPieces = 64;

/** Observes the sending of a body. */
export interface SendingListener {
  /** The stream is blocked. */
  onBlocked(): void;
  /** The stream took data. */
  onProgress(): void;
  /** The whole body is sent. */
  onSent(): void;
  /** The body failed, or its length differs from Content-Length. */
  onFault(error: unknown): void;
}

/** The body length differs from Content-Length. */
export class LengthMismatchError extends Error {}

/**
 * Pulls a request body at the stream's pace. Keeps its beginning for a resend after an unprocessed
 * refusal.
 */
export class RequestSender {
  readonly #body: BodySource;
  readonly #contentLength: number | null;
  readonly #listener: SendingListener;
  #stream: ClientHttp2Stream | null = null;
  /** Chunks that are unsent or kept. */
  readonly #pieces: Uint8Array[] = [];
  /** Index of the next chunk. */
  #next = 0;
  #octets = 0;
  #isKeeping = true;
  #hasEnded = false;
  #isStopped = false;
  #isRunning = false;
  #isBlocked = false;
  #wake: (() => void) | null = null;

  constructor(body: BodySource, contentLength: number | null, listener: SendingListener) {
    this.#body = body;
    this.#contentLength = contentLength;
    this.#listener = listener;
  }

  /** The body can be sent from its start. */
  get isRepeatable(): boolean {
    return this.#isKeeping;
  }

  /** The stream does not take the pending data. */
  get isBlocked(): boolean {
    return this.#isBlocked;
  }

  /** Sends the body from its start. */
  send(stream: ClientHttp2Stream): void {
    this.#stream = stream;
    this.#next = 0;
    const wake = (): void => this.#resume();
    stream.on('drain', wake);
    stream.on('close', wake);
    if (this.#isRunning) this.#resume();
    else void this.#run();
  }

  /** The stream is gone; another one may follow. */
  pause(): void {
    this.#stream = null;
    this.#resume();
  }

  /** No other stream follows; drops the kept chunks. */
  forget(): void {
    this.#isKeeping = false;
    this.#pieces.splice(0, this.#next);
    this.#next = 0;
  }

  /** Stops sending. */
  stop(): void {
    this.#isStopped = true;
    this.#stream = null;
    this.#pieces.length = 0;
    this.#resume();
  }

  async #run(): Promise<void> {
    this.#isRunning = true;
    try {
      while (!this.#isStopped) await this.#step();
    } catch (error) {
      if (!this.#isStopped) this.#listener.onFault(error);
    }
  }

  async #step(): Promise<void> {
    const stream = this.#stream;
    if (stream === null) {
      await this.#pause();
      return;
    }
    const piece = this.#pieces[this.#next];
    if (piece !== undefined) {
      this.#advance();
      if (stream.write(piece)) return;
      this.#isBlocked = true;
      this.#listener.onBlocked();
      await this.#pause();
      this.#isBlocked = false;
      this.#listener.onProgress();
      return;
    }
    if (!this.#hasEnded) {
      await this.#read();
      return;
    }
    stream.end();
    this.#stream = null;
    this.#listener.onSent();
  }

  async #read(): Promise<void> {
    const piece = await this.#body.read();
    if (this.#isStopped) return;
    this.#hasEnded = piece === null;
    this.#octets += piece?.length ?? 0;
    const length = this.#contentLength;
    if (length !== null && (this.#octets > length || (this.#hasEnded && this.#octets < length))) {
      throw new LengthMismatchError('the body is not as long as Content-Length says');
    }
    if (piece === null) return;
    this.#pieces.push(piece);
    if (this.#octets > maxKeptOctets || this.#pieces.length > maxKeptPieces) this.forget();
  }

  #advance(): void {
    if (this.#isKeeping) this.#next += 1;
    else this.#pieces.shift();
  }

  #pause(): Promise<void> {
    return new Promise((resolve) => {
      this.#wake = resolve;
    });
  }

  #resume(): void {
    const wake = this.#wake;
    this.#wake = null;
    wake?.();
  }
}
