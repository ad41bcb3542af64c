import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { compileCidrs, includesAddress } from '../../../../src/domain/http/cidr-set.js';
import { clientAddress } from '../../../../src/domain/http/client-address.js';
import { parseIpAddress } from '../../../../src/domain/http/ip-address.js';

const cidrs = compileCidrs(['10.0.0.0/8', 'fd00::/8']);
if (!cidrs.ok) throw new Error(cidrs.error);
const trusted = cidrs.value;
const isTrusted = (text: string): boolean => {
  const address = parseIpAddress(text);
  return address !== null && includesAddress(trusted, address);
};

const inside = fc.constantFrom('10.0.0.1', '10.9.9.9', 'fd00::1', '::ffff:10.1.1.1');
const outside = fc
  .oneof(fc.constantFrom('192.0.2.1', '2001:db8::1', '11.0.0.1'), fc.ipV6())
  .filter((text) => !isTrusted(text));
const entry = fc.oneof(
  inside,
  outside,
  fc.constantFrom('unknown', '', '"', 'for=10.0.0.1'),
  fc.string({ maxLength: 8 }),
);
const line = fc.array(entry, { maxLength: 5 }).map((entries) => entries.join(','));
const forwarded = fc.array(entry, { maxLength: 4 }).map((entries) => entries.map((node) => `for="${node}"`).join(', '));
const field = fc.oneof(
  fc.tuple(fc.constantFrom('X-Forwarded-For', 'x-forwarded-for'), line),
  fc.tuple(fc.constantFrom('Forwarded', 'FORWARDED'), fc.oneof(forwarded, line)),
  fc.tuple(fc.constantFrom('X-Forwarded-Proto', 'X-Forwarded-Host', 'X-Real-IP'), line),
);
const headers = fc.array(field, { maxLength: 5 }).map((fields) => fields.flat());

describe('clientAddress', () => {
  it('gives the peer itself for an untrusted peer, whatever the headers', () => {
    fc.assert(
      fc.property(outside, headers, (peerAddress, given) => {
        const found = clientAddress({ peerAddress, peerPort: 7, headers: given, trusted });
        expect(parseIpAddress(found.address)).toEqual(parseIpAddress(peerAddress));
        expect(found).toMatchObject({ port: 7, peerTrusted: false, source: 'connection', scheme: null, host: null });
      }),
      { numRuns: 1000 },
    );
  });

  it('is not changed by anything that stands left of an untrusted address', () => {
    fc.assert(
      fc.property(inside, line, outside, fc.array(inside, { maxLength: 3 }), (peerAddress, forged, client, proxies) => {
        const chain = [client, ...proxies].join(', ');
        for (const value of [chain, `${forged}, ${chain}`]) {
          const found = clientAddress({ peerAddress, peerPort: 7, headers: ['X-Forwarded-For', value], trusted });
          expect(parseIpAddress(found.address)).toEqual(parseIpAddress(client));
        }
      }),
      { numRuns: 1000 },
    );
  });
});
