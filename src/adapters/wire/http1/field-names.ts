/** Names that are remembered; a power of 2. */
const slots = 1_024;
/** Characters: no client can have more than `slots` of these held. */
const longest = 64;

/** A name, and what was made out about it. */
interface KnownName {
  readonly text: string;
  readonly marks: number;
}

const none: KnownName = { text: '', marks: 0 };

/**
 * Field names by what tells most of them apart; another name with the same slot takes its place. A name that comes again is the
 * same text, object and all, in most cases: it is not made anew for each message, tables find it by its hash, and what
 * its user wants to know of it is found out once.
 */
export class FieldNames {
  /** Those of all names that were asked for since the last `reset`, together. */
  marks = 0;
  /** None of them had more octets. */
  longest = longest;
  readonly #known: KnownName[] = new Array<KnownName>(slots).fill(none);
  readonly #marksOf: (name: string) => number;

  /** @param marksOf what is to be known of a name, as bits; it says the same of a name whenever it is asked */
  constructor(marksOf: (name: string) => number) {
    this.#marksOf = marksOf;
  }

  /** Another head begins. */
  reset(): void {
    this.marks = 0;
    this.longest = longest;
  }

  /** The name between two places of a head. */
  take(text: string, start: number, end: number): string {
    const length = end - start;
    if (length > longest) return this.#long(text.slice(start, end));
    // The factors keep the names that browsers, servers and this gateway send apart, in both of their spellings.
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
    // INVARIANT: a copy. A slice of the head would keep all of it for as long as the name is remembered.
    const name = String.fromCharCode(...codes);
    const marks = this.#marksOf(name);
    this.#known[slot] = { text: name, marks };
    this.marks |= marks;
    return name;
  }
}

/** Names of which nothing is to be known. */
export const plainNames = new FieldNames(() => 0);
