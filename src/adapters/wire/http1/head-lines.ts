import type { MessageHead } from './message-head.js';
import { ownCopy } from './octets.js';

/** Values that are remembered of a name; a power of 2. */
const slots = 64;
/** Characters of a value: no client can have more of them held. */
const longest = 128;

interface KnownLine {
  readonly value: string;
  readonly line: string;
}

const none: KnownLine = { value: '', line: '' };

/** The lines of a field with the values that came last; another value with the same slot takes a value's place. */
class LinesOfField {
  readonly name: string;
  /** The one that was written last: in most cases it is the next one, too. */
  #last = none;
  readonly #known: KnownLine[] = new Array<KnownLine>(slots).fill(none);

  constructor(name: string) {
    this.name = name;
  }

  /** The line, with its end, where it was written before; null: it is not known to be one. */
  take(value: string): string | null {
    if (this.#last.value !== value) this.#last = this.#known[slotOf(value)] as KnownLine;
    return this.#last.value === value && this.#last !== none ? this.#last.line : null;
  }

  /** Remembers a line that was found to be sound, if it is one that is likely to come again. */
  remember(value: string, line: string): void {
    if (value.length < 2 || value.length > longest) return;
    // INVARIANT: copies. A part of a received head would keep all of it for as long as it is remembered.
    this.#known[slotOf(value)] = { value: ownCopy(value), line: ownCopy(line) };
  }
}

/** By what tells addresses and hosts apart in most cases; what does not costs no more than that a line is made anew. */
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
 * Fields that the gateway writes itself, with the same values again and again. What they say of a client, the upstream or the
 * client itself is told anyway, and it is no secret: a list, because agents may set any other field, with anything in it.
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

/** By the length of the name: that tells most names from these without a look at their characters. */
const byLength: readonly (readonly LinesOfField[])[] = Array.from({ length: 32 }, (_, length) =>
  fields.filter(({ name }) => name.length === length),
);

/** The lines of a field that are remembered; null: those of this field are not. */
export const linesOfField = (name: string): LinesOfField | null => {
  const alike = byLength[name.length];
  if (alike === undefined) return null;
  for (const lines of alike) if (lines.name === name) return lines;
  return null;
};

/** Octets of a line of a head beside name and value: a colon, a space and the line end. */
const lineExtra = 4;

/**
 * The lines of a head that was read, each of which is `name: value`. Such a line stands where those before it end, so that
 * whoever writes its fields again can take them out of the text, many at once, and need not look at them.
 *
 * INVARIANT: `fields` are those that were read from `text`, and are never changed.
 */
export class HeadLines {
  /** One character for each octet. */
  readonly text: string;
  /** Where the method ends, in the head of a request; 0 in that of a response, and where the text begins with the lines. */
  readonly methodEnd: number;
  /** Where the first line behind the start line begins. */
  readonly start: number;
  readonly fields: readonly string[];
  /** The marks of their names (`FieldNames`). */
  readonly traits: number;
  // Where the line behind so many entries of `fields` begins, as it was last found out: it is the same each time where they come again.
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

  /** Where the line behind so many entries of `fields` begins. */
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

/** Octets of the line of a field. */
export const lineLength = (name: string, value: string): number => name.length + value.length + lineExtra;

/** How many entries of a list, names and values, are the first of the received fields, one behind the other. */
export const unchanged = (fields: readonly string[], received: HeadLines | null): number => {
  if (received === null) return 0;
  const known = received.fields;
  const last = Math.min(fields.length, known.length) - 1;
  let at = 0;
  while (at < last && fields[at] === known[at] && fields[at + 1] === known[at + 1]) at += 2;
  return at;
};

/**
 * The lines of the head that was read last; null where one of them is written in another way than this program writes it.
 *
 * @param text the head, one character for each octet
 * @param methodEnd where its method ends; 0: it is that of a response
 * @param fields the fields in it
 * @param traits the marks of their names
 */
export const headLines = (
  text: string,
  head: MessageHead,
  methodEnd: number,
  fields: readonly string[],
  traits: number,
): HeadLines | null =>
  head.isPlain && head.fieldCount > 0 ? new HeadLines(text, methodEnd, head.spans[0] as number, fields, traits) : null;
