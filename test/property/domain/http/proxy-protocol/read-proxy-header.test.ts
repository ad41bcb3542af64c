import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { formatIpAddress, parseIpAddress } from '../../../../../src/domain/http/ip-address.js';
import { readProxyHeader } from '../../../../../src/domain/http/proxy-protocol/read-proxy-header.js';
import {
  binaryHeader,
  ipv4Addresses,
  ipv6Addresses,
  tlv,
  withChecksum,
} from '../../../../support/gateway/proxy-headers.js';

const octets = (maxLength: number) => fc.uint8Array({ maxLength }).map((array) => Buffer.from(array));
const port = fc.nat(65_535);

const textHeader = fc
  .oneof(
    fc.tuple(fc.constant('TCP4'), fc.ipV4(), fc.ipV4(), port, port),
    fc.tuple(fc.constant('TCP6'), fc.ipV6(), fc.ipV6(), port, port),
  )
  .map((words) => Buffer.from(`PROXY ${words.join(' ')}\r\n`, 'latin1'));

const addresses = fc.constantFrom([0x11, ipv4Addresses] as const, [0x21, ipv6Addresses] as const);
const tlvs = fc
  .array(
    fc.tuple(fc.integer({ min: 4, max: 255 }), octets(40)).map(([type, value]) => tlv(type, value)),
    { maxLength: 4 },
  )
  .map((list) => Buffer.concat(list));
const binary = fc
  .tuple(addresses, tlvs, fc.boolean())
  .map(([[family, ends], rest, isChecked]) =>
    (isChecked ? withChecksum : binaryHeader)(0x21, family, Buffer.concat([ends, rest])),
  );
const sound = fc.oneof(textHeader, binary);

/** Headers with a few octets changed, and octets that only begin as a header does. */
const nearly = fc.oneof(
  fc.tuple(sound, fc.nat(120), fc.nat(255)).map(([header, at, octet]) => {
    const changed = Buffer.from(header);
    changed[at % changed.length] = octet;
    return changed;
  }),
  octets(160),
  octets(160).map((rest) => Buffer.concat([Buffer.from('PROXY '), rest])),
  fc
    .tuple(fc.nat(255), fc.nat(255), octets(80), fc.nat(200))
    .map(([command, family, rest, length]) => binaryHeader(command, family, rest, length)),
);

describe('PROXY headers', () => {
  it('end where they end, whatever follows them', () => {
    fc.assert(
      fc.property(sound, octets(60), (header, rest) => {
        const reading = readProxyHeader(Buffer.concat([header, rest]));
        expect(reading).toMatchObject({ kind: 'complete', octets: header.length });
        expect(reading).toEqual(readProxyHeader(header));
      }),
      { numRuns: 400 },
    );
  });

  it('name the client that was written', () => {
    fc.assert(
      fc.property(fc.oneof(fc.ipV4(), fc.ipV6()), port, (address, from) => {
        const family = address.includes(':') ? 'TCP6' : 'TCP4';
        const to = family === 'TCP6' ? '::1' : '127.0.0.1';
        const parsed = parseIpAddress(address);
        expect(readProxyHeader(Buffer.from(`PROXY ${family} ${address} ${to} ${from} 1\r\n`))).toMatchObject({
          client: parsed && { address: formatIpAddress(parsed), port: from },
        });
      }),
      { numRuns: 300 },
    );
  });

  it('read the same however their octets come, good or bad: only what is incomplete can change', () => {
    fc.assert(
      fc.property(fc.oneof(sound, nearly), octets(20), (begin, rest) => {
        const whole = Buffer.concat([begin, rest]);
        const last = readProxyHeader(whole);
        for (let length = 0; length < whole.length; length += 1) {
          const reading = readProxyHeader(whole.subarray(0, length));
          if (reading.kind !== 'incomplete') expect(reading).toEqual(last);
        }
      }),
      { numRuns: 600 },
    );
  });

  it('never end behind what has come, and are never waited for without end', () => {
    fc.assert(
      fc.property(fc.oneof(sound, nearly), octets(4_200), (begin, rest) => {
        const whole = Buffer.concat([begin, rest]);
        const reading = readProxyHeader(whole);
        if (reading.kind === 'complete') expect(reading.octets).toBeLessThanOrEqual(whole.length);
        if (reading.kind === 'incomplete') expect(whole.length).toBeLessThan(4_112);
      }),
      { numRuns: 600 },
    );
  });

  it('are refused where any bit under their checksum is another', () => {
    const header = withChecksum(0x21, 0x11, ipv4Addresses);
    for (let bit = 16 * 8; bit < 28 * 8; bit += 1) {
      const changed = Buffer.from(header);
      changed[bit >> 3] = (changed[bit >> 3] ?? 0) ^ (1 << (bit & 7));
      expect(readProxyHeader(changed)).toEqual({ kind: 'faulty', fault: 'wrong_checksum' });
    }
  });
});
