import type { HeaderList } from '../../domain/http/header-list.js';
import type { BodySource } from '../ports/body-source.js';

/** A body whose first pieces were read already, for an agent, and are now given again before the rest. */
export class PrefixedBody implements BodySource {
  readonly #pieces: Uint8Array[];
  readonly #rest: BodySource;

  constructor(pieces: readonly Uint8Array[], rest: BodySource) {
    this.#pieces = [...pieces];
    this.#rest = rest;
  }

  get declaredLength(): number | null {
    return this.#rest.declaredLength;
  }

  read(): Promise<Uint8Array | null> {
    const piece = this.#pieces.shift();
    return piece ? Promise.resolve(piece) : this.#rest.read();
  }

  trailers(): HeaderList {
    return this.#rest.trailers();
  }

  cancel(): void {
    this.#pieces.length = 0;
    this.#rest.cancel();
  }
}
