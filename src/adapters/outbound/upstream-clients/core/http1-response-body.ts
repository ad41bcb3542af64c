import type { BodyReadError, BodySource } from '../../../../application/ports/gateway/body-source.js';
import { type HeaderList, noHeaders } from '../../../../domain/http/header-list.js';
import { reuse } from './octet-copies.js';

/** Octets that may wait for a reader before the upstream is held back. */
const highWaterOctets = 131_072;
/** What holding a piece costs beside its octets, so that many small ones are not held for nothing. */
const pieceCost = 128;

/** A piece without what it is a small part of: small buffers share memory, which each of them would keep. */
const alone = (piece: Uint8Array): Uint8Array => {
  if (piece.length * 2 >= piece.buffer.byteLength) return piece;
  const copy = Buffer.allocUnsafeSlow(piece.length);
  copy.set(piece);
  return copy;
};

/** What it costs to hold a piece: all of the memory that it is the most of. */
const costOf = (piece: Uint8Array): number => {
  const { byteLength } = piece.buffer;
  return (piece.length * 2 >= byteLength ? byteLength : piece.length) + pieceCost;
};

/** Where the octets of a body come from. */
export interface BodyOrigin {
  /** Nothing waits any more. */
  resumeReading(): void;
  /** The rest is not wanted. */
  cancel(): void;
}

/** The body of a response: the connection pushes, the gateway pulls. */
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

  /** So much waits that nothing more should be read for now. */
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
    // The first is nearly always read at once.
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
