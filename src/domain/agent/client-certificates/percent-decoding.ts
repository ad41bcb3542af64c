const hexValue = (text: string, index: number): number => {
  const digit = '0123456789abcdef'.indexOf((text[index] ?? '?').toLowerCase());
  return text.charCodeAt(index) < 0x80 ? digit : -1;
};

/**
 * Decodes percent-encoded ASCII (RFC 3986, section 2.1). Null for a percent sign without two hexadecimal digits, for
 * what decodes to anything but ASCII, and for characters that cannot stand in a URL unencoded: spaces, controls, non-
 * ASCII. A plus is a plus: some senders leave those of base64 as they are.
 */
export const percentDecodedAscii = (text: string): string | null => {
  let decoded = '';
  for (let index = 0; index < text.length; index += 1) {
    const code = text.charCodeAt(index);
    if (code <= 0x20 || code >= 0x7f) return null;
    if (code !== 0x25) {
      decoded += text[index] as string;
      continue;
    }
    const high = hexValue(text, index + 1);
    const low = hexValue(text, index + 2);
    if (high < 0 || high > 7 || low < 0) return null;
    decoded += String.fromCharCode(high * 16 + low);
    index += 2;
  }
  return decoded;
};
