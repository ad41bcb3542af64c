import { describe, expect, it } from 'vitest';
import {
  type AllowedSan,
  parseAllowedSan,
  prepareAllowedSans,
  sanAllowed,
} from '../../../../../src/domain/agent/client-certificates/allowed-san.js';
import type { SubjectAltName } from '../../../../../src/domain/shared/certificate.js';

const parsed = (text: string): AllowedSan => {
  const result = parseAllowedSan(text);
  if (!result.ok) throw new Error(`${text}: ${result.error}`);
  return result.value;
};

const allows = (entry: string, kind: SubjectAltName['kind'], value: string): boolean =>
  sanAllowed(prepareAllowedSans([parsed(entry)]), [{ kind, value }]);

describe('parseAllowedSan', () => {
  it.each([
    ['api.example.com', 'dns'],
    ['localhost', 'dns'],
    ['*.example.com', 'dns-wildcard'],
    ['DNS:api.example.com', 'dns'],
    ['dns: *.example.com', 'dns-wildcard'],
    ['_svc.example.com', 'dns'],
    ['spiffe://example.com/ns/a/sa/b', 'uri'],
    ['urn:uuid:f81d4fae-7dec-11d0-a765-00a0c91e6bf6', 'uri'],
    ['URI:https://example.com/', 'uri'],
    ['spiffe://user@example.com/', 'uri'],
    ['user@example.com', 'email'],
    ['EMAIL:user@example.com', 'email'],
    ['10.0.0.1', 'ip'],
    ['10.0.0.0/8', 'ip'],
    ['2001:db8::1', 'ip'],
    ['fe80::1', 'ip'],
    ['ip:::1', 'ip'],
    ['IP:2001:db8::/32', 'ip'],
  ])('parses %s as %s', (text, kind) => {
    expect(parsed(text).kind).toBe(kind);
    expect(parsed(`  ${text} `).kind).toBe(kind);
  });

  it.each([
    ['', 'is empty'],
    [' \t', 'is empty'],
    ['*', 'has a misplaced wildcard; it must be the whole first label, as in "*.example.com"'],
    ['a*.example.com', 'has a misplaced wildcard; it must be the whole first label, as in "*.example.com"'],
    ['*a.example.com', 'has a misplaced wildcard; it must be the whole first label, as in "*.example.com"'],
    ['*.*.example.com', 'has a misplaced wildcard; it must be the whole first label, as in "*.example.com"'],
    ['a.*.com', 'has a misplaced wildcard; it must be the whole first label, as in "*.example.com"'],
    ['*.', 'has a misplaced wildcard; it must be the whole first label, as in "*.example.com"'],
    ['.example.com', 'is not a DNS name; write non-ASCII names with "xn--"'],
    ['a..example.com', 'is not a DNS name; write non-ASCII names with "xn--"'],
    ['bücher.example', 'is not a DNS name; write non-ASCII names with "xn--"'],
    ['DNS:', 'is not a DNS name; write non-ASCII names with "xn--"'],
    ['two names', 'is not a DNS name; write non-ASCII names with "xn--"'],
    [`${'a'.repeat(64)}.example`, 'is not a DNS name; write non-ASCII names with "xn--"'],
    [`${'a.'.repeat(127)}a`, 'is not a DNS name; write non-ASCII names with "xn--"'],
    ['10.0.0.256', 'is not an IP address'],
    ['DNS:10.0.0.1', 'is not an IP address'],
    ['IP:10.0.0.0/33', 'is neither an IP address nor a CIDR block'],
    ['IP:example.com', 'is neither an IP address nor a CIDR block'],
    ['api.example.com:8443', 'has a port, which names in certificates never have'],
    ['spiffe://example.com/*', 'has a wildcard, which only DNS names support'],
    ['URI:example', 'is not a URI'],
    ['spiffe:', 'is not a URI'],
    ['spiffe://exämple/', 'is not a URI'],
    ['URI:spiffe://a b', 'is not a URI'],
    ['*@example.com', 'is not an e-mail address of the form "user@example.com"'],
    ['@example.com', 'is not an e-mail address of the form "user@example.com"'],
    ['user@', 'is not an e-mail address of the form "user@example.com"'],
    ['a@b@example.com', 'is not an e-mail address of the form "user@example.com"'],
    ['email:example.com', 'is not an e-mail address of the form "user@example.com"'],
  ])('refuses %j', (text, error) => {
    expect(parseAllowedSan(text)).toEqual({ ok: false, error });
  });
});

describe('sanAllowed', () => {
  it.each([
    ['api.example.com', 'dns', 'API.Example.COM'],
    ['api.example.com', 'dns', 'api.example.com.'],
    ['api.example.com.', 'dns', 'api.example.com'],
    ['*.example.com', 'dns', 'api.example.com'],
    ['*.EXAMPLE.com.', 'dns', 'Api.example.COM.'],
    ['*.example.com', 'dns', '*.example.com'],
    ['*.example.com', 'dns', '*.Example.com.'],
    ['*.local', 'dns', 'printer.local'],
    ['spiffe://example.com/ns/a', 'uri', 'SPIFFE://Example.COM/ns/a'],
    ['URI:https://User@example.com:8443/a?b#c', 'uri', 'https://User@EXAMPLE.com:8443/a?b#c'],
    ['urn:UUID:1', 'uri', 'URN:UUID:1'],
    ['User@example.com', 'email', 'User@EXAMPLE.com'],
    ['10.0.0.1', 'ip', '10.0.0.1'],
    ['10.0.0.1', 'ip', '::ffff:10.0.0.1'],
    ['::ffff:10.0.0.1', 'ip', '10.0.0.1'],
    ['10.0.0.0/8', 'ip', '10.9.8.7'],
    ['2001:db8::/32', 'ip', '2001:db8:1::1'],
    ['2001:DB8:0::1', 'ip', '2001:db8::1'],
  ] as const)('lets %s allow %s %s', (entry, kind, value) => {
    expect(allows(entry, kind, value)).toBe(true);
  });

  it.each([
    ['api.example.com', 'dns', '*.example.com'],
    ['api.example.com', 'dns', '*.com'],
    ['api.example.com', 'dns', 'api.example.com..'],
    ['api.example.com', 'dns', 'api.example.com\0'],
    ['api.example.com', 'dns', 'api.example.com\0.evil.example'],
    ['api.example.com', 'dns', ' api.example.com'],
    ['api.example.com', 'dns', 'api.example.com.evil.example'],
    ['api.example.com', 'uri', 'api.example.com'],
    ['api.example.com', 'email', 'api.example.com'],
    ['kiosk.example.com', 'dns', '\u212aiosk.example.com'],
    ['api.example.com', 'dns', 'api\u3002example.com'],
    ['*.example.com', 'dns', 'example.com'],
    ['*.example.com', 'dns', '.example.com'],
    ['*.example.com', 'dns', 'a.b.example.com'],
    ['*.example.com', 'dns', 'badexample.com'],
    ['*.example.com', 'dns', '*.b.example.com'],
    ['*.b.example.com', 'dns', '*.*.example.com'],
    ['*.example.com', 'dns', 'a*.example.com'],
    ['*.example.com', 'dns', 'x\0.example.com'],
    ['*.example.com', 'dns', 'bü.example.com'],
    ['*.example.com', 'dns', ''],
    ['10.0.0.0/8', 'dns', '10.0.0.1'],
    ['spiffe://example.com/ns/a', 'uri', 'spiffe://example.com/ns/A'],
    ['spiffe://example.com/ns/a', 'uri', 'spiffe://example.com/ns/a/'],
    ['spiffe://example.com/ns/a', 'uri', 'spiffe://example.com/ns/%61'],
    ['spiffe://example.com/ns/a', 'uri', 'spiffe://example.com/ns/a\0'],
    ['spiffe://example.com/ns/a', 'uri', 'spiffe://example.com/ns/b/../a'],
    ['spiffe://example.com/ns/a', 'dns', 'example.com'],
    ['https://example.com/a', 'uri', 'https://example.com@evil.example/a'],
    ['https://User@example.com/a', 'uri', 'https://user@example.com/a'],
    ['https://a@B@example.com/', 'uri', 'https://a@b@example.com/'],
    ['User@example.com', 'email', 'user@example.com'],
    ['user@example.com', 'email', 'user@example.com\0'],
    ['user@example.com', 'email', 'user@evil@example.com'],
    ['user@example.com', 'email', 'user@\u212aexample.com'],
    ['user@example.com', 'dns', 'user@example.com'],
    ['10.0.0.1', 'ip', '10.0.0.2'],
    ['10.0.0.0/8', 'ip', '11.0.0.1'],
    ['10.0.0.0/8', 'ip', ''],
    ['0.0.0.0/0', 'ip', '2001:db8::1'],
    ['::/0', 'ip', '10.0.0.1'],
  ] as const)('does not let %s allow %s %j', (entry, kind, value) => {
    expect(allows(entry, kind, value)).toBe(false);
  });

  it('needs only one matching name and one matching entry', () => {
    const allowed = prepareAllowedSans(['a.example', 'b@example.com', '10.0.0.0/8'].map(parsed));
    const other: SubjectAltName = { kind: 'dns', value: 'c.example' };
    expect(sanAllowed(allowed, [other, { kind: 'ip', value: '10.1.1.1' }])).toBe(true);
    expect(sanAllowed(allowed, [other])).toBe(false);
    expect(sanAllowed(allowed, [])).toBe(false);
    expect(sanAllowed(prepareAllowedSans([]), [other])).toBe(false);
  });
});
