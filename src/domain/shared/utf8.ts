/**
 * Copies a text into its own memory. A slice keeps its whole source alive, and a concatenated text is slower to use.
 */
// INVARIANT: `join` creates a flat text. The result of `slice` refers to its source, and V8 compares it six times
// slower.
export const ownText = (text: string): string => [text.charAt(0), text.slice(1)].join('');

/** With the flag `u`, a surrogate pair is one character and does not match. */
const loneSurrogate = /[\ud800-\udfff]/u;

/** Whether a text has no lone surrogates. UTF-8 cannot represent them, so two different texts would look the same. */
export const isWellFormed = (text: string): boolean => !loneSurrogate.test(text);

/** Length of a text in UTF-8 octets. A lone surrogate counts as a replacement character. */
export const utf8Length = (text: string): number => {
  let length = 0;
  for (const character of text) {
    const codePoint = character.codePointAt(0) ?? 0;
    if (codePoint < 0x80) length += 1;
    else if (codePoint < 0x800) length += 2;
    else length += codePoint < 0x10000 ? 3 : 4;
  }
  return length;
};

/** Smallest code points of 2, 3 and 4 octets. Overlong encodings are not UTF-8. */
const minCodePoints = [0x80, 0x800, 0x10000] as const;

/**
 * Largest number of UTF-16 code units for one call of `String.fromCharCode`, where each is an argument. Whole runs are
 * faster than single characters.
 */
const maxRunLength = 1024;

/** The number of octets after the first octet of a non-ASCII code point. */
export const followingOctets = (first: number): number => (first >= 0xf0 ? 3 : first >= 0xe0 ? 2 : 1);

/** The code point at an index, with `following` further octets; -1: not UTF-8. */
export const codePointAt = (octets: Uint8Array, at: number, following: number): number => {
  const first = octets[at] as number;
  if (first < 0xc2 || first > 0xf4 || at + following >= octets.length) return -1;
  let codePoint = first & (0x3f >> following);
  for (let index = at + 1; index <= at + following; index += 1) {
    const next = octets[index] as number;
    if ((next & 0xc0) !== 0x80) return -1;
    codePoint = (codePoint << 6) | (next & 0x3f);
  }
  if (codePoint < (minCodePoints[following - 1] as number) || codePoint > 0x10ffff) return -1;
  return codePoint >= 0xd800 && codePoint <= 0xdfff ? -1 : codePoint;
};

/** Decodes UTF-8 (RFC 3629). Null for invalid octets, overlong or truncated sequences, surrogates, and code points above U+10FFFF. */
export const decodeUtf8 = (octets: Uint8Array): string | null => {
  const units: number[] = [];
  let count = 0;
  let text = '';
  for (let index = 0; index < octets.length; ) {
    // Leave room for the two units of one code point.
    if (count >= maxRunLength - 1) {
      units.length = count;
      text += String.fromCharCode.apply(null, units);
      count = 0;
    }
    const first = octets[index] as number;
    if (first < 0x80) {
      units[count++] = first;
      index += 1;
      continue;
    }
    const following = followingOctets(first);
    const codePoint = codePointAt(octets, index, following);
    if (codePoint < 0) return null;
    index += 1 + following;
    if (codePoint >= 0x10000) units[count++] = 0xd7c0 + (codePoint >> 10);
    units[count++] = codePoint < 0x10000 ? codePoint : 0xdc00 | (codePoint & 0x3ff);
  }
  units.length = count;
  return text + String.fromCharCode.apply(null, units);
};
