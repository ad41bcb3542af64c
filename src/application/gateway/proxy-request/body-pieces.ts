import type { BodySource } from '../../ports/gateway/body-source.js';
import { ChunkBuffer } from './chunk-buffer.js';
import { PrefixedBody } from './prefixed-body.js';

const nothing = new Uint8Array(0);

/** A body cut into pieces of the size that its reader wants. */
export class BodyPieces {
  /** All of it has been given. */
  hasEnded = false;
  readonly #source: BodySource;
  /** What was read and not given yet. */
  #left: Uint8Array = nothing;

  constructor(source: BodySource) {
    this.#source = source;
  }

  /** The next octets as soon as there are any, so many at the most; none at the end. */
  async next(maxOctets: number): Promise<Uint8Array> {
    while (this.#left.length === 0 && !this.hasEnded) {
      const piece = await this.#source.read();
      if (piece === null) this.hasEnded = true;
      else this.#left = piece;
    }
    const given = this.#left.subarray(0, maxOctets);
    this.#left = this.#left.subarray(given.length);
    return given;
  }

  /** The next so many octets; fewer only at the end. */
  async gather(octets: number): Promise<Uint8Array> {
    const gathered = new ChunkBuffer();
    while (gathered.octets < octets && !this.hasEnded) gathered.add(await this.next(octets - gathered.octets));
    return gathered.joined();
  }

  /** `given`, and then what has not been given yet. */
  behind(given: readonly Uint8Array[], declaredLength: number | null): BodySource {
    const pieces = this.#left.length === 0 ? given : [...given, this.#left];
    return new PrefixedBody(pieces, this.#source, declaredLength);
  }
}
