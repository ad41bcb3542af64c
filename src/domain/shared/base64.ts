/** `standard` has `+` and `/` and is padded; `url` has `-` and `_` and is not (RFC 4648, sections 4 and 5). */
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
 * Decodes the one canonical spelling of some octets: no white space, no foreign character, the padding exactly as the
 * alphabet has it, and no bit left over. Null for anything else.
 */
export const decodeBase64 = (text: string, alphabet: Base64Alphabet): Uint8Array | null => {
  const length = unpaddedLength(text, alphabet);
  if (length === null || length % 4 === 1) return null;
  const values = tables[alphabet];
  const octets = new Uint8Array(Math.floor((length * 3) / 4));
  let bits = 0;
  let bitCount = 0;
  let written = 0;
  for (let index = 0; index < length; index += 1) {
    const value = values[text.charCodeAt(index)] ?? -1;
    if (value < 0) return null;
    bits = ((bits << 6) | value) & 0xffff;
    bitCount += 6;
    if (bitCount >= 8) {
      bitCount -= 8;
      octets[written] = (bits >> bitCount) & 0xff;
      written += 1;
    }
  }
  return (bits & ((1 << bitCount) - 1)) === 0 ? octets : null;
};
