const quote = 0x22;
const backslash = 0x5c;
const initialBytes = 8_192;
/** Maximum UTF-8 octets per UTF-16 code unit. */
const bytesPerCharacter = 3;
/** Texts from this length are encoded first: reserving for the worst case would be too much. */
const largeTextLength = 262_144;

const encoder = new TextEncoder();
const nothing = new Uint8Array(0);

/** By character: 1 if JSON writes it unescaped, in one octet. */
const plainCharacters = Uint8Array.from({ length: 0x80 }, (_, code) =>
  code < 0x20 || code === quote || code === backslash ? 0 : 1,
);

/** A growing buffer for JSON. Plain characters become octets without an intermediate string. */
export class JsonOctets {
  #octets = nothing;
  #length = 0;

  /** Number of octets. A smaller value truncates. */
  get length(): number {
    return this.#length;
  }

  set length(length: number) {
    this.#length = Math.min(length, this.#length);
  }

  /** Capacity without a new allocation. */
  get room(): number {
    return this.#octets.length;
  }

  /** The octets as a view, valid until the next call. */
  view(): Uint8Array {
    return this.#octets.subarray(0, this.#length);
  }

  /** Skips octets to set later. */
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

  /** Adds a text in UTF-8. */
  addText(text: string): void {
    if (text.length >= largeTextLength) {
      this.add(encoder.encode(text));
      return;
    }
    this.#reserve(text.length * bytesPerCharacter);
    this.#length += encoder.encodeInto(text, this.#octets.subarray(this.#length)).written;
  }

  /** Adds an ASCII text. */
  addAscii(text: string): void {
    const { length } = text;
    this.#reserve(length);
    const octets = this.#octets;
    const start = this.#length;
    for (let index = 0; index < length; index += 1) octets[start + index] = text.charCodeAt(index);
    this.#length = start + length;
  }

  /**
   * Adds a template with a text at three offsets. Returns false and adds nothing if JSON would
   * escape a character of the text.
   *
   * @param text as long as each blank
   * @param offsets of the blanks in the template
   */
  addTemplate(template: Uint8Array, text: string, offsets: readonly [number, number, number]): boolean {
    const start = this.#length;
    this.add(template);
    const octets = this.#octets;
    const first = start + offsets[0];
    const second = start + offsets[1];
    const third = start + offsets[2];
    const { length } = text;
    // Ids are slices of longer strings, so each character is read once.
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

  /** Adds a JSON string (RFC 8259, section 7), identical to JSON.stringify. */
  addString(value: string): void {
    const { length } = value;
    this.#reserve(length + 2);
    const octets = this.#octets;
    let at = this.#length;
    octets[at] = quote;
    for (let index = 0; index < length; index += 1) {
      const code = value.charCodeAt(index);
      if (code > 0x7f || plainCharacters[code] === 0) {
        this.#addEscaped(value);
        return;
      }
      at += 1;
      octets[at] = code;
    }
    octets[at + 1] = quote;
    this.#length = at + 2;
  }

  /** Adds a JSON string or null. */
  addOptionalString(value: string | null): void {
    if (value === null) this.addAscii('null');
    else this.addString(value);
  }

  /** Returns the buffer to the caller and starts empty. */
  take(): Uint8Array<ArrayBuffer> {
    const octets = this.#octets;
    this.#octets = nothing;
    this.#length = 0;
    return octets;
  }

  /** Reuses a buffer from `take`. INVARIANT: no octets were added since. */
  reuse(octets: Uint8Array<ArrayBuffer>): void {
    this.#octets = octets;
  }

  /** Adds a string with characters to escape: quotes and backslashes are common, others rare. */
  #addEscaped(value: string): void {
    const { length } = value;
    this.#reserve(2 * length + 2);
    const octets = this.#octets;
    let at = this.#length;
    octets[at] = quote;
    for (let index = 0; index < length; index += 1) {
      const code = value.charCodeAt(index);
      if (code === quote || code === backslash) {
        at += 1;
        octets[at] = backslash;
      } else if (code > 0x7f || plainCharacters[code] === 0) {
        this.addText(JSON.stringify(value));
        return;
      }
      at += 1;
      octets[at] = code;
    }
    octets[at + 1] = quote;
    this.#length = at + 2;
  }

  #reserve(count: number): void {
    const needed = this.#length + count;
    if (needed <= this.#octets.length) return;
    const grown = new Uint8Array(Math.max(needed, this.#octets.length * 2, initialBytes));
    grown.set(this.#octets.subarray(0, this.#length));
    this.#octets = grown;
  }
}
