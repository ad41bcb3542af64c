import type { HeaderList } from '../../../domain/http/header-list.js';
import { BodyReadError, type BodySource } from '../../ports/gateway/body-source.js';
import type { MaybePromise } from '../../ports/shared/maybe-promise.js';

/** A request body that can be sent more than once. */
export interface RepeatableBody {
  /** All that was read is kept: another attempt can have it. */
  readonly isWhole: boolean;
  /** The body from its first octet, while it is whole. Earlier attempts can read no more. */
  begin(): BodySource;
  /** No other attempt follows: octets are released when they are given. */
  forget(): void;
}

/** Octets that are kept for another attempt. The first piece is kept whatever its size. */
const maxKeptOctets = 65_536;
/** Pieces that are kept: each has a cost of its own. */
const maxKeptPieces = 64;

const nothing = new Uint8Array(0);

/** A body that can be read again while little of it was read. One attempt reads it at a time. */
export class ReplayableBody implements RepeatableBody {
  readonly #source: BodySource;
  /** Pieces to give, and those that were given while the body is whole. */
  readonly #kept: Uint8Array[] = [];
  #keptOctets = 0;
  /** Index of the piece that is given next. */
  #position = 0;
  #isWhole = true;
  #attempt = 0;
  /** The pending read of the source. The attempt that began it may be over when it ends. */
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

  /** All pieces are given, and more may come. */
  get #isDry(): boolean {
    return this.#position >= this.#kept.length && !this.#hasEnded;
  }

  #next(attempt: number): MaybePromise<Uint8Array | null> {
    if (attempt !== this.#attempt) return Promise.reject(new BodyReadError('aborted', 'the attempt is over'));
    if (this.#isDry && this.#pending === null) this.#readSource();
    return this.#isDry ? this.#nextSlowly(attempt) : this.#give();
  }

  /** Gives the next piece once the source has to be waited for. */
  async #nextSlowly(attempt: number): Promise<Uint8Array | null> {
    while (this.#isDry && attempt === this.#attempt) {
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
    else this.#came(piece);
  }

  async #await(piece: Promise<Uint8Array | null>): Promise<void> {
    try {
      this.#came(await piece);
    } finally {
      this.#pending = null;
    }
  }

  #came(piece: Uint8Array | null): void {
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
