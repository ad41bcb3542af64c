import type { MessageHead } from './message-head.js';
import { ownCopy } from './octets.js';

/** Cached values per name; a power of 2. */
const slots = 64;
/** Longest cached value; bounds what a client can store. */
const longest = 128;

interface KnownLine {
  readonly value: string;
  readonly line: string;
}

const none: KnownLine = { value: '', line: '' };

/** Cached lines of one field by value; a collision replaces the entry. */
class LinesOfField {
  readonly name: string;
  /** The last line, mostly the next one too. */
  #last = none;
  readonly #known: KnownLine[] = new Array<KnownLine>(slots).fill(none);

  constructor(name: string) {
    this.name = name;
  }

  /** The cached line with its line end, or null. */
  take(value: string): string | null {
    if (this.#last.value !== value) this.#last = this.#known[slotOf(value)] as KnownLine;
    return this.#last.value === value && this.#last !== none ? this.#last.line : null;
  }

  /** Caches a validated line that is likely to repeat. */
  remember(value: string, line: string): void {
    if (value.length < 2 || value.length > longest) return;
    // INVARIANT: copies. A slice would retain the whole received head.
    this.#known[slotOf(value)] = { value: ownCopy(value), line: ownCopy(line) };
  }
}

/**
 * Hash of characters that mostly differ between addresses and hosts; a collision costs only a
 * rebuilt line.
 */
const slotOf = (value: string): number => {
  const { length } = value;
  return (
    (length * 7 +
      value.charCodeAt(length - 1) * 5 +
      value.charCodeAt(length - 2) * 11 +
      value.charCodeAt(length >> 1) * 3 +
      value.charCodeAt(length >> 2) * 13 +
      value.charCodeAt(length >> 3)) &
    (slots - 1)
  );
};

/**
 * Fields that the gateway writes itself with repeated values. A fixed list, because agents may set
 * any other field to a secret; these values are no secrets.
 */
const fields = [
  'X-Forwarded-For',
  'X-Forwarded-Proto',
  'X-Forwarded-Host',
  'Forwarded',
  'Host',
  'RateLimit-Policy',
  'RateLimit',
].map((name) => new LinesOfField(name));

/** By name length, which excludes most other names. */
const byLength: readonly (readonly LinesOfField[])[] = Array.from({ length: 32 }, (_, length) =>
  fields.filter(({ name }) => name.length === length),
);

/** The line cache of a field, or null. */
export const linesOfField = (name: string): LinesOfField | null => {
  const alike = byLength[name.length];
  if (alike === undefined) return null;
  for (const lines of alike) if (lines.name === name) return lines;
  return null;
};

/** Octets of a field line besides name and value: colon, space and line end. */
const lineExtra = 4;

/**
 * The field lines of a parsed head, all in the form `name: value`. Each line starts where the
 * previous ones end, so a writer can copy many at once without checking them. INVARIANT: `fields`
 * were parsed from `text` and never change.
 */
export class HeadLines {
  /** One character per octet. */
  readonly text: string;
  /**
   * End of the method in a request head; 0 in a response, or if the text starts with the field
   * lines.
   */
  readonly methodEnd: number;
  /** Offset of the first field line. */
  readonly start: number;
  readonly fields: readonly string[];
  /** Marks of the names (`FieldNames`). */
  readonly traits: number;
  // Last computed position: entries of `fields` before a line, and its offset; equal requests ask
  // for the same one.
  entriesBefore = 0;
  endBefore: number;

  constructor(text: string, methodEnd: number, start: number, fields: readonly string[], traits: number) {
    this.text = text;
    this.methodEnd = methodEnd;
    this.start = start;
    this.fields = fields;
    this.traits = traits;
    this.endBefore = start;
  }

  /** Offset of the line behind the first `entries` entries of `fields`. */
  endOf(entries: number): number {
    if (entries !== this.entriesBefore) {
      let end = this.start;
      for (let at = 0; at < entries; at += 2)
        end += lineLength(this.fields[at] as string, this.fields[at + 1] as string);
      this.entriesBefore = entries;
      this.endBefore = end;
    }
    return this.endBefore;
  }
}

/** Octets of a field line. */
export const lineLength = (name: string, value: string): number => name.length + value.length + lineExtra;

/** Number of leading list entries (names and values) that equal the received fields in order. */
export const unchanged = (fields: readonly string[], received: HeadLines | null): number => {
  if (received === null) return 0;
  const known = received.fields;
  const last = Math.min(fields.length, known.length) - 1;
  let at = 0;
  while (at < last && fields[at] === known[at] && fields[at + 1] === known[at + 1]) at += 2;
  return at;
};

/**
 * The lines of the last parsed head; null if one is not in this project's notation.
 * @param text the head, one character per octet
 * @param methodEnd end of the method; 0 for a response
 * @param fields its fields
 * @param traits marks of their names
 */
export const headLines = (
  text: string,
  head: MessageHead,
  methodEnd: number,
  fields: readonly string[],
  traits: number,
): HeadLines | null =>
  head.isPlain && head.fieldCount > 0 ? new HeadLines(text, methodEnd, head.spans[0] as number, fields, traits) : null;
