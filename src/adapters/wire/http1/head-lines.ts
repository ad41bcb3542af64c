import { type FieldNames, type MessageHead, spanSize } from './message-head.js';
import type { RequestHead } from './read-head.js';

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

const lineEndOctets = 2;

/** Parse results for the fields of a request. */
export interface RequestFieldSummary {
  /** Marks of the names (`FieldNames`). */
  readonly traits: number;
  /** Octets of all lines with their line ends. */
  readonly octets: number;
  /** Upper bound of the name lengths. */
  readonly longestName: number;
  /** Index of the only Host in `fields`; -1 if absent. */
  readonly hostAt: number;
  /** Index of the only Content-Length; -1 if absent. */
  readonly lengthAt: number;
}

/** The field lines of a request head with their parse results. */
export class RequestLines extends HeadLines implements RequestFieldSummary {
  readonly octets: number;
  readonly longestName: number;
  readonly hostAt: number;
  readonly lengthAt: number;

  /**
   * @param text the head, one character per octet
   * @param methodEnd end of the method; 0 if the text starts with the field lines
   * @param start offset of the field lines
   * @param fields the parsed fields
   */
  constructor(
    text: string,
    methodEnd: number,
    start: number,
    fields: readonly string[],
    { traits, octets, longestName, hostAt, lengthAt }: RequestFieldSummary,
  ) {
    super(text, methodEnd, start, fields, traits);
    this.octets = octets;
    this.longestName = longestName;
    this.hostAt = hostAt;
    this.lengthAt = lengthAt;
  }
}

/**
 * The lines of the last parsed request; null if none, or if one is not in this project's notation.
 * @param text the head, one character per octet
 * @param fields its fields
 * @param names table that returned their names; its marks are those of `fieldTraits`
 */
export const requestLines = (
  text: string,
  head: RequestHead,
  fields: readonly string[],
  names: FieldNames,
): RequestLines | null => {
  const { isPlain, fieldCount, spans, hostField, lengthField } = head;
  if (!isPlain || fieldCount === 0) return null;
  const start = spans[0] as number;
  return new RequestLines(text, head.methodEnd, start, fields, {
    traits: names.marks,
    octets: (spans[fieldCount * spanSize - 1] as number) + lineEndOctets - start,
    longestName: names.longest,
    hostAt: hostField < 0 ? -1 : hostField * 2,
    lengthAt: lengthField < 0 ? -1 : lengthField * 2,
  });
};
