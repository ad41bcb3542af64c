/** A heap entry; belongs to one heap. */
interface HeapEntry<Value> {
  readonly key: string;
  value: Value;
  /** Index in the heap, owned by the heap. */
  place: number;
}

/**
 * Entries by expiry in a binary heap: no parent expires after its children. Each change takes
 * logarithmic time.
 */
export class EndHeap<Value> {
  readonly #entries: HeapEntry<Value>[] = [];
  readonly #endOf: (value: Value) => number;

  constructor(endOf: (value: Value) => number) {
    this.#endOf = endOf;
  }

  add(key: string, value: Value): HeapEntry<Value> {
    const entry = { key, value, place: this.#entries.length };
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
    this.#put(last, entry.place);
    this.moved(last);
  }

  /**
   * At most `limit` entries that expired at `nowMs`, unordered. Inspects at most twice as many
   * others.
   */
  endingBy(nowMs: number, limit: number): HeapEntry<Value>[] {
    const found: HeapEntry<Value>[] = [];
    const places = [0];
    while (found.length < limit) {
      const place = places.pop();
      if (place === undefined) break;
      const entry = this.#entries[place];
      if (entry === undefined || this.#endOf(entry.value) > nowMs) continue;
      found.push(entry);
      places.push(2 * place + 1, 2 * place + 2);
    }
    return found;
  }

  #rise(entry: HeapEntry<Value>): void {
    const end = this.#endOf(entry.value);
    while (entry.place > 0) {
      const parent = this.#entries[(entry.place - 1) >> 1];
      if (parent === undefined || this.#endOf(parent.value) <= end) return;
      this.#swap(entry, parent);
    }
  }

  #sink(entry: HeapEntry<Value>): void {
    const end = this.#endOf(entry.value);
    for (;;) {
      const child = this.#earlierChild(entry.place);
      if (child === null || this.#endOf(child.value) >= end) return;
      this.#swap(entry, child);
    }
  }

  #earlierChild(place: number): HeapEntry<Value> | null {
    const [left, right] = [this.#entries[2 * place + 1], this.#entries[2 * place + 2]];
    if (left === undefined || right === undefined) return left ?? null;
    return this.#endOf(right.value) < this.#endOf(left.value) ? right : left;
  }

  #swap(one: HeapEntry<Value>, other: HeapEntry<Value>): void {
    const { place } = one;
    this.#put(one, other.place);
    this.#put(other, place);
  }

  #put(entry: HeapEntry<Value>, place: number): void {
    entry.place = place;
    this.#entries[place] = entry;
  }
}

/** A map with expiring values. Expired ones are found without a full scan, even in a full map. */
export class ExpiringMap<Value> {
  readonly #entries = new Map<string, HeapEntry<Value>>();
  readonly #byEnd: EndHeap<Value>;

  /** @param endOf expiry of a value; it must not change */
  constructor(endOf: (value: Value) => number) {
    this.#byEnd = new EndHeap(endOf);
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
      this.#entries.set(key, this.#byEnd.add(key, value));
      return;
    }
    known.value = value;
    this.#byEnd.moved(known);
  }

  delete(key: string): boolean {
    const entry = this.#entries.get(key);
    if (entry === undefined) return false;
    this.#byEnd.remove(entry);
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
  over(nowMs: number, limit: number): string[] {
    return this.#byEnd.endingBy(nowMs, limit).map(({ key }) => key);
  }
}
