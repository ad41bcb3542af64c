interface Entry<Value> {
  readonly octets: Buffer;
  readonly value: Value;
}

const wordBytes = 4;
/** An odd multiplier for the hash. */
const hashMultiplier = 0x9e37_79b1;

/**
 * Caches values by ranges of octets. Evicts the oldest entry. Compares hits octet by octet, so a
 * hash collision costs time only.
 */
export class OctetRangeCache<Value> {
  readonly #capacity: number;
  readonly #entries = new Map<number, Entry<Value>>();
  /** The last hit by hash. */
  #found: Entry<Value> | null = null;
  /** The entry of two consecutive hits: the next range is compared with it before hashing. */
  #steady: Entry<Value> | null = null;
  #view: DataView<ArrayBufferLike> = new DataView(new ArrayBuffer(0));

  /** @param capacity maximum number of ranges */
  constructor(capacity: number) {
    this.#capacity = capacity;
  }

  get size(): number {
    return this.#entries.size;
  }

  /** The value of the octets from `start` to `end`, exclusive; null on a miss. */
  find(octets: Buffer, start: number, end: number): Value | null {
    const steady = this.#steady;
    if (steady !== null && isSame(steady.octets, octets, start, end)) return steady.value;
    const hash = this.#hash(octets, start, end);
    const found = this.#entries.get(hash);
    if (found === undefined || !isSame(found.octets, octets, start, end)) return null;
    this.#steady = found === this.#found ? found : null;
    this.#found = found;
    return found.value;
  }

  /** Stores a copy of the octets from `start` to `end`, exclusive. */
  put(octets: Buffer, start: number, end: number, value: Value): void {
    const hash = this.#hash(octets, start, end);
    const [eldest] = this.#entries.size >= this.#capacity ? this.#entries.keys() : [];
    if (eldest !== undefined && !this.#entries.has(hash)) this.#entries.delete(eldest);
    const copy = Buffer.allocUnsafeSlow(end - start);
    octets.copy(copy, 0, start, end);
    this.#found = null;
    this.#steady = null;
    this.#entries.set(hash, { octets: copy, value });
  }

  /** Hashes four octets at a time. */
  #hash(octets: Buffer, start: number, end: number): number {
    const { buffer, byteOffset } = octets;
    // Many ranges share a buffer.
    if (this.#view.buffer !== buffer) this.#view = new DataView(buffer);
    const view = this.#view;
    const last = byteOffset + end - wordBytes;
    let hash = end - start;
    let offset = byteOffset + start;
    for (; offset <= last; offset += wordBytes) {
      hash = Math.imul(hash ^ view.getInt32(offset, true), hashMultiplier);
      hash ^= hash >>> 15;
    }
    for (; offset < byteOffset + end; offset += 1) hash = Math.imul(hash ^ view.getUint8(offset), hashMultiplier);
    // A small integer needs no allocation.
    return hash >>> 2;
  }
}

const isSame = (known: Buffer, octets: Buffer, start: number, end: number): boolean =>
  known.length === end - start && octets.compare(known, 0, known.length, start, end) === 0;
