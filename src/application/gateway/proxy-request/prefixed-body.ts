import type { HeaderList } from '../../../domain/http/header-list.js';
import type { BodySource } from '../../ports/gateway/body-source.js';

const nothing = new Uint8Array(0);

/** A body whose first pieces were read already, for an agent, and are now given, as it left them, before the rest. */
export class PrefixedBody implements BodySource {
  readonly #pieces: Uint8Array[];
  readonly #rest: BodySource;
  #given = 0;

  constructor(
    pieces: readonly Uint8Array[],
    rest: BodySource,
    /** Octets of pieces and rest together; null where that is not known. */
    readonly declaredLength: number | null,
  ) {
    this.#pieces = [...pieces];
    this.#rest = rest;
  }

  read(): Uint8Array | null | Promise<Uint8Array | null> {
    const piece = this.#pieces[this.#given];
    if (piece === undefined) return this.#rest.read();
    // What is given is not held any longer.
    this.#pieces[this.#given] = nothing;
    this.#given += 1;
    return Promise.resolve(piece);
  }

  trailers(): HeaderList {
    return this.#rest.trailers();
  }

  cancel(): void {
    this.#pieces.length = 0;
    this.#rest.cancel();
  }
}
