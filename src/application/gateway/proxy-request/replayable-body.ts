import type { HeaderList } from '../../../domain/http/header-list.js';
import { BodyReadError, type BodySource } from '../../ports/gateway/body-source.js';
import type { MaybePromise } from '../../ports/shared/maybe-promise.js';

/** A request body that can be sent more than once. */
export interface RepeatableBody {
  /** Every octet that was read is kept, so another attempt is possible. */
  readonly isWhole: boolean;
  /** The body from its first octet, while `isWhole`. Reads of earlier attempts fail. */
  begin(): BodySource;
  /** Releases octets as they are given, because no other attempt follows. */
  forget(): void;
}

/** The most octets that are kept for another attempt. The first piece is always kept. */
const maxKeptOctets = 65_536;
/** The most pieces that are kept, because each one costs memory. */
const maxKeptPieces = 64;

const nothing = new Uint8Array(0);

/** A body that can be read again until it exceeds `maxKeptOctets` or `maxKeptPieces`. Attempts do not overlap. */
export class ReplayableBody implements RepeatableBody {
  readonly #source: BodySource;
  /** Pieces not yet given and, while the body is whole, those already given. */
  readonly #kept: Uint8Array[] = [];
  #keptOctets = 0;
  /** Index of the next piece. */
  #position = 0;
  #isWhole = true;
  #attempt = 0;
  /** The pending read of the source. It can outlive the attempt that began it. */
  #pending: Promise<void> | null = null;
  #hasEnded = false;

  constructor(source: BodySource) {
    this.#source = source;
  }

  get isWhole(): boolean {
    return this.#isWhole;
  }

  begin(): BodySource {
    this.#attempt += 1;
    this.#position = 0;
    const attempt = this.#attempt;
    return {
      declaredLength: this.#source.declaredLength,
      read: () => this.#next(attempt),
      trailers: (): HeaderList => this.#source.trailers(),
      cancel: () => {
        if (attempt === this.#attempt) this.#source.cancel();
      },
    };
  }

  forget(): void {
    this.#isWhole = false;
    this.#kept.splice(0, this.#position);
    this.#position = 0;
  }

  /** All kept pieces are given, and the source has not ended. */
  get #needsRead(): boolean {
    return this.#position >= this.#kept.length && !this.#hasEnded;
  }

  #next(attempt: number): MaybePromise<Uint8Array | null> {
    if (attempt !== this.#attempt) return Promise.reject(new BodyReadError('aborted', 'the attempt is over'));
    if (this.#needsRead && this.#pending === null) this.#readSource();
    return this.#needsRead ? this.#nextLater(attempt) : this.#give();
  }

  /** Gives the next piece after the source delivers it. */
  async #nextLater(attempt: number): Promise<Uint8Array | null> {
    while (this.#needsRead && attempt === this.#attempt) {
      if (this.#pending === null) this.#readSource();
      await this.#pending;
    }
    if (attempt !== this.#attempt) throw new BodyReadError('aborted', 'the attempt is over');
    return this.#give();
  }

  #give(): Uint8Array | null {
    const piece = this.#kept[this.#position];
    if (piece === undefined) return null;
    if (this.#isWhole) this.#position += 1;
    else this.#release();
    return piece;
  }

  #readSource(): void {
    const piece = this.#source.read();
    if (piece instanceof Promise) this.#pending = this.#await(piece);
    else this.#arrived(piece);
  }

  async #await(piece: Promise<Uint8Array | null>): Promise<void> {
    try {
      this.#arrived(await piece);
    } finally {
      this.#pending = null;
    }
  }

  #arrived(piece: Uint8Array | null): void {
    if (piece === null) this.#hasEnded = true;
    else this.#keep(piece);
  }

  #keep(piece: Uint8Array): void {
    this.#kept.push(piece);
    this.#keptOctets += piece.length;
    const isTooMuch = this.#keptOctets > maxKeptOctets || this.#kept.length > maxKeptPieces;
    if (isTooMuch && this.#kept.length > 1) this.forget();
  }

  /** Releases the piece that is given. */
  #release(): void {
    this.#kept[this.#position] = nothing;
    this.#position += 1;
    if (this.#position < this.#kept.length) return;
    this.#kept.length = 0;
    this.#position = 0;
  }
}
