import { describe, expect, it } from 'vitest';
import { compileCidrs } from '../../../../src/domain/http/cidr-set.js';
import { clientAddress } from '../../../../src/domain/http/client-address.js';

const cidrs = compileCidrs(['10.0.0.0/8', '2001:db8:1::/48']);
if (!cidrs.ok) throw new Error(cidrs.error);
const trusted = cidrs.value;

const seen = (headers: readonly string[], peerAddress = '10.0.0.1') =>
  clientAddress({ peerAddress, peerPort: 1234, headers, trusted });
const addressOf = (headers: readonly string[], peerAddress?: string) => seen(headers, peerAddress).address;

describe('clientAddress', () => {
  it('believes nothing that an untrusted peer says', () => {
    const headers = [
      'X-Forwarded-For',
      '10.1.1.1',
      'X-Forwarded-Proto',
      'https',
      'X-Forwarded-Host',
      'h',
      'Forwarded',
      'for=10.1.1.1',
    ];
    expect(seen(headers, '192.0.2.9')).toEqual({
      address: '192.0.2.9',
      port: 1234,
      peerTrusted: false,
      source: 'connection',
      scheme: null,
      host: null,
    });
  });

  it('takes the rightmost untrusted address, so that a client cannot choose one', () => {
    expect(addressOf(['X-Forwarded-For', '1.1.1.1, 198.51.100.7, 10.2.2.2'])).toBe('198.51.100.7');
    expect(
      addressOf(['X-Forwarded-For', '1.1.1.1', 'x-forwarded-for', '198.51.100.7', 'X-FORWARDED-FOR', '10.2.2.2']),
    ).toBe('198.51.100.7');
  });

  it('reads a mapped peer and mapped entries as IPv4', () => {
    expect(addressOf(['X-Forwarded-For', '::ffff:198.51.100.7'], '::ffff:10.0.0.1')).toBe('198.51.100.7');
  });

  it.each([
    ['198.51.100.7:8080', '198.51.100.7', 8080],
    ['[2001:db8:9::1]:443', '2001:db8:9::1', 443],
    ['[2001:db8:9::1]', '2001:db8:9::1', 0],
    ['2001:DB8:9:0::1', '2001:db8:9::1', 0],
  ])('reads the entry %s', (entry, address, port) => {
    expect(seen(['X-Forwarded-For', entry])).toMatchObject({ address, port, source: 'x_forwarded_for' });
  });

  it.each([
    'unknown',
    '_hidden',
    '1.2.3',
    '198.51.100.7:99999',
    '198.51.100.7:x',
    '[198.51.100.7]',
    '[::1',
    '[::1]x',
    '198.51.100.7 x',
    'fe80::1%eth0',
  ])('stops at the entry %j, at the last address that could be believed', (entry) => {
    expect(addressOf(['X-Forwarded-For', `1.1.1.1, ${entry}, 10.2.2.2`])).toBe('10.2.2.2');
    expect(addressOf(['X-Forwarded-For', `1.1.1.1, ${entry}`])).toBe('10.0.0.1');
  });

  it.each(['1.1.1.1, 198.51.100.7, , 10.2.2.2', '198.51.100.7,,10.2.2.2,', ' , 198.51.100.7, \t,'])(
    'reads %j without its empty entries',
    (value) => {
      expect(addressOf(['X-Forwarded-For', value])).toBe('198.51.100.7');
      expect(addressOf(['X-Forwarded-For', '', 'X-Forwarded-For', value, 'X-Forwarded-For', ' '])).toBe('198.51.100.7');
    },
  );

  it('takes an X-Forwarded-For that says nothing for none', () => {
    expect(seen(['X-Forwarded-For', '', 'X-Forwarded-For', ' , '])).toMatchObject({
      address: '10.0.0.1',
      source: 'connection',
    });
    expect(seen(['X-Forwarded-For', '', 'Forwarded', 'for=198.51.100.7'])).toMatchObject({
      address: '198.51.100.7',
      source: 'forwarded',
    });
  });

  it('goes by X-Forwarded-For where Forwarded says something else, however trusted that looks', () => {
    const both = ['Forwarded', 'for=1.1.1.1;proto=https;host=evil.example', 'X-Forwarded-For', '198.51.100.7'];
    expect(seen(both)).toMatchObject({
      address: '198.51.100.7',
      source: 'x_forwarded_for',
      scheme: null,
      host: null,
    });
    expect(addressOf(['X-Forwarded-For', 'unknown', 'Forwarded', 'for=1.1.1.1'])).toBe('10.0.0.1');
  });

  it('goes through several trusted proxies, of both families and with ports', () => {
    const chain = '198.51.100.7:4711, [2001:db8:1::5]:443, 10.2.2.2:80, 2001:db8:1::6';
    expect(seen(['X-Forwarded-For', chain])).toMatchObject({ address: '198.51.100.7', port: 4711 });
    const elements = 'for="198.51.100.7:4711", for="[2001:db8:1::5]:443", for="10.2.2.2:80", for="[2001:db8:1::6]"';
    expect(seen(['Forwarded', elements])).toMatchObject({ address: '198.51.100.7', port: 4711 });
  });

  it('takes the leftmost where every hop is trusted', () => {
    expect(addressOf(['X-Forwarded-For', '10.3.3.3, 10.2.2.2'])).toBe('10.3.3.3');
  });

  it('looks at a bounded number of hops', () => {
    const hops = Array.from({ length: 1000 }, (_, index) => `10.9.${index >> 8}.${index & 255}`);
    expect(addressOf(['X-Forwarded-For', ['1.1.1.1', ...hops].join(', ')])).toBe('10.9.3.200');
  });

  it('reads Forwarded where there is no X-Forwarded-For', () => {
    const forwarded =
      'for=1.1.1.1, for="[2001:db8:9::1]:81";proto=https;host="shop.example:444", For=10.2.2.2;proto=http';
    expect(seen(['Forwarded', forwarded])).toEqual({
      address: '2001:db8:9::1',
      port: 81,
      peerTrusted: true,
      source: 'forwarded',
      scheme: 'https',
      host: 'shop.example:444',
    });
    expect(addressOf(['Forwarded', forwarded, 'X-Forwarded-For', '198.51.100.7'])).toBe('198.51.100.7');
  });

  it.each([
    'for=',
    'for',
    'for=unknown',
    'for="1.1.1.1',
    'for=1.1.1.1;for=2.2.2.2',
    '=x',
    'for=1.1.1.1 x',
    'by=3.3.3.3',
  ])('stops at the Forwarded element %j', (element) => {
    expect(addressOf(['Forwarded', `for=1.1.1.1, ${element}, for=10.2.2.2`])).toBe('10.2.2.2');
  });

  it('is not led astray by a quote that a client left open', () => {
    expect(addressOf(['Forwarded', 'for="1.1.1.1, for=198.51.100.7'])).toBe('198.51.100.7');
  });

  it('believes scheme and host of the proxy that saw the client', () => {
    const chain = ['X-Forwarded-For', '9.9.9.9, 198.51.100.7, 10.2.2.2'];
    expect(
      seen([
        ...chain,
        'X-Forwarded-Proto',
        'ftp, https, http',
        'X-Forwarded-Host',
        'evil.example, shop.example, inner',
      ]),
    ).toMatchObject({
      scheme: 'https',
      host: 'shop.example',
    });
    expect(seen([...chain, 'X-Forwarded-Proto', 'HTTPS'])).toMatchObject({ scheme: 'https', host: null });
    expect(seen([...chain, 'X-Forwarded-Proto', 'gopher', 'X-Forwarded-Host', 'a b'])).toMatchObject({
      scheme: null,
      host: null,
    });
    expect(seen(['X-Forwarded-Proto', 'https'])).toMatchObject({
      address: '10.0.0.1',
      source: 'connection',
      scheme: 'https',
    });
  });
});
