/** Least code point that may be written with 2, 3 and 4 octets: a longer spelling than needed is no UTF-8. */
const leastCodePoint = [0x80, 0x800, 0x10000] as const;

/** Decodes UTF-8 (RFC 3629). Null where the octets are none: overlong, surrogate, cut off, or above U+10FFFF. */
export const decodeUtf8 = (octets: Uint8Array): string | null => {
  let text = '';
  let index = 0;
  while (index < octets.length) {
    const first = octets[index] as number;
    index += 1;
    if (first < 0x80) {
      text += String.fromCharCode(first);
      continue;
    }
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
