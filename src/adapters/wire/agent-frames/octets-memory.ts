interface Remembered<Value> {
  readonly octets: Buffer;
  readonly value: Value;
}

/** Hashes of ranges that were looked for; a power of 2. */
const soughtPlaces = 1_024;
const wordBytes = 4;
/** An odd number whose multiples are far apart. */
const spread = 0x9e37_79b1;

/**
 * What octets that come again and again mean. Those that were remembered first are forgotten first. What is found is
 * compared octet by octet: two ranges of the same hash cost time, and are never taken for one another.
 */
export class OctetsMemory<Value> {
  readonly #maximum: number;
  readonly #remembered = new Map<number, Remembered<Value>>();
  /** Those that `putRepeated` was called with and that were not remembered, by their last bits. */
  readonly #sought = new Int32Array(soughtPlaces);
  /** Of the range that was looked for last. */
  #lastHash = 0;
  /** What was found last, by its hash. */
  #found: Remembered<Value> | null = null;
  /** The same where it was found twice in a row: what comes next is compared with it before anything is made of it. */
  #steady: Remembered<Value> | null = null;
  #view: DataView<ArrayBufferLike> = new DataView(new ArrayBuffer(0));

  /** @param maximum ranges that are remembered */
  constructor(maximum: number) {
    this.#maximum = maximum;
  }

  get size(): number {
    return this.#remembered.size;
  }

  /** What the octets from `start` up to `end` were remembered with; null where they were not. */
  find(octets: Buffer, start: number, end: number): Value | null {
    const steady = this.#steady;
    if (steady !== null && isSame(steady.octets, octets, start, end)) return steady.value;
    const hash = this.#hash(octets, start, end);
    this.#lastHash = hash;
    const found = this.#remembered.get(hash);
    if (found === undefined || !isSame(found.octets, octets, start, end)) return null;
    this.#steady = found === this.#found ? found : null;
    this.#found = found;
    return found.value;
  }

  /** Remembers a copy of the octets from `start` up to `end`. */
  put(octets: Buffer, start: number, end: number, value: Value): void {
    this.#put(this.#hash(octets, start, end), octets, start, end, value);
  }

  /**
   * The same from the second time on: what comes once would cost more than it saves. To be called where `find` has
   * just not found these octets.
   */
  putRepeated(octets: Buffer, start: number, end: number, value: Value): void {
    const hash = this.#lastHash;
    const place = hash & (soughtPlaces - 1);
    if (this.#sought[place] === hash) this.#put(hash, octets, start, end, value);
    else this.#sought[place] = hash;
  }

  #put(hash: number, octets: Buffer, start: number, end: number, value: Value): void {
    const [eldest] = this.#remembered.size >= this.#maximum ? this.#remembered.keys() : [];
    if (eldest !== undefined && !this.#remembered.has(hash)) this.#remembered.delete(eldest);
    const copy = Buffer.allocUnsafeSlow(end - start);
    octets.copy(copy, 0, start, end);
    this.#found = null;
    this.#steady = null;
    this.#remembered.set(hash, { octets: copy, value });
  }

  /** Four octets at a time. */
  #hash(octets: Buffer, start: number, end: number): number {
    const { buffer, byteOffset } = octets;
    // Many ranges lie in the same memory.
    if (this.#view.buffer !== buffer) this.#view = new DataView(buffer);
    const view = this.#view;
    const last = byteOffset + end - wordBytes;
    let hash = end - start;
    let place = byteOffset + start;
    for (; place <= last; place += wordBytes) {
      hash = Math.imul(hash ^ view.getInt32(place, true), spread);
      hash ^= hash >>> 15;
    }
    for (; place < byteOffset + end; place += 1) hash = Math.imul(hash ^ view.getUint8(place), spread);
    // As a small integer, which costs no memory of its own.
    return hash >>> 2;
  }
}

const isSame = (known: Buffer, octets: Buffer, start: number, end: number): boolean =>
  known.length === end - start && octets.compare(known, 0, known.length, start, end) === 0;

/** The same octets as a Buffer. */
export const asBuffer = (octets: Uint8Array): Buffer =>
  octets instanceof Buffer ? octets : Buffer.from(octets.buffer, octets.byteOffset, octets.byteLength);
