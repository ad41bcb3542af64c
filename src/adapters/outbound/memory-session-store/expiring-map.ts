import { EndHeap, type HeapEntry } from './end-heap.js';

/** A map whose entries have an end. Those that are over are found without a look at all of them, also where it is always full. */
export class ExpiringMap<Value> {
  readonly #entries = new Map<string, HeapEntry<Value>>();
  readonly #byEnd: EndHeap<Value>;

  /** `endOf`: from that moment on the value is over; it never changes. */
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

  /** In the order in which their keys came. */
  *values(): IterableIterator<Value> {
    for (const { value } of this.#entries.values()) yield value;
  }

  /** The key that came first. */
  firstKey(): string | undefined {
    return this.#entries.keys().next().value;
  }

  /** The keys of at most `limit` entries that are over at `nowMs`, in no order. */
  over(nowMs: number, limit: number): string[] {
    return this.#byEnd.endingBy(nowMs, limit).map(({ key }) => key);
  }
}
