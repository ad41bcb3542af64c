import { crc32c } from '../../../src/domain/shared/crc32c.js';

const signature = Buffer.from('\r\n\r\n\0\r\nQUIT\n', 'latin1');

/** A header of version 2 of these octets: its command and family are given as they are written. */
export const binaryHeader = (command: number, family: number, rest: Uint8Array, length = rest.length): Buffer => {
  const fixed = Buffer.alloc(4);
  fixed.writeUInt8(command, 0);
  fixed.writeUInt8(family, 1);
  fixed.writeUInt16BE(length, 2);
  return Buffer.concat([signature, fixed, rest]);
};

export const tlv = (type: number, value: Uint8Array, length = value.length): Buffer =>
  Buffer.concat([Buffer.from([type, length >> 8, length & 0xff]), value]);

/** Addresses and ports over IPv4: 192.0.2.7:56324 to 198.51.100.1:443. */
export const ipv4Addresses = Buffer.from('c0000207c6336401dc0401bb', 'hex');

/** Over IPv6: [2001:db8::7]:56324 to [2001:db8::1]:443. */
export const ipv6Addresses = Buffer.from(
  `20010db8000000000000000000000007${'20010db8000000000000000000000001'}dc0401bb`,
  'hex',
);

/** With a checksum at its end that is right. */
export const withChecksum = (command: number, family: number, rest: Uint8Array): Buffer => {
  const header = binaryHeader(command, family, Buffer.concat([rest, tlv(0x03, Buffer.alloc(4))]));
  header.writeUInt32BE(crc32c(header), header.length - 4);
  return header;
};
