import { type DecompressionRules, decompressionViolation } from '../../../domain/gateway/limits/decompression-rules.js';
import type { LimitViolation } from '../../../domain/gateway/limits/limit-violation.js';
import type { ContentCoding } from '../../../domain/http/content-codings.js';
import type { HeaderList } from '../../../domain/http/header-list.js';
import type { BodyInflater } from '../../ports/gateway/body-inflater.js';
import { BodyReadError, type BodySource } from '../../ports/gateway/body-source.js';
import { ChunkBuffer, largePieceOctets, PrefixedBody } from './buffered-body.js';

/** A body exceeds the limit for inspection by agents. */
export class BodyLimitError extends BodyReadError {
  readonly violation: LimitViolation;

  constructor(violation: LimitViolation) {
    super('aborted', `${violation.name} is ${violation.limit}`);
    this.name = 'BodyLimitError';
    this.violation = violation;
  }
}

/** After this many pieces, small ones are merged. */
const maxEagerPieces = 256;

/**
 * Records a body while it is read, so that it can be read again from its beginning. Merges small pieces after the
 * first `maxEagerPieces`, because the number of pieces costs a decoder more than their octets.
 */
export class RecordingBody implements BodySource {
  /** Octets read so far. */
  octets = 0;
  readonly #source: BodySource;
  readonly #violationOf: (octets: number) => LimitViolation | null;
  /** Null after `forget`. */
  #kept: ChunkBuffer | null = new ChunkBuffer();
  #given = 0;
  #hasEnded = false;

  /** `violationOf` returns the limit that a number of octets violates, or null. */
  constructor(source: BodySource, violationOf: (octets: number) => LimitViolation | null) {
    this.#source = source;
    this.#violationOf = violationOf;
  }

  get declaredLength(): number | null {
    return this.#source.declaredLength;
  }

  async read(): Promise<Uint8Array | null> {
    this.#given += 1;
    // After `forget` the client or upstream may wait for each octet.
    if (this.#given <= maxEagerPieces || this.#kept === null) return this.#next();
    const gathered = new ChunkBuffer();
    while (gathered.octets < largePieceOctets) {
      const piece = await this.#next();
      if (piece === null) break;
      gathered.add(piece);
    }
    return gathered.octets === 0 ? null : gathered.joined();
  }

  trailers(): HeaderList {
    return this.#source.trailers();
  }

  /** Cancels the source only after `forget`. Before, the body may still be read with `again`. */
  cancel(): void {
    if (this.#kept === null) this.#source.cancel();
  }

  /** The whole body from its first octet. Do not read from this recording afterwards. */
  again(): BodySource {
    return new PrefixedBody(this.#kept?.pieces() ?? [], this.#source, this.#source.declaredLength);
  }

  /** Stops recording. The rest has no limit. */
  forget(): void {
    this.#kept = null;
  }

  async #next(): Promise<Uint8Array | null> {
    if (this.#hasEnded) return null;
    const piece = await this.#source.read();
    if (piece === null) {
      this.#hasEnded = true;
      return null;
    }
    this.octets += piece.length;
    if (this.#kept === null) return piece;
    const violation = this.#violationOf(this.octets);
    if (violation !== null) throw new BodyLimitError(violation);
    this.#kept.add(piece);
    return piece;
  }
}

/** A body without its content codings, within the limits of decompression. */
export class InflatedBody implements BodySource {
  readonly declaredLength = null;
  /** The violated limit; null: none. */
  violation: LimitViolation | null = null;
  readonly #coded: RecordingBody;
  readonly #rules: DecompressionRules;
  readonly #plain: BodySource;

  /** `codings`: in the order in which they were applied. */
  constructor(
    coded: RecordingBody,
    codings: readonly ContentCoding[],
    { inflater, rules }: { readonly inflater: BodyInflater; readonly rules: DecompressionRules },
  ) {
    this.#coded = coded;
    this.#rules = rules;
    // Every layer is counted, because a large layer may inflate to a small one.
    this.#plain = codings.reduceRight<BodySource>(
      (body, coding) => this.#counted(inflater.inflate(body, coding)),
      coded,
    );
  }

  read(): Uint8Array | null | Promise<Uint8Array | null> {
    return this.#plain.read();
  }

  trailers(): HeaderList {
    return this.#plain.trailers();
  }

  cancel(): void {
    this.#plain.cancel();
  }

  #counted(layer: BodySource): BodySource {
    let octets = 0;
    return {
      declaredLength: null,
      read: async () => {
        if (this.violation !== null) throw new BodyLimitError(this.violation);
        const piece = await layer.read();
        octets += piece?.length ?? 0;
        const violation = decompressionViolation(octets, this.#coded.declaredLength ?? this.#coded.octets, this.#rules);
        if (violation === null) return piece;
        this.violation = violation;
        throw new BodyLimitError(violation);
      },
      trailers: () => layer.trailers(),
      cancel: () => layer.cancel(),
    };
  }
}
