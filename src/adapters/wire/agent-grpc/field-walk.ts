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

const isContinuation = (octet: number | undefined): boolean => octet !== undefined && (octet & 0xc0) === 0x80;

/** Octets of the character beyond ASCII that begins there (RFC 3629, section 4); 0 where none does. */
const characterLength = (octets: Uint8Array, at: number, end: number): number => {
  const first = octets[at] as number;
  const length = first < 0xe0 ? 2 : first < 0xf0 ? 3 : 4;
  if (first < 0xc2 || first > 0xf4 || at + length > end) return 0;
  const second = octets[at + 1] as number;
  // Longer than it has to be, a surrogate, or beyond U+10FFFF.
  if (first === 0xe0 && second < 0xa0) return 0;
  if (first === 0xed && second > 0x9f) return 0;
  if (first === 0xf0 && second < 0x90) return 0;
  if (first === 0xf4 && second > 0x8f) return 0;
  for (let index = 1; index < length; index += 1) if (!isContinuation(octets[at + index])) return 0;
  return length;
};

/** Where the ASCII that begins at `start` ends: most of most texts, which can be long. */
const asciiEnd = (octets: Uint8Array, start: number, end: number): number => {
  let position = start;
  while (position < end && (octets[position] as number) < 0x80) position += 1;
  return position;
};

/** Whether the octets from `start` up to `end` are UTF-8. */
export const isUtf8 = (octets: Uint8Array, start: number, end: number): boolean => {
  let position = asciiEnd(octets, start, end);
  while (position < end) {
    const length = characterLength(octets, position, end);
    if (length === 0) return false;
    position = asciiEnd(octets, position + length, end);
  }
  return true;
};
