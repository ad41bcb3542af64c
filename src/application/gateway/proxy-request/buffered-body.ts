import type { HeaderList } from '../../../domain/http/header-list.js';
import type { BodySource } from '../../ports/gateway/body-source.js';
import { type RepeatableBody, ReplayableBody } from './replayable-body.js';

/** Pieces of this size or more are kept as they are. Smaller ones are merged, because each piece costs memory. */
export const largePieceOctets = 4_096;

/** Merges many small pieces into fewer larger ones. */
export class ChunkBuffer {
  /** Octets of all pieces together. */
  octets = 0;
  readonly #closed: Uint8Array[] = [];
  /** The buffer that small pieces are copied to; null: none yet. */
  #open: Uint8Array | null = null;
  #filled = 0;

  add(piece: Uint8Array): void {
    if (piece.length === 0) return;
    this.octets += piece.length;
    if (this.#filled + piece.length > largePieceOctets) this.#close();
    if (piece.length >= largePieceOctets) {
      this.#closed.push(piece);
      return;
    }
    this.#open ??= new Uint8Array(largePieceOctets);
    this.#open.set(piece, this.#filled);
    this.#filled += piece.length;
  }

  /** All octets, in order. */
  pieces(): readonly Uint8Array[] {
    this.#close();
    return this.#closed;
  }

  /** All octets in one piece. */
  joined(): Uint8Array {
    const [only, ...more] = this.pieces();
    if (only !== undefined && more.length === 0) return only;
    const all = new Uint8Array(this.octets);
    let offset = 0;
    for (const piece of this.#closed) {
      all.set(piece, offset);
      offset += piece.length;
    }
    return all;
  }

  #close(): void {
    // An exact copy keeps the memory held close to the number of octets.
    if (this.#open !== null && this.#filled > 0) this.#closed.push(this.#open.slice(0, this.#filled));
    this.#filled = 0;
  }
}

const nothing = new Uint8Array(0);

/** A body whose beginning was read earlier, for example for an agent. Returns those pieces, then the rest. */
export class PrefixedBody implements BodySource {
  readonly #pieces: Uint8Array[];
  readonly #rest: BodySource;
  #given = 0;

  constructor(
    pieces: readonly Uint8Array[],
    rest: BodySource,
    /** Octets of the pieces and the rest; null: unknown. */
    readonly declaredLength: number | null,
  ) {
    this.#pieces = [...pieces];
    this.#rest = rest;
  }

  read(): Uint8Array | null | Promise<Uint8Array | null> {
    const piece = this.#pieces[this.#given];
    if (piece === undefined) return this.#rest.read();
    // Releases the piece.
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

/** The beginning of a body. */
export interface BodyPrefix {
  readonly kept: ChunkBuffer;
  /** The body has ended. */
  readonly hasEnded: boolean;
}

/** Reads a body to its end, or until it exceeds `maxOctets`. Rejects when the body does. */
export const readAhead = async (body: BodySource, maxOctets: number): Promise<BodyPrefix> => {
  const kept = new ChunkBuffer();
  while (kept.octets <= maxOctets) {
    const piece = await body.read();
    if (piece === null) return { kept, hasEnded: true };
    kept.add(piece);
  }
  return { kept, hasEnded: false };
};

/** A body that was read completely and can be sent several times. */
export class BufferedBody implements BodySource, RepeatableBody {
  readonly isWhole = true;
  readonly #ended: BodySource;
  #pieces: readonly Uint8Array[];
  #own: BodySource | null = null;

  constructor(
    kept: Pick<ChunkBuffer, 'pieces'>,
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

  /** Each attempt reads the same octets and holds those that it has not yet given. */
  begin(): BodySource {
    return new PrefixedBody(this.#pieces, this.#ended, this.declaredLength);
  }

  forget(): void {
    this.#pieces = [];
  }

  /** A body with the same octets, which `forget` of this one does not empty. */
  copy(): BufferedBody {
    const pieces = this.#pieces;
    return new BufferedBody({ pieces: () => pieces }, this.trailers(), this.declaredLength);
  }
}

/** A body that later attempts can read again; null: the body can be sent once. With one target, nothing is kept. */
export const repeatableBody = (body: BodySource, hasChoice: boolean): RepeatableBody | null => {
  if (body instanceof BufferedBody) return body;
  return hasChoice ? new ReplayableBody(body) : null;
};
