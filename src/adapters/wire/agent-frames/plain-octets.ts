export const quote = 0x22;
const backslash = 0x5c;

/** Minimum and maximum octets of an id. */
const idLength = { minimum: 8, maximum: 128 } as const;

/** By octet: 1 if it is one unescaped character of a JSON string (RFC 8259, section 7). */
export const plainOctets = Uint8Array.from({ length: 0x100 }, (_, octet) =>
  octet < 0x20 || octet > 0x7e || octet === quote || octet === backslash ? 0 : 1,
);

/** By octet: 1 if allowed in a plain id: letters, digits, `_`, `.`, `:` and `-`. */
export const idOctets = Uint8Array.from({ length: 0x100 }, (_, octet) =>
  /^[\w.:-]$/.test(String.fromCharCode(octet)) ? 1 : 0,
);

/** End of the plain id at `from`; -1 if it is too short or too long. */
export const endOfPlainId = (octets: Uint8Array, from: number): number => {
  const limit = Math.min(octets.length, from + idLength.maximum);
  let end = from;
  while (end < limit && idOctets[octets[end] as number] === 1) end += 1;
  return end - from < idLength.minimum ? -1 : end;
};

/** Whether a plain id may have this length. */
export const isIdLength = (length: number): boolean => length >= idLength.minimum && length <= idLength.maximum;

/** Whether a text is a plain id, which JSON never escapes. */
export const isPlainId = (text: string): boolean => {
  if (!isIdLength(text.length)) return false;
  for (let index = 0; index < text.length; index += 1) {
    const code = text.charCodeAt(index);
    if (code > 0x7f || idOctets[code] === 0) return false;
  }
  return true;
};

/** Whether a literal is at an offset. */
export const isLiteralAt = (octets: Uint8Array, offset: number, literal: Uint8Array): boolean => {
  if (offset < 0) return false;
  for (let index = 0; index < literal.length; index += 1) if (octets[offset + index] !== literal[index]) return false;
  return true;
};

/** The same octets as a Buffer. */
export const asBuffer = (octets: Uint8Array): Buffer =>
  octets instanceof Buffer ? octets : Buffer.from(octets.buffer, octets.byteOffset, octets.byteLength);
