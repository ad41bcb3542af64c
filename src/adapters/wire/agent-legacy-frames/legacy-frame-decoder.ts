import { legacyLengthBytes, maxLegacyLength } from './legacy-frame.js';

const firstBodyBytes = 65_536;
const nothing = new Uint8Array(0);

/**
 * Splits the octets of a socket into legacy frames, whatever the sizes of the reads. Holds at most
 * one incomplete frame and allocates as its octets arrive.
 */
export class LegacyFrameDecoder {
  #lengthUsed = 0;
  #length = 0;
  #body: Uint8Array = nothing;
  #bodyUsed = 0;
  #rest: Uint8Array = nothing;
  #failure: string | null = null;

  /** Why decoding failed; null if it has not. */
  get failure(): string | null {
    return this.#failure;
  }

  /**
   * Whether the end of the stream would truncate a frame. An end inside a length is a clean close.
   */
  get isInsideFrame(): boolean {
    return this.#lengthUsed === legacyLengthBytes;
  }

  /** Whether `next` has not returned some received octets. */
  get hasBegun(): boolean {
    return this.#lengthUsed > 0 || this.#rest.length > 0;
  }

  /** Adds received octets. INVARIANT: `next` has returned null for earlier ones. */
  push(chunk: Uint8Array): void {
    this.#rest = chunk;
  }

  /** The payload of the next frame; null if incomplete or after a `failure`. */
  next(): Uint8Array | null {
    if (this.#failure !== null) return null;
    this.#readLength();
    if (this.#failure !== null || !this.isInsideFrame) return null;
    const payload = this.#readBody();
    if (payload === null) return null;
    this.#lengthUsed = 0;
    this.#length = 0;
    this.#body = nothing;
    this.#bodyUsed = 0;
    return payload;
  }

  #take(count: number): Uint8Array {
    const taken = this.#rest.subarray(0, count);
    this.#rest = this.#rest.subarray(count);
    return taken;
  }

  #readLength(): void {
    if (this.isInsideFrame) return;
    for (const octet of this.#take(legacyLengthBytes - this.#lengthUsed)) {
      this.#length = this.#length * 256 + octet;
      this.#lengthUsed += 1;
    }
    if (!this.isInsideFrame) return;
    if (this.#length === 0) this.#failure = 'a frame of length zero';
    else if (this.#length > maxLegacyLength) this.#failure = `a frame of ${this.#length} octets`;
  }

  #readBody(): Uint8Array | null {
    const missing = this.#length - this.#bodyUsed;
    if (this.#bodyUsed === 0 && this.#rest.length >= missing) return this.#take(missing);
    const taken = this.#take(missing);
    this.#reserve(this.#bodyUsed + taken.length);
    this.#body.set(taken, this.#bodyUsed);
    this.#bodyUsed += taken.length;
    return taken.length === missing ? this.#body.subarray(0, this.#bodyUsed) : null;
  }

  /** Grows by doubling, so that copies per octet are bounded on average. */
  #reserve(needed: number): void {
    if (needed <= this.#body.length) return;
    const size = Math.min(this.#length, Math.max(needed, this.#body.length * 2, firstBodyBytes));
    const grown = new Uint8Array(size);
    grown.set(this.#body.subarray(0, this.#bodyUsed));
    this.#body = grown;
  }
}
