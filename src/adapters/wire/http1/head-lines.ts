import type { MessageHead } from './message-head.js';

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

  constructor(text: string, methodEnd: number, start: number, fields: readonly string[], traits: number) {
    this.text = text;
    this.methodEnd = methodEnd;
    this.start = start;
    this.fields = fields;
    this.traits = traits;
  }

  /** Offset of the line behind the first `entries` entries of `fields`. */
  endOf(entries: number): number {
    let end = this.start;
    for (let at = 0; at < entries; at += 2) end += lineLength(this.fields[at] as string, this.fields[at + 1] as string);
    return end;
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
