import type { CompressionCoding } from '../../../domain/gateway/route-transforms/accepted-coding.js';
import type { BodySource } from './body-source.js';

/** The compressor failed, which is no fault of the body. */
export class CompressionError extends Error {
  constructor(message: string) {
    super(message);
    this.name = 'CompressionError';
  }
}

/** Applies content codings to bodies: gzip level 6, br quality 4, zstd level 3. */
export interface BodyCompressor {
  /** The codings that this platform has. */
  readonly codings: ReadonlySet<CompressionCoding>;

  /** Compresses octets at once. It occupies the process meanwhile, so they must be few. */
  compressWhole(octets: Uint8Array, coding: CompressionCoding): Uint8Array;

  /**
   * Returns the compressed body, of unknown length. Compresses on demand, beside the thread of the
   * process. Delivers everything it has read when `body` pauses.
   * Reading rejects with the error of `body`, or with a CompressionError.
   *
   * @returns null: too many bodies are being compressed. A body counts until it ends, fails or is
   * cancelled
   */
  compress(body: BodySource, coding: CompressionCoding): BodySource | null;
}
