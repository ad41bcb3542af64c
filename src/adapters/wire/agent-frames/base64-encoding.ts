const digits = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/';
const digitCodes = Uint8Array.from(digits, (digit) => digit.charCodeAt(0));
const padding = '='.charCodeAt(0);
const decoder = new TextDecoder();

/** Standard base64 with padding (RFC 4648, section 4). */
export const encodeBase64 = (octets: Uint8Array): string => {
  const codes = new Uint8Array(Math.ceil(octets.length / 3) * 4);
  let written = 0;
  for (let index = 0; index < octets.length; index += 3) {
    const first = octets[index] as number;
    const second = octets[index + 1] ?? 0;
    const third = octets[index + 2] ?? 0;
    codes[written] = digitCodes[first >> 2] as number;
    codes[written + 1] = digitCodes[((first & 0x03) << 4) | (second >> 4)] as number;
    codes[written + 2] =
      index + 1 < octets.length ? (digitCodes[((second & 0x0f) << 2) | (third >> 6)] as number) : padding;
    codes[written + 3] = index + 2 < octets.length ? (digitCodes[third & 0x3f] as number) : padding;
    written += 4;
  }
  return decoder.decode(codes);
};
