import { describe, expect, it } from 'vitest';
import {
  cidr,
  hostPattern,
  isLoopback,
  matchableHeader,
  socketAddress,
} from '../../../../../src/domain/configuration/schema/network-kinds.js';

const scalar = (value: string) => ({ value, position: null, hidden: false });
const outcome = <Value>(read: { readonly ok: boolean; readonly value?: Value }) => (read.ok ? read.value : null);

describe('a loopback address', () => {
  it.each(['127.0.0.1', '127.255.255.254', '::1', '0:0:0:0:0:0:0:1', '::ffff:127.0.0.1', 'localhost', 'LOCALHOST'])(
    'is %s',
    (host) => {
      expect(isLoopback(host)).toBe(true);
    },
  );

  it.each([
    '0.0.0.0',
    '::',
    '128.0.0.1',
    '10.127.0.1',
    '127.0.0.1.example',
    'localhost.example',
    '1::1',
    '::2',
    '127.1',
    '',
  ])('is not %j', (host) => {
    expect(isLoopback(host)).toBe(false);
  });
});

describe('host and port', () => {
  it.each([
    ['127.0.0.1:80', { host: '127.0.0.1', port: 80 }],
    ['[fe80::1]:65535', { host: 'fe80::1', port: 65_535 }],
    ['a-b.example:1', { host: 'a-b.example', port: 1 }],
    ['_svc.local:1', { host: '_svc.local', port: 1 }],
    ['xn--9ca.example:1', { host: 'xn--9ca.example', port: 1 }],
    ['1.a:1', { host: '1.a', port: 1 }],
    ['a1.x0:1', { host: 'a1.x0', port: 1 }],
  ])('are read from %s', (text, address) => {
    expect(outcome(socketAddress(1).read(scalar(text)))).toEqual(address);
  });

  it.each([
    '',
    ':80',
    '80',
    'a:',
    'a:0',
    'a:65536',
    'a:1:2',
    '::1:80',
    '[::1]',
    '[a]:1',
    '[127.0.0.1]:1',
    '1.2.3:80',
    '999.1.1.1:80',
    // Names that resolvers and URL parsers read as IPv4 addresses.
    '1:80',
    '127.1:80',
    '0177.0.0.1:80',
    '0x7f.1:80',
    '0x7f000001:80',
    'a.0x:80',
    'foo.1:80',
    // Invalid Punycode labels.
    'xn--:80',
    'xn--a:80',
    'a.XN--ab.example:80',
    '-a:1',
    'a..b:1',
    'a b:1',
    'a/b:1',
    `${'a'.repeat(64)}:1`,
  ])('are not read from %j', (text) => {
    expect(socketAddress(1).read(scalar(text)).ok).toBe(false);
  });
});

describe('a host pattern', () => {
  it.each([
    ['A.Example', 'a.example'],
    ['a.example.', 'a.example'],
    ['*.example', '*.example'],
    ['127.0.0.1', '127.0.0.1'],
    ['[::1]', '[::1]'],
  ])('reads %s as %s', (text, host) => {
    expect(outcome(hostPattern.read(scalar(text)))).toBe(host);
  });

  it.each(['*', '*.', 'a.*', '*.*.a', '*a.b', 'a:80', 'a/b', '.a', 'a..b', 'ä.example', '[x]'])(
    'refuses %s',
    (text) => {
      expect(hostPattern.read(scalar(text)).ok).toBe(false);
    },
  );
});

describe('a CIDR block', () => {
  it.each(['10.0.0.0/8', '10.0.0.1', '0.0.0.0/0', '::/0', '2001:db8::1', '2001:db8::/32'])('may be %s', (text) => {
    expect(outcome(cidr.read(scalar(text)))).toBe(text);
  });

  it.each([
    '10.0.0.0/33',
    '::/129',
    '10.0.0/8',
    '10.0.0.0/',
    '10.0.0.0/8/8',
    '10.0.0.0/-1',
    'a',
    '10.0.0.0 - 10.0.0.9',
  ])('is not %s', (text) => {
    expect(cidr.read(scalar(text)).ok).toBe(false);
  });
});

describe('a header that routes match', () => {
  it.each(['X-Tenant', 'Host', 'X-User-Agent', 'Accept'])('can be %s', (name) => {
    expect(matchableHeader.read(scalar(name)).ok).toBe(true);
  });

  it.each(['X-User-Id', 'x-user-id', 'X_User_Id', 'X-Auth-Method', 'X-Auth-Claim-Role', 'Client-Cert', 'a b', ''])(
    'cannot be %j',
    (name) => {
      expect(matchableHeader.read(scalar(name)).ok).toBe(false);
    },
  );
});

describe('an address with a user and a password', () => {
  it.each([
    'http://user:secret@api.example',
    'http://user:secret@api.example:8080/path',
    'HTTPS://secret@api.example:1',
    'user:secret@api.example:80',
    'redis+tls://:se@cret@api.example',
    `http://user:${'secret'.repeat(30)}@api.example`,
  ])('is refused without a word of them: %s', (text) => {
    const read = socketAddress(1).read(scalar(text));
    const said = read.ok ? '' : `${read.error.message} ${read.error.suggestion ?? ''}`;
    expect(said).toContain('must be host:port, not "');
    expect(said).toContain('***@api.example');
    expect(said).not.toMatch(/secret|user:|cret/);
  });
});
