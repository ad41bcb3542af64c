import { carriageReturn, lineFeed } from './octets.js';

const firstRoom = 1_024;
/** Buffers double up to this size and then grow by half, so unused room stays bounded. */
const doubledRoom = 16_384;

/**
 * Collects an incomplete head or trailer section. However small the input chunks, all parse
 * attempts together cost as much as a few parses of the whole.
 */
export class HeadBuffer {
  #octets = new Uint8Array(firstRoom);
  #length = 0;
  /** Octets at the last parse attempt. */
  #readLength = 0;
  /** The input ends with LF, or LF CR. */
  #isBehindLine = false;
  /** Octets other than line ends arrived; leading empty lines end nothing. */
  #hasText = false;
  #hasEmptyLine = false;

  get octets(): Uint8Array {
    return this.#octets;
  }

  get length(): number {
    return this.#length;
  }

  /** Allocated octets. */
  get room(): number {
    return this.#octets.length;
  }

  /**
   * Whether to parse: an empty line arrived, or the size doubled since the last attempt. The caller
   * also parses at its maximum head size.
   */
  get isDue(): boolean {
    return this.#hasEmptyLine || this.#length >= this.#readLength * 2;
  }

  /** A parse attempt found the head incomplete. */
  noteRead(): void {
    this.#readLength = this.#length;
    this.#hasEmptyLine = false;
  }

  /** Drops leading octets, such as empty lines before a head. */
  drop(octets: number): void {
    if (octets <= 0) return;
    this.#octets.copyWithin(0, octets, this.#length);
    this.#length = Math.max(0, this.#length - octets);
    this.#readLength = Math.max(0, this.#readLength - octets);
  }

  add(octets: Uint8Array, start: number, end: number): void {
    const length = this.#length + end - start;
    if (length > this.#octets.length) {
      const { room } = this;
      const wider = new Uint8Array(Math.max(length, room < doubledRoom ? room * 2 : room + (room >> 1)));
      wider.set(this.#octets.subarray(0, this.#length));
      this.#octets = wider;
    }
    this.#octets.set(octets.subarray(start, end), this.#length);
    this.#length = length;
    for (let at = start; at < end; at += 1) {
      const octet = octets[at];
      if (octet === lineFeed) {
        if (this.#isBehindLine) this.#hasEmptyLine = true;
        this.#isBehindLine = this.#hasText;
      } else if (octet !== carriageReturn) {
        this.#isBehindLine = false;
        this.#hasText = true;
      }
    }
  }
}
