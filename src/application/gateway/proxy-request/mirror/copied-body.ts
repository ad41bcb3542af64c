import { type HeaderList, noHeaders } from '../../../../domain/http/header-list.js';
import type { BodySource } from '../../../ports/gateway/body-source.js';
import type { MaybePromise } from '../../../ports/shared/maybe-promise.js';
import { BufferedBody, ChunkBuffer } from '../buffered-body.js';

/** Receives the copy of a body: exactly one call, unless the copy was given up before. */
export interface BodyCopyListener {
  copied(body: BufferedBody): void;
  /** The body is larger than the limit, or did not reach its end. */
  notCopied(reason: 'body_too_large' | 'body_incomplete'): void;
}

/** A body that is copied while it is read. The reader gets the same pieces at the same time as without a copy. */
export class CopiedBody implements BodySource {
  readonly #source: BodySource;
  readonly #maxOctets: number;
  readonly #listener: BodyCopyListener;
  /** Null: the copy is complete or given up. */
  #kept: ChunkBuffer | null = new ChunkBuffer();

  constructor(source: BodySource, maxOctets: number, listener: BodyCopyListener) {
    this.#source = source;
    this.#maxOctets = maxOctets;
    this.#listener = listener;
  }

  get declaredLength(): number | null {
    return this.#source.declaredLength;
  }

  read(): MaybePromise<Uint8Array | null> {
    let piece: MaybePromise<Uint8Array | null>;
    try {
      piece = this.#source.read();
    } catch (error) {
      this.#fail('body_incomplete');
      throw error;
    }
    if (piece instanceof Promise) return this.#readLater(piece);
    this.#arrived(piece);
    return piece;
  }

  trailers(): HeaderList {
    return this.#source.trailers();
  }

  cancel(): void {
    this.#fail('body_incomplete');
    this.#source.cancel();
  }

  /** Ends the copy without a call of the listener. */
  giveUp(): void {
    this.#kept = null;
  }

  async #readLater(piece: Promise<Uint8Array | null>): Promise<Uint8Array | null> {
    let arrived: Uint8Array | null;
    try {
      arrived = await piece;
    } catch (error) {
      this.#fail('body_incomplete');
      throw error;
    }
    this.#arrived(arrived);
    return arrived;
  }

  #arrived(piece: Uint8Array | null): void {
    const kept = this.#kept;
    if (kept === null) return;
    if (piece === null) this.#complete(kept);
    else if (kept.octets + piece.length > this.#maxOctets) this.#fail('body_too_large');
    else {
      kept.add(piece);
      // A reader that knows the length may stop here.
      if (kept.octets === this.#source.declaredLength) this.#complete(kept);
    }
  }

  #complete(kept: ChunkBuffer): void {
    this.#kept = null;
    // Trailers of requests are not forwarded.
    this.#listener.copied(new BufferedBody(kept, noHeaders, kept.octets));
  }

  #fail(reason: 'body_too_large' | 'body_incomplete'): void {
    if (this.#kept === null) return;
    this.#kept = null;
    this.#listener.notCopied(reason);
  }
}
