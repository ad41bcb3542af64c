export const wireTypes = { varint: 0, eightOctets: 1, lengthDelimited: 2, fourOctets: 5 } as const;

const longestVarint = 10;
/** A longer tag or length says nothing more, and decoders differ in where it ends. */
const longestLength = 5;
const tagsEnd = 2 ** 32;

/** Walks over the fields of a message (Protocol Buffers, encoding) without giving out what is in them. */
export class FieldWalk {
  readonly #octets: Uint8Array;
  #position: number;
  #end: number;
  /** Number of the current field. */
  field = 0;
  wireType = 0;
  /** Octets that the value of a varint field takes. */
  varintOctets = 0;
  /** Of the value of a length-delimited field. */
  valueStart = 0;
  valueEnd = 0;
  isBroken = false;

  constructor(octets: Uint8Array, start: number, end: number) {
    this.#octets = octets;
    this.#position = start;
    this.#end = end;
  }

  /** Goes to the next field; false at the end, and where what comes is none. */
  next(): boolean {
    if (this.isBroken || this.#position >= this.#end) return false;
    const tag = this.#varint(longestLength);
    this.field = Math.floor(tag / 8);
    this.wireType = tag % 8;
    if (this.field === 0 || tag >= tagsEnd) this.isBroken = true;
    else if (!this.isBroken) this.#skipValue();
    return !this.isBroken;
  }

  #skipValue(): void {
    switch (this.wireType) {
      case wireTypes.varint: {
        const start = this.#position;
        this.#varint(longestVarint);
        this.varintOctets = this.#position - start;
        return;
      }
      case wireTypes.eightOctets:
        this.#advance(8);
        return;
      case wireTypes.lengthDelimited: {
        const length = this.#varint(longestLength);
        this.valueStart = this.#position;
        this.#advance(length);
        this.valueEnd = this.#position;
        return;
      }
      case wireTypes.fourOctets:
        this.#advance(4);
        return;
      default:
        // Groups were given up long before this protocol began.
        this.isBroken = true;
    }
  }

  #advance(count: number): void {
    if (count > this.#end - this.#position) this.isBroken = true;
    else this.#position += count;
  }

  /** Inexact beyond 2^53, which no tag and no length reaches. */
  #varint(longest: number): number {
    let value = 0;
    for (let index = 0; index < longest && this.#position < this.#end; index += 1) {
      const octet = this.#octets[this.#position] as number;
      this.#position += 1;
      value += (octet & 0x7f) * 2 ** (7 * index);
      if (octet < 0x80) return value;
    }
    this.isBroken = true;
    return 0;
  }
}
