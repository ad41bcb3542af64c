/** Least code point that may be written with 2, 3 and 4 octets: a longer spelling than needed is no UTF-8. */
const leastCodePoint = [0x80, 0x800, 0x10000] as const;

/** Octets that become text at once, at the most: each is an argument of a call. */
const longestRun = 1024;

/** The ASCII that begins at an octet, as text. */
const asciiRun = (octets: Uint8Array, from: number): string => {
  const limit = Math.min(octets.length, from + longestRun);
  let end = from;
  while (end < limit && (octets[end] as number) < 0x80) end += 1;
  return String.fromCharCode.apply(null, octets.subarray(from, end) as unknown as number[]);
};

/** Decodes UTF-8 (RFC 3629). Null where the octets are none: overlong, surrogate, cut off, or above U+10FFFF. */
export const decodeUtf8 = (octets: Uint8Array): string | null => {
  let text = '';
  let index = 0;
  while (index < octets.length) {
    const first = octets[index] as number;
    if (first < 0x80) {
      const run = asciiRun(octets, index);
      text += run;
      index += run.length;
      continue;
    }
    index += 1;
    const following = first >= 0xf0 ? 3 : first >= 0xe0 ? 2 : 1;
    if (first < 0xc2 || first > 0xf4 || index + following > octets.length) return null;
    let codePoint = first & (0x3f >> following);
    for (let count = 0; count < following; count += 1) {
      const next = octets[index] as number;
      if ((next & 0xc0) !== 0x80) return null;
      codePoint = (codePoint << 6) | (next & 0x3f);
      index += 1;
    }
    if (codePoint < (leastCodePoint[following - 1] as number) || codePoint > 0x10ffff) return null;
    if (codePoint >= 0xd800 && codePoint <= 0xdfff) return null;
    text += String.fromCodePoint(codePoint);
  }
  return text;
};
