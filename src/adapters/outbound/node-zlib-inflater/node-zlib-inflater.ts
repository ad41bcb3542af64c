import type { Transform } from 'node:stream';
import { createBrotliDecompress, createGunzip, createInflate } from 'node:zlib';
import { type BodyInflater, InflationError } from '../../../application/ports/gateway/body-inflater.js';
import { BodyReadError, type BodySource } from '../../../application/ports/gateway/body-source.js';
import type { ContentCoding } from '../../../domain/http/content-codings.js';
import type { HeaderList } from '../../../domain/http/header-list.js';

/** A zlib decoder that counts the octets it has consumed. */
type ZlibDecoder = Transform & { readonly bytesWritten: number };

/** A body that is inflated while it is read. */
class ZlibBody implements BodySource {
  readonly declaredLength = null;
  readonly #source: BodySource;
  readonly #decoder: ZlibDecoder;
  /** Octets written to the decoder. */
  #fed = 0;
  /** The decoder still processes the last piece. */
  #isBusy = false;
  #hasEnded = false;
  #failure: Error | null = null;
  #wake: (() => void) | null = null;

  constructor(source: BodySource, decoder: ZlibDecoder) {
    this.#source = source;
    this.#decoder = decoder;
    decoder.on('readable', () => this.#onProgress());
    decoder.on('end', () => {
      this.#hasEnded = true;
      this.#onProgress();
    });
    decoder.on('error', ({ message }) => this.#fail(new InflationError(message)));
  }

  async read(): Promise<Uint8Array | null> {
    for (;;) {
      if (this.#failure) throw this.#failure;
      const piece = this.#decoder.read() as Uint8Array | null;
      if (piece !== null) return piece;
      if (this.#hasEnded) return this.#end();
      if (this.#isBusy) await this.#progress();
      else await this.#feed();
    }
  }

  trailers(): HeaderList {
    return this.#source.trailers();
  }

  cancel(): void {
    this.#fail(new BodyReadError('aborted', 'the body is no longer needed'));
    this.#source.cancel();
  }

  async #feed(): Promise<void> {
    let piece: Uint8Array | null;
    try {
      piece = await this.#source.read();
    } catch (error) {
      this.#fail(error instanceof Error ? error : new BodyReadError('aborted', String(error)));
      return;
    }
    if (this.#failure) return;
    if (piece === null && this.#fed === 0) {
      this.#hasEnded = true;
      this.#decoder.destroy();
      return;
    }
    this.#isBusy = true;
    if (piece === null) {
      this.#decoder.end();
      return;
    }
    this.#fed += piece.length;
    this.#decoder.write(piece, () => {
      this.#isBusy = false;
      this.#onProgress();
    });
  }

  /**
   * Refuses octets after the end of the coded body: recipients could interpret them differently.
   */
  #end(): null {
    if (this.#fed > 0 && this.#decoder.bytesWritten !== this.#fed) {
      this.#failure = new InflationError('data follows the end of the coded body');
      throw this.#failure;
    }
    return null;
  }

  #fail(failure: Error): void {
    this.#failure ??= failure;
    this.#decoder.destroy();
    this.#onProgress();
  }

  #progress(): Promise<void> {
    return new Promise((resolve) => {
      this.#wake = resolve;
    });
  }

  #onProgress(): void {
    this.#wake?.();
    this.#wake = null;
  }
}

/** Limits a piece to 64 KiB, including what the stream holds back. */
const options = { chunkSize: 32_768 };

/** `deflate` is the zlib format (RFC 9110, section 8.4.1.2). Raw deflate data is refused. */
const decoders: Readonly<Record<ContentCoding, () => ZlibDecoder>> = {
  gzip: () => createGunzip(options),
  deflate: () => createInflate(options),
  br: () => createBrotliDecompress(options),
};

/** Inflates with Node's zlib, in its thread pool. */
export const nodeZlibInflater: BodyInflater = {
  inflate: (body, coding) => new ZlibBody(body, decoders[coding]()),
};
