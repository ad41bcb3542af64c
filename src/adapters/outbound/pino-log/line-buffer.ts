/** Characters that are encoded together: few enough to be in the processor's cache still. */
const groupCharacters = 8 * 1024;
/** Octets that a character of a text becomes in UTF-8, at the most. */
const mostOctets = 3;

/**
 * Lines that wait to be written, encoded as they come: a text that was put together of many thousands of parts takes several times as long.
 * They are encoded into one of two buffers, while the other is written from. What is more than fits waits as text.
 */
export class LineBuffer {
  readonly #octetsOfOne: number;
  #octets: Buffer | null = null;
  #other: Buffer | null = null;
  #filled = 0;
  /** What comes behind that. */
  #text = '';

  /** @param size octets of each of the two */
  constructor(size: number) {
    this.#octetsOfOne = size;
  }

  /** How much waits: characters, or octets of those that are encoded. */
  get length(): number {
    return this.#filled + this.#text.length;
  }

  add(line: string): void {
    this.#text += line;
    if (this.#text.length >= groupCharacters) this.#encode();
  }

  /**
   * Takes out all that waits. The octets stay as they are until the next call.
   *
   * INVARIANT: what the call before gave is not read any more.
   */
  lend(): Buffer {
    this.#encode();
    if (this.#text !== '') return this.copy();
    const lent = this.#octets;
    if (lent === null) return Buffer.alloc(0);
    const octets = lent.subarray(0, this.#filled);
    this.#octets = this.#other;
    this.#other = lent;
    this.#filled = 0;
    return octets;
  }

  /** Takes out all that waits, whoever still reads what was lent before. */
  copy(): Buffer {
    const encoded = this.#octets?.subarray(0, this.#filled) ?? Buffer.alloc(0);
    const octets = Buffer.concat([encoded, Buffer.from(this.#text)]);
    this.#filled = 0;
    this.#text = '';
    return octets;
  }

  #encode(): void {
    if (this.#text === '' || this.#text.length * mostOctets > this.#octetsOfOne - this.#filled) return;
    this.#octets ??= Buffer.allocUnsafeSlow(this.#octetsOfOne);
    this.#filled += this.#octets.write(this.#text, this.#filled);
    this.#text = '';
  }
}
