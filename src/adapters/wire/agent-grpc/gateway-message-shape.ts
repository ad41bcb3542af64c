/** Fields of one message, at the most: small ones cost far more memory than octets. */
const maximumFields = 100_000;
/** Octets of the packed list of versions in a handshake: each of them becomes a number. */
const maximumVersionOctets = 1_024;
/** The members of ProxyToAgent are numbered from 1 to this. */
const lastMember = 11;
const handshakeMember = 1;
const versionsField = 1;

const lengthDelimited = 2;
const longestVarint = 10;

/** Walks over the fields of a message (Protocol Buffers, encoding) without giving out what is in them. */
class FieldWalk {
  readonly #octets: Uint8Array;
  #position: number;
  #end: number;
  /** Number of the current field. */
  field = 0;
  wireType = 0;
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
    const tag = this.#varint();
    this.field = Math.floor(tag / 8);
    this.wireType = tag % 8;
    if (this.field === 0) this.isBroken = true;
    else this.#skipValue();
    return !this.isBroken;
  }

  #skipValue(): void {
    switch (this.wireType) {
      case 0:
        this.#varint();
        return;
      case 1:
        this.#advance(8);
        return;
      case lengthDelimited: {
        const length = this.#varint();
        this.valueStart = this.#position;
        this.#advance(length);
        this.valueEnd = this.#position;
        return;
      }
      case 5:
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
  #varint(): number {
    let value = 0;
    for (let index = 0; index < longestVarint && this.#position < this.#end; index += 1) {
      const octet = this.#octets[this.#position] as number;
      this.#position += 1;
      value += (octet & 0x7f) * 2 ** (7 * index);
      if (octet < 0x80) return value;
    }
    this.isBroken = true;
    return 0;
  }
}

/**
 * Why a ProxyToAgent must not be decoded, or null: it is cut off, holds no message or two, or would take much more memory
 * decoded than it does now. A decoder that takes the last of two messages, where another peer takes the first, would have
 * one judged and the other one forwarded.
 */
export const gatewayMessageFault = (octets: Uint8Array): string | null => {
  let fields = 0;
  let members = 0;
  const outer = new FieldWalk(octets, 0, octets.length);
  while (outer.next()) {
    fields += 1;
    if (fields > maximumFields) return 'it holds too many fields';
    if (outer.field > lastMember) continue;
    members += 1;
    if (members > 1) return 'it holds two messages';
    if (outer.wireType !== lengthDelimited) return 'it is no message of the protocol';
    const inner = new FieldWalk(octets, outer.valueStart, outer.valueEnd);
    while (inner.next()) {
      fields += 1;
      if (fields > maximumFields) return 'it holds too many fields';
      const isVersions = outer.field === handshakeMember && inner.field === versionsField;
      if (
        isVersions &&
        inner.wireType === lengthDelimited &&
        inner.valueEnd - inner.valueStart > maximumVersionOctets
      ) {
        return 'it holds too many versions';
      }
    }
    if (inner.isBroken) return 'it is cut off or no message';
  }
  if (outer.isBroken) return 'it is cut off or no message';
  return members === 0 ? 'it holds no message that this version knows' : null;
};
