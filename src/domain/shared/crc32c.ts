/** The Castagnoli polynomial (RFC 3720, appendix B.4), with reversed bits. */
const polynomial = 0x82f63b78;

const table = Uint32Array.from({ length: 256 }, (_, octet) => {
  let value = octet;
  for (let bit = 0; bit < 8; bit += 1) value = value & 1 ? (value >>> 1) ^ polynomial : value >>> 1;
  return value;
});

/** The CRC-32C of octets, as an unsigned 32-bit number. */
export const crc32c = (octets: Uint8Array): number => {
  let value = 0xffffffff;
  for (const octet of octets) value = (value >>> 8) ^ (table[(value ^ octet) & 0xff] ?? 0);
  return (value ^ 0xffffffff) >>> 0;
};
