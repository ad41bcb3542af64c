import { describe, expect, it } from 'vitest';
import { readProxyHeader } from '../../../../../src/domain/http/proxy-protocol/read-proxy-header.js';
import {
  binaryHeader,
  ipv4Addresses,
  ipv6Addresses,
  tlv,
  withChecksum,
} from '../../../../support/gateway/proxy-headers.js';

const read = (octets: string | Buffer) =>
  readProxyHeader(typeof octets === 'string' ? Buffer.from(octets, 'latin1') : octets);
const complete = (octets: number, address: string | null, port = 0) => ({
  kind: 'complete',
  octets,
  client: address === null ? null : { address, port },
});
const faulty = (fault: string) => ({ kind: 'faulty', fault });

const line = 'PROXY TCP4 192.0.2.7 198.51.100.1 56324 443\r\n';
const longest = `PROXY UNKNOWN ${'f'.repeat(91)}\r\n`;

describe('a PROXY header of version 1', () => {
  it.each([
    [line, complete(line.length, '192.0.2.7', 56_324)],
    [`${line}GET / HTTP/1.1\r\n`, complete(line.length, '192.0.2.7', 56_324)],
    ['PROXY TCP4 0.0.0.0 255.255.255.255 0 65535\r\n', complete(44, '0.0.0.0', 0)],
    ['PROXY TCP6 2001:DB8::7 ::1 1 2\r\n', complete(32, '2001:db8::7', 1)],
    ['PROXY TCP6 ::ffff:192.0.2.7 ::1 1 2\r\n', complete(37, '192.0.2.7', 1)],
    ['PROXY UNKNOWN\r\n', complete(15, null)],
    ['PROXY UNKNOWN what ever  \t it is\r\n', complete(34, null)],
    [longest, complete(107, null)],
  ])('is read: %j', (octets, reading) => {
    expect(read(octets)).toEqual(reading);
  });

  it.each([
    ['', 'P', 'PROXY', 'PROXY ', 'PROXY TCP4 192.0.2.7'],
    [line.slice(0, -1), line.slice(0, -2), longest.slice(0, -1), longest.slice(0, -2)],
  ])('is waited for while it is not whole (%#)', (...begins) => {
    for (const begin of begins) expect(read(begin)).toEqual({ kind: 'incomplete' });
  });

  it.each([
    ['GET / HTTP/1.1\r\n', 'no_proxy_header'],
    ['proxy TCP4 1.1.1.1 2.2.2.2 1 2\r\n', 'no_proxy_header'],
    ['PROXX', 'no_proxy_header'],
    [' PROXY', 'no_proxy_header'],
    ['PROXY TCP4 192.0.2.7 198.51.100.1 56324 443\n', 'malformed'],
    ['PROXY TCP4 192.0.2.7 198.51.100.1 56324 443\rX', 'malformed'],
    ['PROXY TCP4 192.0.2.7 198.51.100.1 56324\r\n', 'malformed'],
    ['PROXY TCP4 192.0.2.7 198.51.100.1 56324 443 \r\n', 'malformed'],
    ['PROXY TCP4 192.0.2.7 198.51.100.1 56324 443 7\r\n', 'malformed'],
    ['PROXY  TCP4 192.0.2.7 198.51.100.1 56324 443\r\n', 'malformed'],
    ['PROXY TCP4 192.0.2.7  198.51.100.1 56324 443\r\n', 'malformed'],
    ['PROXY TCP4\t192.0.2.7 198.51.100.1 56324 443\r\n', 'malformed'],
    ['PROXY TCP4 192.0.2.07 198.51.100.1 56324 443\r\n', 'malformed'],
    ['PROXY TCP4 192.0.2.256 198.51.100.1 56324 443\r\n', 'malformed'],
    ['PROXY TCP4 192.0.2 198.51.100.1 56324 443\r\n', 'malformed'],
    ['PROXY TCP4 192.0.2.7 nowhere 56324 443\r\n', 'malformed'],
    ['PROXY TCP4 192.0.2.7 198.51.100.1 056324 443\r\n', 'malformed'],
    ['PROXY TCP4 192.0.2.7 198.51.100.1 00 443\r\n', 'malformed'],
    ['PROXY TCP4 192.0.2.7 198.51.100.1 65536 443\r\n', 'malformed'],
    ['PROXY TCP4 192.0.2.7 198.51.100.1 56324 -1\r\n', 'malformed'],
    ['PROXY TCP4 192.0.2.7 198.51.100.1 56324 4e1\r\n', 'malformed'],
    ['PROXY TCP4 ::1 ::1 1 2\r\n', 'malformed'],
    ['PROXY TCP6 192.0.2.7 198.51.100.1 56324 443\r\n', 'malformed'],
    ['PROXY TCP6 [::1] ::1 1 2\r\n', 'malformed'],
    ['PROXY TCP6 fe80::1%eth0 ::1 1 2\r\n', 'malformed'],
    ['PROXY TCP6 ::1::2 ::1 1 2\r\n', 'malformed'],
    ['PROXY UDP4 192.0.2.7 198.51.100.1 1 2\r\n', 'malformed'],
    ['PROXY unknown\r\n', 'malformed'],
    ['PROXY UNKNOWNS\r\n', 'malformed'],
    ['PROXY \r\n', 'malformed'],
    [`PROXY UNKNOWN ${'f'.repeat(92)}\r\n`, 'too_long'],
    [`PROXY ${'x'.repeat(101)}`, 'too_long'],
  ])('is refused: %j', (octets, fault) => {
    expect(read(octets)).toEqual(faulty(fault));
  });
});

describe('a PROXY header of version 2', () => {
  const unixAddresses = Buffer.alloc(216, 'x');
  const extras = Buffer.concat([
    tlv(0x04, Buffer.alloc(3)),
    tlv(0x02, Buffer.from('a.example')),
    tlv(0xea, Buffer.alloc(0)),
  ]);

  it.each([
    ['IPv4', binaryHeader(0x21, 0x11, ipv4Addresses), complete(28, '192.0.2.7', 56_324)],
    ['IPv6', binaryHeader(0x21, 0x21, ipv6Addresses), complete(52, '2001:db8::7', 56_324)],
    [
      'an IPv4 address in IPv6',
      binaryHeader(0x21, 0x21, Buffer.from(`${'0'.repeat(20)}ffffc0000207${'0'.repeat(32)}00010002`, 'hex')),
      complete(52, '192.0.2.7', 1),
    ],
    ['a unix socket', binaryHeader(0x21, 0x31, unixAddresses), complete(232, null)],
    ['no family', binaryHeader(0x21, 0x00, Buffer.from('whatever')), complete(24, null)],
    ['the proxy itself', binaryHeader(0x20, 0x00, Buffer.alloc(0)), complete(16, null)],
    ['the proxy itself, with what is of no meaning', binaryHeader(0x20, 0xff, Buffer.from('abc')), complete(19, null)],
    [
      'TLVs',
      binaryHeader(0x21, 0x11, Buffer.concat([ipv4Addresses, extras])),
      complete(28 + extras.length, '192.0.2.7', 56_324),
    ],
    ['a checksum', withChecksum(0x21, 0x11, ipv4Addresses), complete(35, '192.0.2.7', 56_324)],
    [
      'a checksum behind TLVs',
      withChecksum(0x21, 0x21, Buffer.concat([ipv6Addresses, extras])),
      complete(59 + extras.length, '2001:db8::7', 56_324),
    ],
    [
      'the longest',
      binaryHeader(0x21, 0x11, Buffer.concat([ipv4Addresses, tlv(0x04, Buffer.alloc(4096 - 12 - 3))])),
      complete(4112, '192.0.2.7', 56_324),
    ],
  ])('is read: %s', (_name, octets, reading) => {
    expect(read(octets)).toEqual(reading);
    expect(read(Buffer.concat([octets, Buffer.from('GET /')]))).toEqual(reading);
    expect(read(octets.subarray(0, -1))).toEqual({ kind: 'incomplete' });
  });

  const wrongChecksum = withChecksum(0x21, 0x11, ipv4Addresses);
  wrongChecksum.writeUInt8(0x08, 19);
  const withTlvs = (...tlvs: Buffer[]): Buffer => binaryHeader(0x21, 0x11, Buffer.concat([ipv4Addresses, ...tlvs]));

  it.each([
    ['another signature', Buffer.from('\r\n\r\n\0\r\nQUIX\n', 'latin1'), 'no_proxy_header'],
    ['empty lines before a request', Buffer.from('\r\nGET / HTTP/1.1'), 'no_proxy_header'],
    ['version 1', binaryHeader(0x11, 0x11, ipv4Addresses), 'malformed'],
    ['version 3', binaryHeader(0x31, 0x11, ipv4Addresses), 'malformed'],
    ['an unknown command', binaryHeader(0x22, 0x11, ipv4Addresses), 'malformed'],
    ['an unknown family', binaryHeader(0x21, 0x41, ipv4Addresses), 'malformed'],
    ['no transport', binaryHeader(0x21, 0x10, ipv4Addresses), 'malformed'],
    ['datagrams', binaryHeader(0x21, 0x12, ipv4Addresses), 'malformed'],
    ['addresses that are cut off', binaryHeader(0x21, 0x11, ipv4Addresses.subarray(0, 11)), 'malformed'],
    ['IPv6 of the length of IPv4', binaryHeader(0x21, 0x21, ipv4Addresses), 'malformed'],
    ['a unix socket that is cut off', binaryHeader(0x21, 0x31, unixAddresses.subarray(1)), 'malformed'],
    ['half the head of a TLV', withTlvs(Buffer.from([0x04, 0x00])), 'malformed'],
    ['a TLV beyond the end', withTlvs(tlv(0x04, Buffer.alloc(3), 4)), 'malformed'],
    ['a checksum of five octets', withTlvs(tlv(0x03, Buffer.alloc(5))), 'malformed'],
    ['two checksums', withTlvs(tlv(0x03, Buffer.alloc(4)), tlv(0x03, Buffer.alloc(4))), 'malformed'],
    ['a wrong checksum', wrongChecksum, 'wrong_checksum'],
    ['a length over the bound, before that much has come', binaryHeader(0x21, 0x11, Buffer.alloc(0), 4097), 'too_long'],
    ['the same of LOCAL', binaryHeader(0x20, 0x00, Buffer.alloc(0), 65_535), 'too_long'],
  ])('is refused: %s', (_name, octets, fault) => {
    expect(read(octets)).toEqual(faulty(fault));
  });
});
