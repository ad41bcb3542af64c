import type { FieldNames } from './field-names.js';
import { HeadLines } from './head-lines.js';
import { spanSize } from './message-head.js';
import type { RequestHead } from './read-request-head.js';

const lineEndOctets = 2;

/** The lines of the head of a request, and what was found out about its fields when they were read. */
export class RequestLines extends HeadLines {
  /** Octets of all lines, each with its end. */
  readonly octets: number;
  /** No name has more octets. */
  readonly longestName: number;
  /** Where the only Host begins in `fields`; -1: there is none. */
  readonly hostAt: number;
  /** The same of the only Content-Length. */
  readonly lengthAt: number;

  /**
   * @param text the head that was read last, one character for each octet
   * @param fields the fields in it
   * @param names has just given their names; its marks are what `fieldTraits` says
   */
  constructor(text: string, head: RequestHead, fields: readonly string[], names: FieldNames) {
    const start = head.spans[0] as number;
    super(text, head.methodEnd, start, fields, names.marks);
    this.octets = (head.spans[head.fieldCount * spanSize - 1] as number) + lineEndOctets - start;
    this.longestName = names.longest;
    this.hostAt = head.hostField < 0 ? -1 : head.hostField * 2;
    this.lengthAt = head.lengthField < 0 ? -1 : head.lengthField * 2;
  }
}

/** The lines of the request that was read last; null where there is none, or one is written in another way than this program writes it. */
export const requestLines = (
  text: string,
  head: RequestHead,
  fields: readonly string[],
  names: FieldNames,
): RequestLines | null => (head.isPlain && head.fieldCount > 0 ? new RequestLines(text, head, fields, names) : null);
