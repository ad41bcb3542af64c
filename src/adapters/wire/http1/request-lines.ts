import type { FieldNames } from './field-names.js';
import { HeadLines, lineLength } from './head-lines.js';
import { spanSize } from './message-head.js';
import { ownCopy } from './octets.js';
import type { RequestHead } from './read-request-head.js';
import type { SentLines } from './sent-lines.js';

const lineEndOctets = 2;
const noFields: readonly string[] = [];

/** What was found out about the fields of a request. */
export interface LineFacts {
  /** The marks of their names (`FieldNames`). */
  readonly traits: number;
  /** Octets of all lines, each with its end. */
  readonly octets: number;
  /** No name has more octets. */
  readonly longestName: number;
  /** Where the only Host begins in `fields`; -1: there is none. */
  readonly hostAt: number;
  /** The same of the only Content-Length. */
  readonly lengthAt: number;
}

/** The lines of the head of a request, and what was found out about its fields when they were read. */
export class RequestLines extends HeadLines implements LineFacts {
  readonly octets: number;
  readonly longestName: number;
  readonly hostAt: number;
  readonly lengthAt: number;
  /** It is kept for further requests with the very same lines: what is made of it may be kept with it. */
  readonly comesAgain: boolean;
  /** How they were sent the first time, with what was put to them; null until then, and where they do not come again. */
  sent: SentLines | null = null;
  /** Those that go on, as they are kept for further requests. */
  goingOn: readonly string[] = noFields;

  /**
   * @param text the head, one character for each octet
   * @param methodEnd where its method ends; 0: the text begins with the lines
   * @param start where the lines begin
   * @param fields those in it
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
 * The lines of the request that was read last; null where there is none, or one is written in another way than this program
 * writes it.
 *
 * @param text the head, one character for each octet
 * @param fields the fields in it
 * @param names has just given their names; its marks are what `fieldTraits` says
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
 * The same lines to be kept for requests that have the very same: nothing of the head that they came in is kept with them.
 *
 * @param names has given their names
 */
export const repeatedLines = (lines: RequestLines, names: FieldNames): RequestLines => {
  // INVARIANT: memory of its own. The lines are part of a text that is longer by the request line, however long that was.
  const text = ownCopy(lines.text.slice(lines.start));
  const fields: string[] = [];
  let at = 0;
  for (let index = 0; index + 1 < lines.fields.length; index += 2) {
    const name = lines.fields[index] as string;
    const value = lines.fields[index + 1] as string;
    const end = at + lineLength(name, value) - lineEndOctets;
    // The Host is remembered by others, who would keep all of the text.
    const own = index === lines.hostAt ? ownCopy(value) : text.slice(end - value.length, end);
    fields.push(names.take(text, at, at + name.length), own);
    at = end + lineEndOctets;
  }
  return new RequestLines(text, 0, 0, fields, lines, true);
};
