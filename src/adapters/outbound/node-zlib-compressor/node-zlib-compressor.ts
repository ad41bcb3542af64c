import { type BodyCompressor, CompressionError } from '../../../application/ports/gateway/body-compressor.js';
import { BodyReadError, type BodySource } from '../../../application/ports/gateway/body-source.js';
import type { CompressionCoding } from '../../../domain/gateway/route-transforms/accepted-coding.js';
import type { HeaderList } from '../../../domain/http/header-list.js';
import { CompressionPlaces } from './compression-places.js';
import { type ZlibCoder, type ZlibEncoder, zlibCoders } from './zlib-coders.js';

/** Most octets that one job in the thread pool compresses. */
const maxJobOctets = 65_536;

/** A pause of the body after which the octets read so far are delivered, in milliseconds. */
const pauseMs = 10;

const paused = Symbol('paused');

/** A body that is compressed while it is read. */
class CompressedBody implements BodySource {
  readonly declaredLength = null;
  readonly #source: BodySource;
  readonly #encoder: ZlibEncoder;
  readonly #places: CompressionPlaces;
  /** Output that was not read yet: at most that of one job. */
  readonly #output: Uint8Array[] = [];
  /** The rest of the last piece; null: it was compressed. */
  #rest: Uint8Array | null = null;
  /** The read under way. */
  #pending: Promise<Uint8Array | null> | null = null;
  /** The encoder holds octets that it has not delivered. */
  #isDirty = false;
  #hasEnded = false;
  #isReleased = false;
  #failure: Error | null = null;
  /** Ends the wait for a job. */
  #wake: (() => void) | null = null;

  constructor(source: BodySource, encoder: ZlibEncoder, places: CompressionPlaces) {
    this.#source = source;
    this.#encoder = encoder;
    this.#places = places;
    encoder.on('data', (piece: Uint8Array) => this.#output.push(piece));
    encoder.on('end', () => {
      this.#hasEnded = true;
      this.#release();
      this.#wake?.();
    });
    encoder.on('error', ({ message }) => this.#fail(new CompressionError(message)));
  }

  async read(): Promise<Uint8Array | null> {
    for (;;) {
      const piece = this.#output.shift();
      if (piece !== undefined) return piece;
      if (this.#failure !== null) throw this.#failure;
      if (this.#hasEnded) return null;
      await this.#advance();
    }
  }

  trailers(): HeaderList {
    return this.#source.trailers();
  }

  cancel(): void {
    this.#output.length = 0;
    this.#fail(new BodyReadError('aborted', 'the body is no longer needed'));
    this.#source.cancel();
  }

  /** Compresses the next piece. Flushes the encoder if there is none yet. */
  async #advance(): Promise<void> {
    let piece: Uint8Array | null | typeof paused;
    try {
      piece = this.#rest ?? (await this.#next());
    } catch (error) {
      this.#fail(error instanceof Error ? error : new BodyReadError('aborted', String(error)));
      return;
    }
    if (this.#failure !== null) return;
    if (piece === paused) {
      this.#isDirty = false;
      await this.#job((done) => this.#encoder.flush(done));
    } else if (piece === null) {
      // `end` wakes the job after the last output.
      await this.#job(() => this.#encoder.end());
    } else await this.#compress(piece);
  }

  async #compress(piece: Uint8Array): Promise<void> {
    const part = piece.length > maxJobOctets ? piece.subarray(0, maxJobOctets) : piece;
    this.#rest = part === piece ? null : piece.subarray(maxJobOctets);
    if (part.length === 0) return;
    this.#isDirty = true;
    await this.#job((done) => this.#encoder.write(part, done));
  }

  /** The next piece, or `paused` if octets wait in the encoder meanwhile. */
  async #next(): Promise<Uint8Array | null | typeof paused> {
    const next = this.#pending ?? this.#source.read();
    if (!(next instanceof Promise)) return next;
    this.#pending = next;
    const piece = this.#isDirty ? await withinPause(next) : await next;
    if (piece !== paused) this.#pending = null;
    return piece;
  }

  /** Runs one job of the encoder, when the process has a place for it. */
  async #job(start: (done: () => void) => void): Promise<void> {
    const enter = this.#places.enter();
    if (enter !== undefined) await enter;
    try {
      if (this.#failure !== null) return;
      await new Promise<void>((resolve) => {
        this.#wake = resolve;
        start(resolve);
      });
    } finally {
      this.#wake = null;
      this.#places.leave();
    }
  }

  #fail(failure: Error): void {
    this.#failure ??= failure;
    this.#encoder.destroy();
    this.#release();
    this.#wake?.();
  }

  #release(): void {
    if (this.#isReleased) return;
    this.#isReleased = true;
    this.#places.release();
  }
}

/** The piece, or `paused` if it takes longer than the pause. */
const withinPause = async (next: Promise<Uint8Array | null>): Promise<Uint8Array | null | typeof paused> => {
  let timer: NodeJS.Timeout | undefined;
  const pause = new Promise<typeof paused>((resolve) => {
    timer = setTimeout(resolve, pauseMs, paused);
  });
  try {
    return await Promise.race([next, pause]);
  } finally {
    clearTimeout(timer);
  }
};

/** Compresses with Node's zlib. */
export class NodeZlibCompressor implements BodyCompressor {
  readonly codings: ReadonlySet<CompressionCoding> = new Set(zlibCoders.keys());
  readonly #places: CompressionPlaces;

  constructor(places = new CompressionPlaces()) {
    this.#places = places;
  }

  compressWhole(octets: Uint8Array, coding: CompressionCoding): Uint8Array {
    return coderOf(coding).whole(octets);
  }

  compress(body: BodySource, coding: CompressionCoding): BodySource | null {
    if (!this.#places.take()) return null;
    return new CompressedBody(body, coderOf(coding).stream(), this.#places);
  }
}

/** INVARIANT: a route that names a coding without coder is an error when the configuration loads. */
const coderOf = (coding: CompressionCoding): ZlibCoder => {
  const coder = zlibCoders.get(coding);
  if (coder === undefined) throw new CompressionError(`this Node has no ${coding}`);
  return coder;
};
