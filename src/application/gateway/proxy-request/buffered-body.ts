import type { HeaderList } from '../../../domain/http/header-list.js';
import type { BodySource } from '../../ports/gateway/body-source.js';
import { ChunkBuffer } from './chunk-buffer.js';
import { PrefixedBody } from './prefixed-body.js';
import type { RepeatableBody } from './repeatable-body.js';

/** What was read of a body at once. */
export interface BodyPrefix {
  readonly kept: ChunkBuffer;
  /** It is all of the body. */
  readonly hasEnded: boolean;
}

/** Reads a body to its end, or until there is more of it than so many octets. Rejects as the body does. */
export const readAhead = async (body: BodySource, maxOctets: number): Promise<BodyPrefix> => {
  const kept = new ChunkBuffer();
  while (kept.octets <= maxOctets) {
    const piece = await body.read();
    if (piece === null) return { kept, hasEnded: true };
    kept.add(piece);
  }
  return { kept, hasEnded: false };
};

/** A body that has been read to its end. */
export class BufferedBody implements BodySource, RepeatableBody {
  readonly isWhole = true;
  readonly #ended: BodySource;
  #pieces: readonly Uint8Array[];
  #own: BodySource | null = null;

  constructor(
    kept: ChunkBuffer,
    trailers: HeaderList,
    readonly declaredLength: number | null,
  ) {
    this.#pieces = kept.pieces();
    this.#ended = {
      declaredLength,
      read: () => Promise.resolve(null),
      trailers: () => trailers,
      cancel: () => undefined,
    };
  }

  read(): Uint8Array | null | Promise<Uint8Array | null> {
    this.#own ??= this.begin();
    return this.#own.read();
  }

  trailers(): HeaderList {
    return this.#ended.trailers();
  }

  cancel(): void {
    this.forget();
    this.#own?.cancel();
  }

  /** Each attempt goes through the same octets on its own, and holds what it has not given. */
  begin(): BodySource {
    return new PrefixedBody(this.#pieces, this.#ended, this.declaredLength);
  }

  forget(): void {
    this.#pieces = [];
  }
}
