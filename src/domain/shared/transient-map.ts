/** Initial number of slots; a power of 2. */
const initialSlots = 64;

class Entry<Value> {
  nextInSlot: Entry<Value> | null = null;
  earlier: Entry<Value> | null = null;
  later: Entry<Value> | null = null;

  constructor(
    readonly key: string,
    readonly hash: number,
    public value: Value,
  ) {}
}

/** 32-bit FNV-1a with a final mix, because the lowest bits select the slot. */
const hashOf = (key: string): number => {
  let hash = 0x811c_9dc5;
  for (let at = 0; at < key.length; at += 1) hash = Math.imul(hash ^ key.charCodeAt(at), 0x0100_0193);
  return hash ^ (hash >>> 15);
};

/**
 * An insertion-ordered map for entries that live as briefly as a request. Clients must not choose the keys.
 *
 * A `Map` allocates a new table after a number of changes, and each table references its successor. Once a table is in
 * the old generation, V8's scavenger keeps all later tables and their entries alive and promotes them. Here a removed
 * entry references nothing.
 */
export class TransientMap<Value> {
  #slots: (Entry<Value> | null)[] = new Array<Entry<Value> | null>(initialSlots).fill(null);
  #first: Entry<Value> | null = null;
  #last: Entry<Value> | null = null;
  #size = 0;

  get size(): number {
    return this.#size;
  }

  get(key: string): Value | undefined {
    return this.#find(key, hashOf(key))?.value;
  }

  has(key: string): boolean {
    return this.#find(key, hashOf(key)) !== null;
  }

  /** An existing key keeps its place in the order. */
  set(key: string, value: Value): void {
    const hash = hashOf(key);
    const existing = this.#find(key, hash);
    if (existing !== null) existing.value = value;
    else this.#add(new Entry(key, hash, value));
  }

  /** Whether the key existed. */
  delete(key: string): boolean {
    const hash = hashOf(key);
    const slot = hash & (this.#slots.length - 1);
    let before: Entry<Value> | null = null;
    let entry = this.#slots[slot] ?? null;
    while (entry !== null && entry.key !== key) {
      before = entry;
      entry = entry.nextInSlot;
    }
    if (entry === null) return false;
    if (before === null) this.#slots[slot] = entry.nextInSlot;
    else before.nextInSlot = entry.nextInSlot;
    this.#unlink(entry);
    return true;
  }

  /** The oldest key; null: the map is empty. */
  get firstKey(): string | null {
    return this.#first === null ? null : this.#first.key;
  }

  /** A snapshot, oldest first. */
  keys(): string[] {
    const keys: string[] = [];
    for (let entry = this.#first; entry !== null; entry = entry.later) keys.push(entry.key);
    return keys;
  }

  /** A snapshot, oldest first. */
  values(): Value[] {
    const values: Value[] = [];
    for (let entry = this.#first; entry !== null; entry = entry.later) values.push(entry.value);
    return values;
  }

  clear(): void {
    // Delete each entry, so that none references the next.
    for (const key of this.keys()) this.delete(key);
  }

  #find(key: string, hash: number): Entry<Value> | null {
    let entry = this.#slots[hash & (this.#slots.length - 1)] ?? null;
    while (entry !== null && entry.key !== key) entry = entry.nextInSlot;
    return entry;
  }

  #add(entry: Entry<Value>): void {
    if (this.#size >= this.#slots.length) this.#grow();
    this.#link(entry);
    entry.earlier = this.#last;
    if (this.#last === null) this.#first = entry;
    else this.#last.later = entry;
    this.#last = entry;
    this.#size += 1;
  }

  #link(entry: Entry<Value>): void {
    const slot = entry.hash & (this.#slots.length - 1);
    entry.nextInSlot = this.#slots[slot] ?? null;
    this.#slots[slot] = entry;
  }

  #unlink(entry: Entry<Value>): void {
    const { earlier, later } = entry;
    if (earlier === null) this.#first = later;
    else earlier.later = later;
    if (later === null) this.#last = earlier;
    else later.earlier = earlier;
    entry.nextInSlot = null;
    entry.earlier = null;
    entry.later = null;
    this.#size -= 1;
  }

  #grow(): void {
    this.#slots = new Array<Entry<Value> | null>(this.#slots.length * 2).fill(null);
    for (let entry = this.#first; entry !== null; entry = entry.later) this.#link(entry);
  }
}
