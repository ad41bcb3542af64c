/**
 * Converts text to its UTF-8 octets, one character each, for comparison with header values and decoded query
 * parameters. A lone surrogate becomes the octets of U+FFFD.
 */
export const utf8ByteString = (text: string): string => {
  let octets = '';
  for (const character of text) {
    const given = character.codePointAt(0) as number;
    const code = given >= 0xd800 && given <= 0xdfff ? 0xfffd : given;
    if (code < 0x80) octets += String.fromCharCode(code);
    else if (code < 0x800) octets += String.fromCharCode(0xc0 | (code >> 6), continuation(code));
    else if (code < 0x10000) {
      octets += String.fromCharCode(0xe0 | (code >> 12), continuation(code >> 6), continuation(code));
    } else {
      const second = continuation(code >> 12);
      octets += String.fromCharCode(0xf0 | (code >> 18), second, continuation(code >> 6), continuation(code));
    }
  }
  return octets;
};

const continuation = (bits: number): number => 0x80 | (bits & 0x3f);
