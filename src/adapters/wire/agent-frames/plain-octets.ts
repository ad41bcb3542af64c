export const quote = 0x22;
const backslash = 0x5c;

/** Of an id, at least and at most. */
const idLength = { least: 8, most: 128 } as const;

/** By octet: 1 where it stands in a string of JSON as it is, and is a character of its own (RFC 8259, section 7). */
export const plainOctets = Uint8Array.from({ length: 0x100 }, (_, octet) =>
  octet < 0x20 || octet > 0x7e || octet === quote || octet === backslash ? 0 : 1,
);

/** By octet: 1 where it may be in an id that is nothing but letters, digits, `_`, `.`, `:` and `-`. */
export const idOctets = Uint8Array.from({ length: 0x100 }, (_, octet) =>
  /^[\w.:-]$/.test(String.fromCharCode(octet)) ? 1 : 0,
);

/** Where the octets of an id end that begins at `from`; -1 where it is none, being too short or too long. */
export const endOfPlainId = (octets: Uint8Array, from: number): number => {
  const limit = Math.min(octets.length, from + idLength.most);
  let end = from;
  while (end < limit && idOctets[octets[end] as number] === 1) end += 1;
  return end - from < idLength.least ? -1 : end;
};

/** Whether an id may have so many octets. */
export const isIdLength = (length: number): boolean => length >= idLength.least && length <= idLength.most;

/** Whether a text is such an id: JSON has no other spelling for it than itself. */
export const isPlainId = (text: string): boolean => {
  if (!isIdLength(text.length)) return false;
  for (let index = 0; index < text.length; index += 1) {
    const code = text.charCodeAt(index);
    if (code > 0x7f || idOctets[code] === 0) return false;
  }
  return true;
};

/** Whether the octets of a literal stand at a place. */
export const standsAt = (octets: Uint8Array, place: number, literal: Uint8Array): boolean => {
  if (place < 0) return false;
  for (let index = 0; index < literal.length; index += 1) if (octets[place + index] !== literal[index]) return false;
  return true;
};
