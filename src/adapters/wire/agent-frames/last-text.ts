/** Octets of a text that is kept, at the most. */
const maximumLength = 256;

/** A text that is nearly always the same from one message to the next: the string is made once. */
export class LastText {
  readonly #octets = new Uint8Array(maximumLength);
  #length = 0;
  #text = '';

  /** The text of octets of ASCII, from `start` up to `end`. */
  of(octets: Buffer, start: number, end: number): string {
    const length = end - start;
    if (length === this.#length && this.#isHere(octets, start)) return this.#text;
    const text = octets.toString('latin1', start, end);
    if (length <= maximumLength) {
      for (let index = 0; index < length; index += 1) this.#octets[index] = octets[start + index] as number;
      this.#length = length;
      this.#text = text;
    }
    return text;
  }

  #isHere(octets: Buffer, start: number): boolean {
    const last = this.#octets;
    for (let index = 0; index < this.#length; index += 1) if (last[index] !== octets[start + index]) return false;
    return true;
  }
}
