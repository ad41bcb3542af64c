import type { DecompressionRules } from '../../../domain/gateway/limits/decompression-rules.js';
import type { LimitViolation } from '../../../domain/gateway/limits/limit-violation.js';
import type { ContentCoding } from '../../../domain/http/content-codings.js';
import { err, ok, type Result } from '../../../domain/shared/result.js';
import type { AgentFailure } from '../../ports/gateway/agent-client.js';
import { type BodyInflater, InflationError } from '../../ports/gateway/body-inflater.js';
import type { BodySource } from '../../ports/gateway/body-source.js';
import { ChunkBuffer, PrefixedBody } from './buffered-body.js';
import { BodyLimitError, InflatedBody, RecordingBody } from './inflated-body.js';
import type { InspectionCut } from './inspection-limits.js';

const noOctets = new Uint8Array(0);

/** A body cut into pieces of the size that its reader wants. */
class BodyPieces {
  /** All of it has been given. */
  hasEnded = false;
  readonly #source: BodySource;
  /** What was read and not given yet. */
  #left: Uint8Array = noOctets;

  constructor(source: BodySource) {
    this.#source = source;
  }

  /** The next octets as soon as there are any, so many at most; none at the end. */
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

/** A piece of a body as an agent is shown it. */
export interface BodyPiece {
  readonly data: Uint8Array;
  readonly isLast: boolean;
  /** Octets of the whole body where it is known. */
  readonly totalSize: number | null;
  /** Counts from 0. */
  readonly chunkIndex: number;
  /** Octets so far, this piece included. */
  readonly octets: number;
}

/** Why a body cannot be shown to an agent. */
export type ShownBodyFault =
  /** More than agents are shown. */
  | { readonly kind: 'too_large'; readonly violation: LimitViolation }
  /** It ended early or was malformed; its source knows more. */
  | { readonly kind: 'unreadable'; readonly detail: string }
  /** It is not what its Content-Encoding says. */
  | { readonly kind: 'malformed_encoding'; readonly detail: string };

/** What is left of a body that has been shown. */
export interface BodyAfterwards {
  readonly body: BodySource | null;
  /** It is not the one that came. */
  readonly isChanged: boolean;
  /** Set where the rest of it is still being inflated, and may turn out to be over a limit. */
  readonly inflation: InflatedBody | null;
}

/** Octets that an agent may make of a body; they are held until it has decided. */
const maxMutatedOctets = 16_777_216;

/** Where a body comes in small pieces, so many of them are shown as they come; then they are gathered into chunks. */
const maxEagerChunks = 256;

const faultOf = (error: unknown): ShownBodyFault => {
  if (error instanceof BodyLimitError) return { kind: 'too_large', violation: error.violation };
  const detail = error instanceof Error ? error.message : 'unreadable';
  return { kind: error instanceof InflationError ? 'malformed_encoding' : 'unreadable', detail };
};

/** A body as it is shown to one agent: cut into chunks, and kept both as it came and as the agent leaves it. */
export class PresentedBody {
  readonly #cut: InspectionCut;
  /** Null: the message has none. */
  readonly #source: BodySource | null;
  /** Between `#source` and `#inflated`, where codings are taken off. */
  readonly #tapped: RecordingBody | null;
  readonly #inflated: InflatedBody | null;
  readonly #pieces: BodyPieces | null;
  /** Octets of the whole of what is shown, where it is known. */
  readonly #totalSize: number | null;
  readonly #seen: Uint8Array[] = [];
  readonly #left: Uint8Array[] = [];
  #seenOctets = 0;
  #leftOctets = 0;
  #chunks = 0;
  #current: Uint8Array = noOctets;
  #isAllSeen = false;
  #isChanged = false;

  /** `codings`: in the order in which they were applied. */
  constructor(
    source: BodySource | null,
    codings: readonly ContentCoding[],
    cut: InspectionCut,
    decompression: { readonly inflater: BodyInflater; readonly rules: DecompressionRules },
  ) {
    this.#cut = cut;
    this.#source = source;
    const isCoded = source !== null && codings.length > 0;
    this.#tapped = isCoded ? new RecordingBody(source, (octets) => this.#violation(octets)) : null;
    this.#inflated = this.#tapped === null ? null : new InflatedBody(this.#tapped, codings, decompression);
    const shown = this.#inflated ?? source;
    this.#pieces = shown === null ? null : new BodyPieces(shown);
    this.#totalSize = shown === null ? 0 : shown.declaredLength;
  }

  /** The next chunk. */
  async next(): Promise<Result<BodyPiece, ShownBodyFault>> {
    try {
      const violation = this.#violation(this.#source?.declaredLength ?? 0);
      if (violation !== null) throw new BodyLimitError(violation);
      await this.#advance();
    } catch (error) {
      this.#inflated?.cancel();
      return err(faultOf(error));
    }
    const piece = {
      data: this.#current,
      isLast: this.#isAllSeen,
      totalSize: this.#cut.isWhole ? this.#seenOctets : this.#totalSize,
      chunkIndex: this.#chunks,
      octets: this.#seenOctets,
    };
    this.#chunks += 1;
    return ok(piece);
  }

  /**
   * Takes in what the agent makes of the chunk that `next` gave last: null leaves it. A message without a body stays
   * one, whatever is made of it. The error says why something else cannot be.
   */
  keep(mutation: Uint8Array | null): Result<void, AgentFailure> {
    if (this.#source === null) return ok(undefined);
    const current = this.#current;
    if (current.length > 0) this.#seen.push(current);
    const left = mutation ?? current;
    if (mutation !== null && (mutation.length > 0 || current.length > 0)) this.#isChanged = true;
    if (left.length > 0) this.#left.push(left);
    this.#leftOctets += left.length;
    if (this.#leftOctets <= maxMutatedOctets) return ok(undefined);
    const detail = `it makes the body larger than the ${maxMutatedOctets} octets that are held`;
    return err({ code: 'response_too_large', detail });
  }

  /** The whole body as it came: what has been shown and kept, and what has not been shown. */
  original(): BodySource | null {
    if (this.#tapped !== null) {
      this.#inflated?.cancel();
      return this.#tapped.again();
    }
    return this.#pieces?.behind(this.#seen, this.#source?.declaredLength ?? null) ?? null;
  }

  /**
   * The whole body as the agent leaves it. `keepsTrailers`: they go on, and so does a framing that has room for them.
   */
  afterwards(keepsTrailers: boolean): BodyAfterwards {
    if (!this.#isChanged || this.#pieces === null) {
      return { body: this.original(), isChanged: false, inflation: null };
    }
    this.#tapped?.forget();
    const declaredLength = this.#lengthAfterwards(keepsTrailers);
    return {
      body: declaredLength === 0 ? null : this.#pieces.behind(this.#left, declaredLength),
      isChanged: true,
      inflation: this.#isAllSeen ? null : this.#inflated,
    };
  }

  async #advance(): Promise<void> {
    const { isWhole, size, chunkOctets } = this.#cut;
    if (this.#pieces === null) {
      this.#current = noOctets;
      this.#isAllSeen = true;
      return;
    }
    if (isWhole) this.#current = await this.#pieces.gather(size.octets + 1);
    else if (this.#chunks < maxEagerChunks) this.#current = await this.#pieces.next(chunkOctets);
    else this.#current = await this.#pieces.gather(chunkOctets);
    this.#seenOctets += this.#current.length;
    const violation = this.#violation(this.#seenOctets);
    if (violation !== null) throw new BodyLimitError(violation);
    this.#isAllSeen = this.#pieces.hasEnded || this.#seenOctets === this.#totalSize;
  }

  /** Null where it is not known yet, or is not to be declared: trailers come behind an end that was not. */
  #lengthAfterwards(keepsTrailers: boolean): number | null {
    if (this.#isAllSeen) {
      const hasTrailers = keepsTrailers && (this.#source?.trailers().length ?? 0) > 0;
      return hasTrailers ? null : this.#leftOctets;
    }
    return this.#totalSize === null ? null : this.#totalSize - this.#seenOctets + this.#leftOctets;
  }

  #violation(octets: number): LimitViolation | null {
    const { octets: limit, name } = this.#cut.size;
    return octets > limit ? { code: 'body_too_large', name, limit, actual: octets } : null;
  }
}
