import type { ClientHttp2Stream } from 'node:http2';
import type { BodyReadError, BodySource } from '../../../../application/ports/gateway/body-source.js';
import { type HeaderList, noHeaders } from '../../../../domain/http/header-list.js';

/** The body of a response. What is not read stays in the stream, and holds back the upstream by the stream's window. */
export class Http2ResponseBody implements BodySource {
  /** Set when the head has come. */
  declaredLength: number | null = null;
  readonly #stream: ClientHttp2Stream;
  readonly #onRead: () => void;
  readonly #onCancel: () => void;
  /** What was left when all had come: the session may end before it is read, and would take it along. */
  #rest: Uint8Array | null = null;
  #hasEnded = false;
  #failure: BodyReadError | null = null;
  #trailers: HeaderList = noHeaders;
  #reader: { resolve: (piece: Uint8Array | null) => void; reject: (error: Error) => void } | null = null;

  constructor(stream: ClientHttp2Stream, onRead: () => void, onCancel: () => void) {
    this.#stream = stream;
    this.#onRead = onRead;
    this.#onCancel = onCancel;
  }

  /** Something of it has come, or its end. */
  get hasBegun(): boolean {
    return this.#hasEnded || this.#rest !== null || this.#stream.readableLength > 0;
  }

  /** Somebody waits for more. */
  get isAwaited(): boolean {
    return this.#reader !== null;
  }

  read(): Uint8Array | null | Promise<Uint8Array | null> {
    if (this.#failure !== null) return Promise.reject(this.#failure);
    const piece = this.#take();
    if (piece !== null) {
      this.#onRead();
      return piece;
    }
    if (this.#hasEnded) return null;
    return new Promise((resolve, reject) => {
      this.#reader = { resolve, reject };
    });
  }

  trailers(): HeaderList {
    return this.#trailers;
  }

  cancel(): void {
    if (!this.#hasEnded && this.#failure === null) this.#onCancel();
  }

  /** The stream has something to read. */
  noteReadable(): void {
    if (this.#reader === null) return;
    const piece = this.#take();
    if (piece === null) return;
    const { resolve } = this.#reader;
    this.#reader = null;
    resolve(piece);
  }

  /** All has come: it is taken out of the stream, a window full at the most. */
  takeRest(): void {
    this.noteReadable();
    this.#rest = this.#stream.read() as Uint8Array | null;
  }

  end(trailers: HeaderList): void {
    this.#trailers = trailers;
    this.#hasEnded = true;
    if (this.#rest === null) this.#reader?.resolve(null);
    else this.noteReadable();
    this.#reader = null;
  }

  fail(error: BodyReadError): void {
    if (this.#hasEnded) return;
    this.#failure = error;
    this.#reader?.reject(error);
    this.#reader = null;
  }

  #take(): Uint8Array | null {
    if (this.#rest === null) return this.#stream.read() as Uint8Array | null;
    const rest = this.#rest;
    this.#rest = null;
    return rest;
  }
}
