import type { BodyReadError, BodySource } from '../../../../application/ports/gateway/body-source.js';
import { type HeaderList, noHeaders } from '../../../../domain/http/header-list.js';
import { reuse } from './octet-copies.js';

/** Buffered octets at which reading from the upstream stops. */
const highWaterOctets = 131_072;
/** Overhead per buffered chunk, so that many small ones count. */
const pieceCost = 128;

/** A chunk in its own memory; small buffers share memory, which each of them would retain. */
const alone = (piece: Uint8Array): Uint8Array => {
  if (piece.length * 2 >= piece.buffer.byteLength) return piece;
  const copy = Buffer.allocUnsafeSlow(piece.length);
  copy.set(piece);
  return copy;
};

/** Retained memory of a chunk: the whole buffer if the chunk is most of it. */
const costOf = (piece: Uint8Array): number => {
  const { byteLength } = piece.buffer;
  return (piece.length * 2 >= byteLength ? byteLength : piece.length) + pieceCost;
};

/** Source of a body's octets. */
export interface BodyOrigin {
  /** The buffer is empty. */
  resumeReading(): void;
  /** The rest is not wanted. */
  cancel(): void;
}

/** A response body: the connection pushes, the gateway pulls. */
export class Http1ResponseBody implements BodySource {
  readonly #origin: BodyOrigin;
  readonly #waitingPieces: Uint8Array[] = [];
  #waitingOctets = 0;
  #ended = false;
  #failure: BodyReadError | null = null;
  #trailers: HeaderList = noHeaders;
  #reader: { resolve: (piece: Uint8Array | null) => void; reject: (error: Error) => void } | null = null;

  constructor(
    origin: BodyOrigin,
    readonly declaredLength: number | null,
  ) {
    this.#origin = origin;
  }

  read(): Uint8Array | null | Promise<Uint8Array | null> {
    const piece = this.#waitingPieces.shift();
    if (piece !== undefined) {
      this.#waitingOctets -= costOf(piece);
      if (this.#waitingOctets === 0) this.#origin.resumeReading();
      return piece;
    }
    if (this.#failure !== null) throw this.#failure;
    if (this.#ended) return null;
    return new Promise((resolve, reject) => {
      this.#reader = { resolve, reject };
    });
  }

  reuse(piece: Uint8Array): void {
    reuse(piece);
  }

  trailers(): HeaderList {
    return this.#trailers;
  }

  cancel(): void {
    if (!this.#ended && this.#failure === null) this.#origin.cancel();
  }

  /** The buffer is full; stop reading. */
  get isFull(): boolean {
    return this.#waitingOctets >= highWaterOctets;
  }

  push(piece: Uint8Array): void {
    const reader = this.#reader;
    if (reader !== null) {
      this.#reader = null;
      reader.resolve(piece);
      return;
    }
    // The first chunk is nearly always read at once.
    const held = this.#waitingOctets === 0 ? piece : alone(piece);
    this.#waitingPieces.push(held);
    this.#waitingOctets += costOf(held);
  }

  end(trailers: HeaderList): void {
    this.#ended = true;
    this.#trailers = trailers;
    this.#reader?.resolve(null);
    this.#reader = null;
  }

  fail(error: BodyReadError): void {
    this.#failure = error;
    this.#reader?.reject(error);
    this.#reader = null;
  }
}
