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

/** Divides a body into pieces of a size that the reader chooses. */
class BodyPieces {
  /** The source has ended. */
  hasEnded = false;
  readonly #source: BodySource;
  /** Octets that were read and not yet given. */
  #unread: Uint8Array = noOctets;

  constructor(source: BodySource) {
    this.#source = source;
  }

  /** The next octets, up to `maxOctets`, as soon as any are available; empty at the end. */
  async next(maxOctets: number): Promise<Uint8Array> {
    while (this.#unread.length === 0 && !this.hasEnded) {
      const piece = await this.#source.read();
      if (piece === null) this.hasEnded = true;
      else this.#unread = piece;
    }
    const given = this.#unread.subarray(0, maxOctets);
    this.#unread = this.#unread.subarray(given.length);
    return given;
  }

  /** The next `octets` octets; fewer only at the end. */
  async gather(octets: number): Promise<Uint8Array> {
    const gathered = new ChunkBuffer();
    while (gathered.octets < octets && !this.hasEnded) gathered.add(await this.next(octets - gathered.octets));
    return gathered.joined();
  }

  /** A body of `given` and the octets that were not yet given. */
  following(given: readonly Uint8Array[], declaredLength: number | null): BodySource {
    const pieces = this.#unread.length === 0 ? given : [...given, this.#unread];
    return new PrefixedBody(pieces, this.#source, declaredLength);
  }
}

/** A chunk of a body, as an agent gets it. */
export interface InspectedChunk {
  readonly data: Uint8Array;
  readonly isLast: boolean;
  /** Octets of the whole body; null: unknown. */
  readonly totalSize: number | null;
  /** Counts from 0. */
  readonly chunkIndex: number;
  /** Octets so far, this piece included. */
  readonly octets: number;
}

/** The reason why an agent cannot inspect a body. */
export type BodyInspectionFault =
  /** It exceeds the limit for inspection. */
  | { readonly kind: 'too_large'; readonly violation: LimitViolation }
  /** It ended early or was malformed. Its source has the cause. */
  | { readonly kind: 'unreadable'; readonly detail: string }
  /** It does not match its Content-Encoding. */
  | { readonly kind: 'malformed_encoding'; readonly detail: string };

/** A body after an agent has inspected it. */
export interface BodyAfterwards {
  readonly body: BodySource | null;
  /** An agent has changed it. */
  readonly isChanged: boolean;
  /** Inflates the rest of the body, which may still exceed a limit; null: nothing is left to inflate. */
  readonly inflation: InflatedBody | null;
}

/** The largest body that an agent may produce; octets. They are held until the agent decides. */
const maxMutatedOctets = 16_777_216;

/** After this many chunks, small pieces are gathered into full chunks. */
const maxEagerChunks = 256;

const faultOf = (error: unknown): BodyInspectionFault => {
  if (error instanceof BodyLimitError) return { kind: 'too_large', violation: error.violation };
  const detail = error instanceof Error ? error.message : 'unreadable';
  return { kind: error instanceof InflationError ? 'malformed_encoding' : 'unreadable', detail };
};

/** A body that one agent inspects in chunks. Keeps both the original and the body as the agent leaves it. */
export class ChunkedInspection {
  readonly #cut: InspectionCut;
  /** Null: the message has no body. */
  readonly #source: BodySource | null;
  /** Records `#source` for `#inflated`; null: the body has no codings. */
  readonly #recorded: RecordingBody | null;
  readonly #inflated: InflatedBody | null;
  readonly #pieces: BodyPieces | null;
  /** Octets of the whole decoded body; null: unknown. */
  readonly #totalSize: number | null;
  readonly #seen: Uint8Array[] = [];
  readonly #result: Uint8Array[] = [];
  #seenOctets = 0;
  #resultOctets = 0;
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
    this.#recorded = isCoded ? new RecordingBody(source, (octets) => this.#violation(octets)) : null;
    this.#inflated = this.#recorded === null ? null : new InflatedBody(this.#recorded, codings, decompression);
    const decoded = this.#inflated ?? source;
    this.#pieces = decoded === null ? null : new BodyPieces(decoded);
    this.#totalSize = decoded === null ? 0 : decoded.declaredLength;
  }

  /** The next chunk. */
  async next(): Promise<Result<InspectedChunk, BodyInspectionFault>> {
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
   * Stores the agent's mutation of the last chunk from `next`; null leaves the chunk as it is. Mutations of a message
   * without a body have no effect. The error: the mutated body is too large.
   */
  keep(mutation: Uint8Array | null): Result<void, AgentFailure> {
    if (this.#source === null) return ok(undefined);
    const current = this.#current;
    if (current.length > 0) this.#seen.push(current);
    const result = mutation ?? current;
    if (mutation !== null && (mutation.length > 0 || current.length > 0)) this.#isChanged = true;
    if (result.length > 0) this.#result.push(result);
    this.#resultOctets += result.length;
    if (this.#resultOctets <= maxMutatedOctets) return ok(undefined);
    const detail = `it makes the body larger than ${maxMutatedOctets} octets`;
    return err({ code: 'response_too_large', detail });
  }

  /** The whole original body. */
  original(): BodySource | null {
    if (this.#recorded !== null) {
      this.#inflated?.cancel();
      return this.#recorded.again();
    }
    return this.#pieces?.following(this.#seen, this.#source?.declaredLength ?? null) ?? null;
  }

  /**
   * The whole body as the agent leaves it. `keepsTrailers`: trailers are forwarded, with framing that can carry them.
   */
  afterwards(keepsTrailers: boolean): BodyAfterwards {
    if (!this.#isChanged || this.#pieces === null) {
      return { body: this.original(), isChanged: false, inflation: null };
    }
    this.#recorded?.forget();
    const declaredLength = this.#lengthAfterwards(keepsTrailers);
    return {
      body: declaredLength === 0 ? null : this.#pieces.following(this.#result, declaredLength),
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

  /** The length of the changed body; null: it is unknown, or trailers need framing without a length. */
  #lengthAfterwards(keepsTrailers: boolean): number | null {
    if (this.#isAllSeen) {
      const hasTrailers = keepsTrailers && (this.#source?.trailers().length ?? 0) > 0;
      return hasTrailers ? null : this.#resultOctets;
    }
    return this.#totalSize === null ? null : this.#totalSize - this.#seenOctets + this.#resultOctets;
  }

  #violation(octets: number): LimitViolation | null {
    const { octets: limit, name } = this.#cut.size;
    return octets > limit ? { code: 'body_too_large', name, limit, actual: octets } : null;
  }
}
