import { carriageReturn, lineFeed } from './octets.js';

const firstRoom = 1_024;
/** Octets of room up to which it is doubled; beyond, it grows by half: what is held may not cost much more than its octets. */
const doubledRoom = 16_384;

/**
 * Holds the beginning of a head, or of a trailer section, until the rest has come. However small the pieces are, what is
 * held is read again only so often that all reading together costs as much as a few readings of the whole.
 */
export class HeadBuffer {
  #octets = new Uint8Array(firstRoom);
  #length = 0;
  /** Octets that were there when it was read last. */
  #readLength = 0;
  /** A line feed was the last octet, but for a carriage return behind it. */
  #isBehindLine = false;
  /** Something else than line ends is in it: empty lines before that end nothing. */
  #hasText = false;
  #hasEmptyLine = false;

  get octets(): Uint8Array {
    return this.#octets;
  }

  get length(): number {
    return this.#length;
  }

  /** Octets of the memory that it has. */
  get room(): number {
    return this.#octets.length;
  }

  /**
   * Whether it is time to read it: an empty line is in it, or it is twice as long as it was. It is also time when it is as
   * long as a head may be, which only who reads it knows.
   */
  get isDue(): boolean {
    return this.#hasEmptyLine || this.#length >= this.#readLength * 2;
  }

  /** It was read, and is incomplete. */
  noteRead(): void {
    this.#readLength = this.#length;
    this.#hasEmptyLine = false;
  }

  /** Drops octets from its front: empty lines before a head, which nobody has to hold. */
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
