import { codePointAt, followingOctets } from './utf8.js';

const percent = 0x25;
const plus = 0x2b;
const space = 0x20;

/** UTF-16 code units that become text at once, at the most: each is an argument of a call. A text is not put together of single characters. */
const longestRun = 1024;

const hexValue = (code: number | undefined): number => {
  if (code === undefined) return -1;
  if (code >= 0x30 && code <= 0x39) return code - 0x30;
  if (code >= 0x41 && code <= 0x46) return code - 0x37;
  if (code >= 0x61 && code <= 0x66) return code - 0x57;
  return -1;
};

/** The octet that is escaped at an index; -1: it is no escape. */
const escapedOctet = (octets: Uint8Array, at: number): number => {
  if (octets[at] !== percent) return -1;
  const high = hexValue(octets[at + 1]);
  const low = hexValue(octets[at + 2]);
  return high < 0 || low < 0 ? -1 : high * 16 + low;
};

/**
 * The code point whose first octet, beyond ASCII, is escaped at an index, all others behind it; -1: there is none.
 * @param sequence room for four octets
 */
const escapedCodePoint = (octets: Uint8Array, at: number, first: number, sequence: Uint8Array): number => {
  const following = followingOctets(first);
  sequence[0] = first;
  for (let index = 1; index <= following; index += 1) {
    const octet = escapedOctet(octets, at + 3 * index);
    if (octet < 0) return -1;
    sequence[index] = octet;
  }
  return codePointAt(sequence, 0, following);
};

/** A name or a value of a form. */
export interface FormText {
  /** Decoded. */
  readonly text: string;
  /** Where it ends: what stands there, if anything does, is what ended it. */
  readonly end: number;
}

/**
 * Decodes the name or value that begins at `start` and ends before one of the two octets, or with the octets. Null where an escape is
 * broken, the octets that are escaped are no UTF-8, or one beyond ASCII is not escaped. It looks at each octet once, and at none behind the end.
 */
export const readFormText = (
  octets: Uint8Array,
  start: number,
  endings: readonly [number, number],
): FormText | null => {
  const [ending, otherEnding] = endings;
  const units: number[] = [];
  const sequence = new Uint8Array(4);
  let count = 0;
  let text = '';
  let at = start;
  for (; at < octets.length; at += 1) {
    // Room for the two units of one code point.
    if (count >= longestRun - 1) {
      units.length = count;
      text += String.fromCharCode.apply(null, units);
      count = 0;
    }
    const code = octets[at] as number;
    if (code === ending || code === otherEnding) break;
    if (code > 0x7f) return null;
    if (code !== percent) {
      units[count++] = code === plus ? space : code;
      continue;
    }
    const octet = escapedOctet(octets, at);
    const codePoint = octet > 0x7f ? escapedCodePoint(octets, at, octet, sequence) : octet;
    if (codePoint < 0) return null;
    at += octet > 0x7f ? 2 + 3 * followingOctets(octet) : 2;
    if (codePoint >= 0x10000) units[count++] = 0xd7c0 + (codePoint >> 10);
    units[count++] = codePoint < 0x10000 ? codePoint : 0xdc00 | (codePoint & 0x3ff);
  }
  units.length = count;
  return { text: text + String.fromCharCode.apply(null, units), end: at };
};
