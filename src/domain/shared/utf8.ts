/**
 * The same text in memory of its own. A part of a longer text keeps all of that for as long as it is kept itself, and
 * the parts of one that is put together would have to be gone through each time that it is used.
 */
// INVARIANT: `join` writes its characters one behind the other. What `slice` gives is a part of something, which V8
// compares six times slower.
export const ownText = (text: string): string => [text.charAt(0), text.slice(1)].join('');

/** With the flag `u` a pair of surrogates is one character, which this does not match. */
const loneSurrogate = /[\ud800-\udfff]/u;

/**
 * Whether a text has no lone surrogate: one has no UTF-8, and two texts that differ in it alone would be written
 * alike.
 */
export const isWellFormed = (text: string): boolean => !loneSurrogate.test(text);

/** Octets of a text in UTF-8; a lone surrogate counts as the replacement character does. */
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

/** Least code point that may be written with 2, 3 and 4 octets: a longer spelling than needed is no UTF-8. */
const leastCodePoint = [0x80, 0x800, 0x10000] as const;

/**
 * UTF-16 code units that become text at once, at most: each is an argument of a call. A text is not put together of
 * single characters.
 */
const longestRun = 1024;

/** How many octets follow one that is beyond ASCII, where it is the first of a code point. */
export const followingOctets = (first: number): number => (first >= 0xf0 ? 3 : first >= 0xe0 ? 2 : 1);

/** The code point whose first octet, with so many following, stands at an index; -1: what stands there is no UTF-8. */
export const codePointAt = (octets: Uint8Array, at: number, following: number): number => {
  const first = octets[at] as number;
  if (first < 0xc2 || first > 0xf4 || at + following >= octets.length) return -1;
  let codePoint = first & (0x3f >> following);
  for (let index = at + 1; index <= at + following; index += 1) {
    const next = octets[index] as number;
    if ((next & 0xc0) !== 0x80) return -1;
    codePoint = (codePoint << 6) | (next & 0x3f);
  }
  if (codePoint < (leastCodePoint[following - 1] as number) || codePoint > 0x10ffff) return -1;
  return codePoint >= 0xd800 && codePoint <= 0xdfff ? -1 : codePoint;
};

/** Decodes UTF-8 (RFC 3629). Null where the octets are none: overlong, surrogate, cut off, or above U+10FFFF. */
export const decodeUtf8 = (octets: Uint8Array): string | null => {
  const units: number[] = [];
  let count = 0;
  let text = '';
  for (let index = 0; index < octets.length; ) {
    // Room for the two units of one code point.
    if (count >= longestRun - 1) {
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
