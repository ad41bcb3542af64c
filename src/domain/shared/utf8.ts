/** Least code point that may be written with 2, 3 and 4 octets: a longer spelling than needed is no UTF-8. */
const leastCodePoint = [0x80, 0x800, 0x10000] as const;

/** UTF-16 code units that become text at once, at the most: each is an argument of a call. A text is not put together of single characters. */
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
