/** Table size; a power of 2. */
const slots = 1_024;
/** Longest cached name; bounds what a client can store to `slots` of these. */
const longest = 64;

/** A name with its marks. */
interface KnownName {
  readonly text: string;
  readonly marks: number;
}

const none: KnownName = { text: '', marks: 0 };

/**
 * A hash table of field names; a collision replaces the entry. A repeated name is mostly the same
 * string object: it is not allocated again, its hash is cached, and its marks are computed once.
 */
export class FieldNames {
  /** Union of the marks of all names since the last `reset`. */
  marks = 0;
  /** Upper bound of their lengths. */
  longest = longest;
  readonly #known: KnownName[] = new Array<KnownName>(slots).fill(none);
  readonly #marksOf: (name: string) => number;

  /** @param marksOf marks of a name as bits; a pure function */
  constructor(marksOf: (name: string) => number) {
    this.#marksOf = marksOf;
  }

  /** Starts another head. */
  reset(): void {
    this.marks = 0;
    this.longest = longest;
  }

  /** The name between two offsets of a head. */
  take(text: string, start: number, end: number): string {
    const length = end - start;
    if (length > longest) return this.#long(text.slice(start, end));
    // The factors separate the common names of browsers, servers and this gateway, in both
    // spellings.
    const slot =
      (length * 155 +
        text.charCodeAt(start) * 197 +
        text.charCodeAt(end - 1) * 125 +
        text.charCodeAt(start + (length >> 1)) * 117 +
        text.charCodeAt(start + ((length * 3) >> 2)) * 225) &
      (slots - 1);
    const known = this.#known[slot] as KnownName;
    if (known.text.length === length && text.startsWith(known.text, start)) {
      this.marks |= known.marks;
      return known.text;
    }
    return this.#remember(slot, text, start, end);
  }

  #long(name: string): string {
    this.marks |= this.#marksOf(name);
    this.longest = Math.max(this.longest, name.length);
    return name;
  }

  #remember(slot: number, text: string, start: number, end: number): string {
    const codes: number[] = [];
    for (let at = start; at < end; at += 1) codes.push(text.charCodeAt(at));
    // INVARIANT: a copy. A slice would retain the whole head.
    const name = String.fromCharCode(...codes);
    const marks = this.#marksOf(name);
    this.#known[slot] = { text: name, marks };
    this.marks |= marks;
    return name;
  }
}

/** Names without marks. */
export const plainNames = new FieldNames(() => 0);
