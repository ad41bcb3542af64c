/**
 * A map whose entries have an end. It knows a moment before which none of them ends, so that nobody looks through all of them
 * for nothing.
 */
export class ExpiringMap<Value> {
  readonly #entries = new Map<string, Value>();
  readonly #endOf: (value: Value) => number;
  #noneEndsBefore = Number.POSITIVE_INFINITY;

  /** `endOf`: from that moment on the value is over; it never changes. */
  constructor(endOf: (value: Value) => number) {
    this.#endOf = endOf;
  }

  get size(): number {
    return this.#entries.size;
  }

  get(key: string): Value | undefined {
    return this.#entries.get(key);
  }

  set(key: string, value: Value): void {
    this.#entries.set(key, value);
    this.#noneEndsBefore = Math.min(this.#noneEndsBefore, this.#endOf(value));
  }

  delete(key: string): boolean {
    return this.#entries.delete(key);
  }

  /** In the order in which their keys came. */
  values(): IterableIterator<Value> {
    return this.#entries.values();
  }

  /** The key that came first. */
  firstKey(): string | undefined {
    return this.#entries.keys().next().value;
  }

  /** The keys of at most `limit` entries that are over at `nowMs`, by their order. The caller deletes all of them. */
  over(nowMs: number, limit: number): string[] {
    if (nowMs < this.#noneEndsBefore) return [];
    const keys: string[] = [];
    let earliest = Number.POSITIVE_INFINITY;
    for (const [key, value] of this.#entries) {
      if (keys.length >= limit) return keys;
      const end = this.#endOf(value);
      if (end <= nowMs) keys.push(key);
      else earliest = Math.min(earliest, end);
    }
    this.#noneEndsBefore = earliest;
    return keys;
  }
}
