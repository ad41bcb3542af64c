const quote = 0x22;
const backslash = 0x5c;
const initialBytes = 8_192;
/** Octets of UTF-8 for one character of a string, at most. */
const bytesPerCharacter = 3;
/** Characters from which on room for the worst case would be too much. */
const largeText = 262_144;

const encoder = new TextEncoder();
const nothing = new Uint8Array(0);

/** By character: 1 where it stands in JSON as it is, in one octet. */
const plainCharacters = Uint8Array.from({ length: 0x80 }, (_, code) =>
  code < 0x20 || code === quote || code === backslash ? 0 : 1,
);

/**
 * Octets that are being collected, JSON above all: what has none but plain characters becomes octets without a text
 * between.
 */
export class JsonOctets {
  #octets = nothing;
  #length = 0;

  /** How many there are. What is behind a smaller length is forgotten. */
  get length(): number {
    return this.#length;
  }

  set length(length: number) {
    this.#length = Math.min(length, this.#length);
  }

  /** Octets that there is room for without asking for more memory. */
  get room(): number {
    return this.#octets.length;
  }

  /** Those that there are, as a view; to be written to up to the next call. */
  view(): Uint8Array {
    return this.#octets.subarray(0, this.#length);
  }

  /** Makes room for so many whose values are set later. */
  skip(count: number): void {
    this.#reserve(count);
    this.#length += count;
  }

  set(index: number, octet: number): void {
    this.#octets[index] = octet;
  }

  add(octets: Uint8Array): void {
    this.#reserve(octets.length);
    this.#octets.set(octets, this.#length);
    this.#length += octets.length;
  }

  /** Any text, in UTF-8. */
  addText(text: string): void {
    if (text.length >= largeText) {
      this.add(encoder.encode(text));
      return;
    }
    this.#reserve(text.length * bytesPerCharacter);
    this.#length += encoder.encodeInto(text, this.#octets.subarray(this.#length)).written;
  }

  /** A text of ASCII alone. */
  addAscii(text: string): void {
    const { length } = text;
    this.#reserve(length);
    const octets = this.#octets;
    const start = this.#length;
    for (let index = 0; index < length; index += 1) octets[start + index] = text.charCodeAt(index);
    this.#length = start + length;
  }

  /**
   * A form with the same text in three of its places. False, and nothing is added, where it has a character that does
   * not stand in a string of JSON as it is.
   *
   * @param text as long as each place is
   * @param places where it goes, from the beginning of the form on
   */
  addForm(form: Uint8Array, text: string, places: readonly [number, number, number]): boolean {
    const start = this.#length;
    this.add(form);
    const octets = this.#octets;
    const first = start + places[0];
    const second = start + places[1];
    const third = start + places[2];
    const { length } = text;
    // The texts of ids are parts of longer ones, of which each character is looked for anew.
    for (let index = 0; index < length; index += 1) {
      const code = text.charCodeAt(index);
      if (code > 0x7f || plainCharacters[code] === 0) {
        this.#length = start;
        return false;
      }
      octets[first + index] = code;
      octets[second + index] = code;
      octets[third + index] = code;
    }
    return true;
  }

  /** A string of JSON (RFC 8259, section 7): the same text that JSON.stringify makes. */
  addString(value: string): void {
    const { length } = value;
    this.#reserve(length + 2);
    const octets = this.#octets;
    let place = this.#length;
    octets[place] = quote;
    for (let index = 0; index < length; index += 1) {
      const code = value.charCodeAt(index);
      if (code > 0x7f || plainCharacters[code] === 0) {
        this.#addEscaped(value);
        return;
      }
      place += 1;
      octets[place] = code;
    }
    octets[place + 1] = quote;
    this.#length = place + 2;
  }

  /** The same, or null. */
  addOptionalString(value: string | null): void {
    if (value === null) this.addAscii('null');
    else this.addString(value);
  }

  /** The memory that holds them, which is nobody else's from now on; there are none after that. */
  take(): Uint8Array<ArrayBuffer> {
    const octets = this.#octets;
    this.#octets = nothing;
    this.#length = 0;
    return octets;
  }

  /** Gives back what was taken, to be used again. INVARIANT: there are none. */
  giveBack(octets: Uint8Array<ArrayBuffer>): void {
    this.#octets = octets;
  }

  /**
   * The same of one with characters that are not plain: quotes and backslashes are common in values, others are rare.
   */
  #addEscaped(value: string): void {
    const { length } = value;
    this.#reserve(2 * length + 2);
    const octets = this.#octets;
    let place = this.#length;
    octets[place] = quote;
    for (let index = 0; index < length; index += 1) {
      const code = value.charCodeAt(index);
      if (code === quote || code === backslash) {
        place += 1;
        octets[place] = backslash;
      } else if (code > 0x7f || plainCharacters[code] === 0) {
        this.addText(JSON.stringify(value));
        return;
      }
      place += 1;
      octets[place] = code;
    }
    octets[place + 1] = quote;
    this.#length = place + 2;
  }

  #reserve(count: number): void {
    const needed = this.#length + count;
    if (needed <= this.#octets.length) return;
    const grown = new Uint8Array(Math.max(needed, this.#octets.length * 2, initialBytes));
    grown.set(this.#octets.subarray(0, this.#length));
    this.#octets = grown;
  }
}
