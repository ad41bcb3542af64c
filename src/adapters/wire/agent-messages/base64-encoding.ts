const digits = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/';
const digitCodes = Uint8Array.from(digits, (digit) => digit.charCodeAt(0));
const padding = '='.charCodeAt(0);
const decoder = new TextDecoder('latin1');

/** All pairs of digits in memory order, indexed by their twelve bits. */
const pairs = ((): Uint16Array => {
  const codes = new Uint8Array(2 * 4_096);
  for (let bits = 0; bits < 4_096; bits += 1) {
    codes[2 * bits] = digitCodes[bits >> 6] as number;
    codes[2 * bits + 1] = digitCodes[bits & 0x3f] as number;
  }
  return new Uint16Array(codes.buffer);
})();

/** Standard base64 with padding (RFC 4648, section 4). */
export const encodeBase64 = (octets: Uint8Array): string => {
  const codes = new Uint8Array(Math.ceil(octets.length / 3) * 4);
  // Writes two digits at a time, because bodies have megabytes.
  const written = new Uint16Array(codes.buffer);
  const rest = octets.length % 3;
  const whole = octets.length - rest;
  let offset = 0;
  for (let index = 0; index < whole; index += 3) {
    const second = octets[index + 1] as number;
    written[offset] = pairs[((octets[index] as number) << 4) | (second >> 4)] as number;
    written[offset + 1] = pairs[((second & 0x0f) << 8) | (octets[index + 2] as number)] as number;
    offset += 2;
  }
  if (rest > 0) {
    const first = octets[whole] as number;
    const second = rest === 2 ? (octets[whole + 1] as number) : 0;
    written[offset] = pairs[(first << 4) | (second >> 4)] as number;
    codes[2 * offset + 2] = rest === 2 ? (digitCodes[(second & 0x0f) << 2] as number) : padding;
    codes[2 * offset + 3] = padding;
  }
  return decoder.decode(codes);
};
