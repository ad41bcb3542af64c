import type { HeaderList } from '../../domain/http/header-list.js';
import type { LimitViolation } from '../../domain/limits/limit-violation.js';
import type { BodySource } from '../ports/body-source.js';
import { BodyLimitError } from './body-limit-error.js';
import { PrefixedBody } from './prefixed-body.js';

/** A body that remembers what is read of it, so that it can be had again from its beginning. */
export class TappedBody implements BodySource {
  /** Octets read so far. */
  octets = 0;
  readonly #source: BodySource;
  readonly #violationOf: (octets: number) => LimitViolation | null;
  /** Null once nothing is remembered any more. */
  #pieces: Uint8Array[] | null = [];

  /** `violationOf` says what is too much to be remembered. */
  constructor(source: BodySource, violationOf: (octets: number) => LimitViolation | null) {
    this.#source = source;
    this.#violationOf = violationOf;
  }

  get declaredLength(): number | null {
    return this.#source.declaredLength;
  }

  async read(): Promise<Uint8Array | null> {
    const piece = await this.#source.read();
    if (piece === null) return null;
    this.octets += piece.length;
    if (this.#pieces === null) return piece;
    const violation = this.#violationOf(this.octets);
    if (violation !== null) throw new BodyLimitError(violation);
    this.#pieces.push(piece);
    return piece;
  }

  trailers(): HeaderList {
    return this.#source.trailers();
  }

  /** Whoever reads it through this one is done; the source is left to whoever gets the body again. */
  cancel(): void {
    if (this.#pieces === null) this.#source.cancel();
  }

  /** All of it, from its first octet. Nothing may be read through this one any more. */
  again(): BodySource {
    return new PrefixedBody(this.#pieces ?? [], this.#source, this.#source.declaredLength);
  }

  /** It is not needed again: from now on it is only passed through, whatever its size. */
  forget(): void {
    this.#pieces = null;
  }
}
