export const wireTypes = { varint: 0, eightOctets: 1, lengthDelimited: 2, fourOctets: 5 } as const;

const maxVarintOctets = 10;
/** A longer tag or length is redundant, and decoders differ on its end. */
const maxLengthOctets = 5;
const tagsEnd = 2 ** 32;

/** Iterates over the fields of a message (Protocol Buffers, encoding) without copying values. */
export class FieldWalk {
  readonly #octets: Uint8Array;
  #position: number;
  #end: number;
  /** Number of the current field. */
  field = 0;
  wireType = 0;
  /** Octets of a varint value. */
  varintOctets = 0;
  /** Offsets of a length-delimited value. */
  valueStart = 0;
  valueEnd = 0;
  isBroken = false;

  constructor(octets: Uint8Array, start: number, end: number) {
    this.#octets = octets;
    this.#position = start;
    this.#end = end;
  }

  /** Advances to the next field; false at the end or if malformed. */
  next(): boolean {
    if (this.isBroken || this.#position >= this.#end) return false;
    const tag = this.#varint(maxLengthOctets);
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
        this.#varint(maxVarintOctets);
        this.varintOctets = this.#position - start;
        return;
      }
      case wireTypes.eightOctets:
        this.#advance(8);
        return;
      case wireTypes.lengthDelimited: {
        const length = this.#varint(maxLengthOctets);
        this.valueStart = this.#position;
        this.#advance(length);
        this.valueEnd = this.#position;
        return;
      }
      case wireTypes.fourOctets:
        this.#advance(4);
        return;
      default:
        // Groups are deprecated and never used by this protocol.
        this.isBroken = true;
    }
  }

  #advance(count: number): void {
    if (count > this.#end - this.#position) this.isBroken = true;
    else this.#position += count;
  }

  /** Inexact beyond 2^53, which tags and lengths never reach. */
  #varint(maxOctets: number): number {
    let value = 0;
    for (let index = 0; index < maxOctets && this.#position < this.#end; index += 1) {
      const octet = this.#octets[this.#position] as number;
      this.#position += 1;
      value += (octet & 0x7f) * 2 ** (7 * index);
      if (octet < 0x80) return value;
    }
    this.isBroken = true;
    return 0;
  }
}

const isContinuation = (octet: number | undefined): boolean => octet !== undefined && (octet & 0xc0) === 0x80;

/** Octets of the non-ASCII character at an offset (RFC 3629, section 4); 0 if invalid. */
const characterLength = (octets: Uint8Array, at: number, end: number): number => {
  const first = octets[at] as number;
  const length = first < 0xe0 ? 2 : first < 0xf0 ? 3 : 4;
  if (first < 0xc2 || first > 0xf4 || at + length > end) return 0;
  const second = octets[at + 1] as number;
  // Overlong, a surrogate, or beyond U+10FFFF.
  if (first === 0xe0 && second < 0xa0) return 0;
  if (first === 0xed && second > 0x9f) return 0;
  if (first === 0xf0 && second < 0x90) return 0;
  if (first === 0xf4 && second > 0x8f) return 0;
  for (let index = 1; index < length; index += 1) if (!isContinuation(octets[at + index])) return 0;
  return length;
};

/** End of the ASCII run at `start`, which covers most of most texts. */
const asciiEnd = (octets: Uint8Array, start: number, end: number): number => {
  let position = start;
  while (position < end && (octets[position] as number) < 0x80) position += 1;
  return position;
};

/** Whether the octets from `start` to `end`, exclusive, are UTF-8. */
export const isUtf8 = (octets: Uint8Array, start: number, end: number): boolean => {
  let position = asciiEnd(octets, start, end);
  while (position < end) {
    const length = characterLength(octets, position, end);
    if (length === 0) return false;
    position = asciiEnd(octets, position + length, end);
  }
  return true;
};
