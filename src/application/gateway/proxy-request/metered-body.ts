import type { HeaderList } from '../../../domain/http/header-list.js';
import { BodyReadError, type BodySource } from '../../ports/gateway/body-source.js';
import type { MaybePromise } from '../../ports/shared/maybe-promise.js';

/** A body that counts its octets and fails after a limit. */
export class MeteredBody implements BodySource {
  readonly #source: BodySource;
  readonly #maxOctets: number;
  #octets = 0;
  /** The reason why reading failed; null: it has not failed. */
  failure: 'too_large' | BodyReadError['code'] | null = null;
  #ended = false;

  constructor(source: BodySource, maxOctets: number) {
    this.#source = source;
    this.#maxOctets = maxOctets;
  }

  get declaredLength(): number | null {
    return this.#source.declaredLength;
  }

  /** Octets read so far. */
  get octets(): number {
    return this.#octets;
  }

  read(): MaybePromise<Uint8Array | null> {
    let piece: MaybePromise<Uint8Array | null>;
    try {
      piece = this.#source.read();
    } catch (error) {
      throw this.#failed(error);
    }
    return piece instanceof Promise ? this.#readLater(piece) : this.#counted(piece);
  }

  trailers(): HeaderList {
    return this.#source.trailers();
  }

  cancel(): void {
    if (!this.#ended) this.#source.cancel();
  }

  async #readLater(piece: Promise<Uint8Array | null>): Promise<Uint8Array | null> {
    let arrived: Uint8Array | null;
    try {
      arrived = await piece;
    } catch (error) {
      throw this.#failed(error);
    }
    return this.#counted(arrived);
  }

  #counted(piece: Uint8Array | null): Uint8Array | null {
    if (piece === null) {
      this.#ended = true;
      return null;
    }
    this.#octets += piece.length;
    if (this.#octets > this.#maxOctets) {
      this.failure = 'too_large';
      throw new BodyReadError('aborted', `the body is larger than ${this.#maxOctets} octets`);
    }
    return piece;
  }

  #failed(error: unknown): unknown {
    this.failure ??= error instanceof BodyReadError ? error.code : 'aborted';
    return error;
  }
}
