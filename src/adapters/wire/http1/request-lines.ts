import type { FieldNames } from './field-names.js';
import { HeadLines } from './head-lines.js';
import { spanSize } from './message-head.js';
import type { RequestHead } from './read-request-head.js';

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
