import type { BodyReadError, BodySource } from '../../../../application/ports/gateway/body-source.js';
import type { UpstreamResponse } from '../../../../application/ports/gateway/upstream-client.js';
import { type HeaderList, noHeaders } from '../../../../domain/http/header-list.js';
import type { ResponseLines } from '../../../wire/http1-responses/response-lines.js';

/** Octets; Node cuts smaller buffers from shared memory. */
const smallOctets = 4_096;
/** Largest recycled buffer: the size of one read. */
const largestOctets = 65_536;
/** Free octets kept per size. */
const keptOctets = 1_048_576;

/** Free memory by size. Sizes double, so a buffer is less than twice its content. */
const free: ArrayBuffer[][] = [[], [], [], []];
/** Memory in use; it can be returned once, and only if it came from here. */
const lent = new WeakSet<ArrayBufferLike>();

/** Index in `free` for a size. */
const sizeOf = (octets: number): number => 19 - Math.clz32(octets - 1);

/** Size of the memory that `allocateBuffer` gives for `octets`. */
const memoryFor = (octets: number): number =>
  octets <= smallOctets || octets > largestOctets ? octets : 8_192 << sizeOf(octets);

/**
 * An uninitialized buffer, to be filled before anything reads it. It is garbage-collected, or
 * recycled with `reuse`: fresh memory is cold and costs more than all other work on a large chunk.
 */
export const allocateBuffer = (octets: number): Buffer => {
  if (octets <= smallOctets || octets > largestOctets) return Buffer.allocUnsafe(octets);
  const size = sizeOf(octets);
  const memory = free[size]?.pop() ?? Buffer.allocUnsafeSlow(memoryFor(octets)).buffer;
  lent.add(memory);
  return Buffer.from(memory, 0, octets);
};

/** Recycles the memory of a chunk that nothing uses any more. It must start at the first octet. */
export const reuse = (piece: Uint8Array): void => {
  const { buffer } = piece;
  if (piece.length <= smallOctets || !(buffer instanceof ArrayBuffer) || !lent.delete(buffer)) return;
  const size = sizeOf(buffer.byteLength);
  const kept = free[size];
  if (kept !== undefined && (kept.length + 1) * buffer.byteLength <= keptOctets) kept.push(buffer);
};

/** One character per octet (latin1). */
export const octetText = (octets: Uint8Array, start: number, end: number): string =>
  bufferOf(octets).toString('latin1', start, end);

/** A view, not a copy. */
export const bufferOf = (octets: Uint8Array): Buffer =>
  octets instanceof Buffer ? octets : Buffer.from(octets.buffer, octets.byteOffset, octets.length);

/** INVARIANT: chunks that leave the reader are copies, because the read buffer is reused. */
export const copyOf = (octets: Uint8Array, start: number, end: number): Uint8Array => {
  const copy = allocateBuffer(end - start);
  bufferOf(octets).copy(copy, 0, start, end);
  return copy;
};

/** The filled part of a buffer; copied if much smaller than its memory. */
export const trimmed = (buffer: Buffer, length: number): Uint8Array => {
  if (length * 2 >= memoryFor(buffer.length)) return buffer.subarray(0, length);
  const copy = copyOf(buffer, 0, length);
  reuse(buffer);
  return copy;
};

/** Longest body kept as text; longer ones gain nothing. */
export const maxTextOctets = 4_096;

/** A short complete body kept as text, like its head, so that both are written together. */
export class TextBody implements BodySource {
  readonly declaredLength: number;
  #text: string | null;
  readonly #start: number;

  /** The body starts at `start`, one character per octet. */
  constructor(text: string, start: number) {
    this.#text = text;
    this.#start = start;
    this.declaredLength = text.length - start;
  }

  read(): Uint8Array | null {
    const text = this.readText();
    return text === null ? null : Buffer.from(text, 'latin1');
  }

  readText(): string | null {
    const text = this.#text;
    this.#text = null;
    return text === null ? null : text.slice(this.#start);
  }

  trailers(): HeaderList {
    return noHeaders;
  }

  cancel(): void {
    this.#text = null;
  }
}

/** A complete body that arrived with its head. */
export class WholeBody implements BodySource {
  readonly declaredLength: number;
  #octets: Uint8Array | null;

  /** Null for an empty body. */
  constructor(octets: Uint8Array | null) {
    this.#octets = octets;
    this.declaredLength = octets === null ? 0 : octets.length;
  }

  read(): Uint8Array | null {
    const octets = this.#octets;
    this.#octets = null;
    return octets;
  }

  reuse(piece: Uint8Array): void {
    reuse(piece);
  }

  trailers(): HeaderList {
    return noHeaders;
  }

  cancel(): void {
    this.#octets = null;
  }
}

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

/** A response with its head. The field list is built on demand. */
export class ReceivedResponse implements UpstreamResponse {
  readonly status: number;
  readonly received: ResponseLines;
  readonly body: BodySource | null;
  readonly isBodyLate: boolean;
  readonly tunnel = null;

  constructor(status: number, received: ResponseLines, body: BodySource | null, isBodyLate: boolean) {
    this.status = status;
    this.received = received;
    this.body = body;
    this.isBodyLate = isBodyLate;
  }

  get headers(): HeaderList {
    return this.received.fields;
  }
}
