/** A heap entry; belongs to one heap. */
interface HeapEntry<Value> {
  readonly key: string;
  value: Value;
  /** Index in the heap, owned by the heap. */
  index: number;
}

/**
 * Entries by expiry in a binary heap: no parent expires after its children. Each change takes
 * logarithmic time.
 */
export class ExpiryHeap<Value> {
  readonly #entries: HeapEntry<Value>[] = [];
  readonly #expiryOf: (value: Value) => number;

  constructor(expiryOf: (value: Value) => number) {
    this.#expiryOf = expiryOf;
  }

  add(key: string, value: Value): HeapEntry<Value> {
    const entry = { key, value, index: this.#entries.length };
    this.#entries.push(entry);
    this.#rise(entry);
    return entry;
  }

  /** Moves an entry whose expiry changed. */
  moved(entry: HeapEntry<Value>): void {
    this.#rise(entry);
    this.#sink(entry);
  }

  remove(entry: HeapEntry<Value>): void {
    const last = this.#entries.pop();
    if (last === undefined || last === entry) return;
    this.#put(last, entry.index);
    this.moved(last);
  }

  /**
   * At most `limit` entries that expired at `nowMs`, unordered. Inspects at most twice as many
   * others.
   */
  expiredAt(nowMs: number, limit: number): HeapEntry<Value>[] {
    const found: HeapEntry<Value>[] = [];
    const indexes = [0];
    while (found.length < limit) {
      const index = indexes.pop();
      if (index === undefined) break;
      const entry = this.#entries[index];
      if (entry === undefined || this.#expiryOf(entry.value) > nowMs) continue;
      found.push(entry);
      indexes.push(2 * index + 1, 2 * index + 2);
    }
    return found;
  }

  #rise(entry: HeapEntry<Value>): void {
    const end = this.#expiryOf(entry.value);
    while (entry.index > 0) {
      const parent = this.#entries[(entry.index - 1) >> 1];
      if (parent === undefined || this.#expiryOf(parent.value) <= end) return;
      this.#swap(entry, parent);
    }
  }

  #sink(entry: HeapEntry<Value>): void {
    const end = this.#expiryOf(entry.value);
    for (;;) {
      const child = this.#earlierChild(entry.index);
      if (child === null || this.#expiryOf(child.value) >= end) return;
      this.#swap(entry, child);
    }
  }

  #earlierChild(index: number): HeapEntry<Value> | null {
    const [left, right] = [this.#entries[2 * index + 1], this.#entries[2 * index + 2]];
    if (left === undefined || right === undefined) return left ?? null;
    return this.#expiryOf(right.value) < this.#expiryOf(left.value) ? right : left;
  }

  #swap(one: HeapEntry<Value>, other: HeapEntry<Value>): void {
    const { index } = one;
    this.#put(one, other.index);
    this.#put(other, index);
  }

  #put(entry: HeapEntry<Value>, index: number): void {
    entry.index = index;
    this.#entries[index] = entry;
  }
}

/** A map with expiring values. Expired ones are found without a full scan, even in a full map. */
export class ExpiringMap<Value> {
  readonly #entries = new Map<string, HeapEntry<Value>>();
  readonly #byExpiry: ExpiryHeap<Value>;

  /** @param expiryOf expiry of a value; it must not change */
  constructor(expiryOf: (value: Value) => number) {
    this.#byExpiry = new ExpiryHeap(expiryOf);
  }

  get size(): number {
    return this.#entries.size;
  }

  get(key: string): Value | undefined {
    return this.#entries.get(key)?.value;
  }

  set(key: string, value: Value): void {
    const known = this.#entries.get(key);
    if (known === undefined) {
      this.#entries.set(key, this.#byExpiry.add(key, value));
      return;
    }
    known.value = value;
    this.#byExpiry.moved(known);
  }

  delete(key: string): boolean {
    const entry = this.#entries.get(key);
    if (entry === undefined) return false;
    this.#byExpiry.remove(entry);
    return this.#entries.delete(key);
  }

  /** In insertion order of the keys. */
  *values(): IterableIterator<Value> {
    for (const { value } of this.#entries.values()) yield value;
  }

  /** The oldest key. */
  firstKey(): string | undefined {
    return this.#entries.keys().next().value;
  }

  /** Keys of at most `limit` entries that expired at `nowMs`, unordered. */
  expired(nowMs: number, limit: number): string[] {
    return this.#byExpiry.expiredAt(nowMs, limit).map(({ key }) => key);
  }
}
