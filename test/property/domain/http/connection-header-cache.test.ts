import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { compileCidrs } from '../../../../src/domain/http/cidr-set.js';
import { clientAddress } from '../../../../src/domain/http/client-address.js';
import { ConnectionHeaderCache } from '../../../../src/domain/http/connection-header-cache.js';
import { withForwardedHeaders } from '../../../../src/domain/http/forwardable-fields.js';
import { parseAuthority } from '../../../../src/domain/http/host.js';

const compiled = compileCidrs(['10.0.0.0/8']);
if (!compiled.ok) throw new Error(compiled.error);
const trusted = compiled.value;

const requests = fc.array(
  fc.record({
    host: fc.constantFrom(
      'a.example',
      'A.Example:81',
      'b.example.',
      '[::1]:8080',
      'not a host',
      '',
      'c',
      'd',
      'e',
      'f',
      'g',
    ),
    headers: fc.constantFrom<string[][]>([], ['X-Forwarded-For', '192.0.2.9'], ['Forwarded', 'for=192.0.2.8;host=x']),
  }),
  { maxLength: 20 },
);

describe('what is known of a peer', () => {
  it('is what would have been found out for each of its requests', () => {
    const peers = fc.constantFrom('192.0.2.7', '::ffff:192.0.2.7', '2001:db8::1', '10.1.2.3', 'no address');
    fc.assert(
      fc.property(
        peers,
        fc.constantFrom<('http' | 'https')[]>('http', 'https'),
        requests,
        (peerAddress, scheme, all) => {
          const known = new ConnectionHeaderCache({ peerAddress, peerPort: 7, scheme }, trusted);
          for (const { host: text, headers } of all) {
            const client = clientAddress({ peerAddress, peerPort: 7, headers, trusted });
            if (known.client !== null) expect(known.client).toEqual(client);
            else expect(client.peerTrusted).toBe(true);
            const authority = known.authority(text);
            expect(authority).toEqual(parseAuthority(text));
            const host = authority.ok ? authority.value.original : null;
            const facts = { client: known.client ?? client, peerAddress, scheme, host };
            expect(withForwardedHeaders(headers, { ...facts, known })).toEqual(
              withForwardedHeaders(headers, { ...facts, known: null }),
            );
          }
        },
      ),
    );
  });

  it('is remembered from the second request on, for the host that was asked for last', () => {
    const known = new ConnectionHeaderCache({ peerAddress: '192.0.2.7', peerPort: 7, scheme: 'https' }, trusted);
    known.authority('a.example');
    expect(known.forwarded('a.example')).toBeNull();
    const first = known.authority('a.example');
    const again = known.authority('a.example');
    expect(first.ok && again.ok && first.value === again.value).toBe(true);
    expect(known.forwarded('a.example')).toBe('for=192.0.2.7;proto=https;host=a.example');
    known.authority('b.example');
    expect([known.forwarded('a.example'), known.forwarded('b.example')]).toEqual([
      null,
      'for=192.0.2.7;proto=https;host=b.example',
    ]);
  });

  it('is no more than a few hosts: one that asks for ever others is answered from none', () => {
    const known = new ConnectionHeaderCache({ peerAddress: '192.0.2.7', peerPort: 7, scheme: 'http' }, trusted);
    for (let index = 0; index < 20; index += 1)
      expect(known.authority(`h${index}`)).toEqual(parseAuthority(`h${index}`));
    expect([known.forwarded('h8') === null, known.forwarded('h19')]).toEqual([false, null]);
  });
});
