import { type KdlDocument, readKdl } from './kdl-document.js';
import {
  bracketFault,
  digitFault,
  emptyStatementFault,
  equalsFault,
  type KdlFault,
  keywordFault,
  plainFault,
} from './kdl-fault.js';
import { emptyStatement, nameWithDigit, noBrackets, noEquals, repairSyntax } from './repair-syntax.js';

/** A text as far as it can be read. */
export interface DiagnosedText {
  /** The document of the text, or of the repaired one where its mistakes can be repaired; null: neither can be read. */
  readonly document: KdlDocument | null;
  /** The place in the text of a place in the document. */
  readonly originalOffset: (offset: number) => number;
  /** Mistakes of syntax, in the order of the text. */
  readonly faults: readonly KdlFault[];
}

/** Faults that are taken of one text, at most. */
const maximumFaults = 50;

const sameOffset = (offset: number): number => offset;

interface Repair {
  readonly offset: number;
  readonly message: string;
}

const faultOf = (text: string, { offset, message }: Repair): KdlFault => {
  if (message === noBrackets) return bracketFault(text, offset);
  if (message === noEquals) return equalsFault(text.indexOf('=', offset));
  if (message === nameWithDigit) return digitFault(text, offset);
  if (message === emptyStatement) return emptyStatementFault(offset);
  const keyword = /^(true|false|null) is written/.exec(message)?.[1];
  return keyword === undefined
    ? plainFault(offset, message, 'gateway config migrate writes it so')
    : keywordFault(offset, keyword);
};

/** Of a list in brackets the opening one stands for all of its repairs. */
const isShown = (text: string, { offset, message }: Repair): boolean =>
  message !== noBrackets || text.charAt(offset) === '[';

const lineStart = (text: string, offset: number): number =>
  Math.max(text.lastIndexOf('\n', offset - 1), text.lastIndexOf('\r', offset - 1));

/** Faults of the reader, then those of repairs on lines that the reader has nothing to say about. */
const merged = (text: string, read: readonly KdlFault[], repairs: readonly Repair[]): readonly KdlFault[] => {
  const lines = new Set(read.map(({ offset }) => lineStart(text, offset)));
  const faults = [...read];
  for (const repair of repairs) {
    if (faults.length >= maximumFaults) break;
    const line = lineStart(text, repair.offset);
    if (lines.has(line) || !isShown(text, repair)) continue;
    lines.add(line);
    faults.push(faultOf(text, repair));
  }
  return faults.toSorted((left, right) => left.offset - right.offset);
};

/**
 * Reads a text that has passed the structure scan. Lists in brackets and other mistakes with a rule for their repair hide
 * nothing: the rest is read as if they were repaired.
 */
export const diagnose = (text: string): DiagnosedText => {
  const read = readKdl(text);
  if (read.ok) return { document: read.value, originalOffset: sameOffset, faults: [] };
  const { text: repaired, changes, originalOffset } = repairSyntax(text);
  if (changes.length === 0) return { document: null, originalOffset: sameOffset, faults: read.error };
  const again = readKdl(repaired);
  if (again.ok) return { document: again.value, originalOffset, faults: merged(text, read.error, changes) };
  const places = new Set(read.error.map(({ offset }) => offset));
  const real = again.error
    .map((fault) => ({ ...fault, offset: originalOffset(fault.offset) }))
    .filter(({ offset }) => !places.has(offset));
  return { document: null, originalOffset: sameOffset, faults: merged(text, [...read.error, ...real], changes) };
};
