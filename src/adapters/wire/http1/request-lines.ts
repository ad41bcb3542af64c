import type { FieldNames } from './field-names.js';
import { HeadLines, lineLength } from './head-lines.js';
import { spanSize } from './message-head.js';
import { ownCopy } from './octets.js';
import type { RequestHead } from './read-request-head.js';
import type { SentLines } from './sent-lines.js';

const lineEndOctets = 2;
const noFields: readonly string[] = [];

/** Parse results for the fields of a request. */
export interface LineFacts {
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
export class RequestLines extends HeadLines implements LineFacts {
  readonly octets: number;
  readonly longestName: number;
  readonly hostAt: number;
  readonly lengthAt: number;
  /** Cached for requests with equal lines; derived data may be cached with it. */
  readonly comesAgain: boolean;
  /** The lines as sent the first time, with added fields; null before, and for uncached lines. */
  sent: SentLines | null = null;
  /** Cached forwarded fields. */
  goingOn: readonly string[] = noFields;

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
    { traits, octets, longestName, hostAt, lengthAt }: LineFacts,
    comesAgain = false,
  ) {
    super(text, methodEnd, start, fields, traits);
    this.octets = octets;
    this.longestName = longestName;
    this.hostAt = hostAt;
    this.lengthAt = lengthAt;
    this.comesAgain = comesAgain;
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

/**
 * A copy for requests with equal lines; it retains no received head.
 * @param names table that returned their names
 */
export const repeatedLines = (lines: RequestLines, names: FieldNames): RequestLines => {
  // INVARIANT: own memory. The slice would retain the request line, however long.
  const text = ownCopy(lines.text.slice(lines.start));
  const fields: string[] = [];
  let at = 0;
  for (let index = 0; index + 1 < lines.fields.length; index += 2) {
    const name = lines.fields[index] as string;
    const value = lines.fields[index + 1] as string;
    const end = at + lineLength(name, value) - lineEndOctets;
    // Other caches keep the Host and would retain the whole text.
    const own = index === lines.hostAt ? ownCopy(value) : text.slice(end - value.length, end);
    fields.push(names.take(text, at, at + name.length), own);
    at = end + lineEndOctets;
  }
  return new RequestLines(text, 0, 0, fields, lines, true);
};
