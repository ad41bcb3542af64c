import { type DecompressionRules, decompressionViolation } from '../../../domain/gateway/limits/decompression-rules.js';
import type { LimitViolation } from '../../../domain/gateway/limits/limit-violation.js';
import type { ContentCoding } from '../../../domain/http/content-codings.js';
import type { HeaderList } from '../../../domain/http/header-list.js';
import type { BodyInflater } from '../../ports/gateway/body-inflater.js';
import type { BodySource } from '../../ports/gateway/body-source.js';
import { BodyLimitError } from './body-limit-error.js';
import type { RecordingBody } from './recording-body.js';

/** A body without its content codings, held to the limits of decompression however much of it is read. */
export class InflatedBody implements BodySource {
  readonly declaredLength = null;
  /** The limit that it turned out to be over. */
  violation: LimitViolation | null = null;
  readonly #coded: RecordingBody;
  readonly #rules: DecompressionRules;
  readonly #plain: BodySource;

  /** `codings` in the order in which they were applied. */
  constructor(
    coded: RecordingBody,
    codings: readonly ContentCoding[],
    { inflater, rules }: { readonly inflater: BodyInflater; readonly rules: DecompressionRules },
  ) {
    this.#coded = coded;
    this.#rules = rules;
    // Every layer is counted: one that is small again may come of one that is not.
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
