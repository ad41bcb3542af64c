import type { ClientHttp2Stream } from 'node:http2';
import type { BodySource } from '../../../../application/ports/gateway/body-source.js';

/** Octets and pieces that are kept for another stream. */
const maxKeptOctets = 65_536;
const maxKeptPieces = 64;

/** Who is told how the sending of a body goes. */
export interface SendingListener {
  /** The stream takes nothing for now. */
  onBlocked(): void;
  /** The stream has taken something. */
  onProgress(): void;
  /** All of it is sent. */
  onSent(): void;
  /** The body could not be read, or is not as long as it says. */
  onFault(error: unknown): void;
}

/** A body is not what its head says. */
export class LengthMismatchError extends Error {}

/** Pulls a request's body as its stream takes it. The first of it is kept, for a stream that turns out not to have been processed. */
export class RequestSender {
  readonly #body: BodySource;
  readonly #contentLength: number | null;
  readonly #listener: SendingListener;
  #stream: ClientHttp2Stream | null = null;
  /** Read, and not sent on the stream, or kept. */
  readonly #pieces: Uint8Array[] = [];
  /** Index of the piece that is sent next. */
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

  /** It can be sent from its first octet. */
  get isRepeatable(): boolean {
    return this.#isKeeping;
  }

  /** The stream does not take what there is for it. */
  get isBlocked(): boolean {
    return this.#isBlocked;
  }

  /** Sends it from its first octet. */
  send(stream: ClientHttp2Stream): void {
    this.#stream = stream;
    this.#next = 0;
    const wake = (): void => this.#resume();
    stream.on('drain', wake);
    stream.on('close', wake);
    if (this.#isRunning) this.#resume();
    else void this.#run();
  }

  /** The stream is gone; another may come. */
  pause(): void {
    this.#stream = null;
    this.#resume();
  }

  /** There will be no other stream. */
  forget(): void {
    this.#isKeeping = false;
    this.#pieces.splice(0, this.#next);
    this.#next = 0;
  }

  /** Nothing more is to be sent. */
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
