import type { ClientHttp2Stream } from 'node:http2';
import type { BodyReadError, BodySource } from '../../../../application/ports/gateway/body-source.js';
import { type HeaderList, noHeaders } from '../../../../domain/http/header-list.js';

/** A response body. Unread data stays in the stream, and its window holds back the upstream. */
export class Http2ResponseBody implements BodySource {
  /** Set when the head arrives. */
  declaredLength: number | null = null;
  readonly #stream: ClientHttp2Stream;
  readonly #onRead: () => void;
  readonly #onCancel: () => void;
  /** Buffered data at the end: the session may close before it is read and would discard it. */
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

  /** Data or the end arrived. */
  get hasBegun(): boolean {
    return this.#hasEnded || this.#rest !== null || this.#stream.readableLength > 0;
  }

  /** A reader waits. */
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

  /** The stream is readable. */
  noteReadable(): void {
    if (this.#reader === null) return;
    const piece = this.#take();
    if (piece === null) return;
    const { resolve } = this.#reader;
    this.#reader = null;
    resolve(piece);
  }

  /** Takes all data out of the ended stream, at most one window. */
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
