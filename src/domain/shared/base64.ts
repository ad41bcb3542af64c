/** `standard` uses `+` and `/` with padding; `url` uses `-` and `_` without padding (RFC 4648, sections 4 and 5). */
export type Base64Alphabet = 'standard' | 'url';

const digits = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789';

const table = (last: string): Int8Array => {
  const values = new Int8Array(128).fill(-1);
  [...digits, ...last].forEach((character, value) => {
    values[character.charCodeAt(0)] = value;
  });
  return values;
};

const tables: Readonly<Record<Base64Alphabet, Int8Array>> = { standard: table('+/'), url: table('-_') };

const unpaddedLength = (text: string, alphabet: Base64Alphabet): number | null => {
  if (alphabet === 'url') return text.length;
  if (text.length % 4 !== 0) return null;
  if (text.endsWith('==')) return text.length - 2;
  return text.endsWith('=') ? text.length - 1 : text.length;
};

/**
 * Decodes canonical base64: no white space, no other characters, exact padding, and no unused bits set. Null for
 * anything else.
 */
export const decodeBase64 = (text: string, alphabet: Base64Alphabet): Uint8Array | null => {
  const length = unpaddedLength(text, alphabet);
  if (length === null || length % 4 === 1) return null;
  const values = tables[alphabet];
  const octets = new Uint8Array(Math.floor((length * 3) / 4));
  const remainder = length % 4;
  const wholeLength = length - remainder;
  // Decode four characters at a time, because bodies can have megabytes.
  let codes = 0;
  let written = 0;
  for (let index = 0; index < wholeLength; index += 4) {
    const first = text.charCodeAt(index);
    const second = text.charCodeAt(index + 1);
    const third = text.charCodeAt(index + 2);
    const fourth = text.charCodeAt(index + 3);
    codes |= first | second | third | fourth;
    const bits =
      ((values[first] as number) << 18) |
      ((values[second] as number) << 12) |
      ((values[third] as number) << 6) |
      (values[fourth] as number);
    // A value of -1 in any place makes the result negative.
    if (bits < 0) return null;
    octets[written] = bits >> 16;
    octets[written + 1] = bits >> 8;
    octets[written + 2] = bits;
    written += 3;
  }
  // The table has no entry for these characters, so they counted as 0.
  if (codes > 0x7f) return null;
  if (remainder === 0) return octets;
  const last = [0, 1, 2].map((index) => (index < remainder ? (values[text.charCodeAt(wholeLength + index)] ?? -1) : 0));
  const bits = ((last[0] as number) << 12) | ((last[1] as number) << 6) | (last[2] as number);
  if (bits < 0 || (bits & (remainder === 2 ? 0x3ff : 0x03)) !== 0) return null;
  octets[written] = bits >> 10;
  if (remainder === 3) octets[written + 1] = bits >> 2;
  return octets;
};

const urlDigits = `${digits}-_`;

/** Encodes octets in base64url without padding (RFC 4648, section 5). */
export const encodeBase64Url = (octets: Uint8Array): string => {
  let text = '';
  for (let index = 0; index < octets.length; index += 3) {
    const count = Math.min(3, octets.length - index);
    const bits = ((octets[index] as number) << 16) | ((octets[index + 1] ?? 0) << 8) | (octets[index + 2] ?? 0);
    for (let digit = 0; digit <= count; digit += 1) text += urlDigits.charAt((bits >> (18 - 6 * digit)) & 0x3f);
  }
  return text;
};
