import { describe, expect, it } from 'vitest';
import { parseAuthority, parseHost } from '../../../../src/domain/http/request-target.js';

describe('parseAuthority', () => {
  it.each([
    ['a.example', 'a.example', null],
    ['A.Example:8080', 'a.example', 8080],
    ['a.example.', 'a.example', null],
    ['a.example.:80', 'a.example', 80],
    ['a.example:', 'a.example', null],
    ['localhost', 'localhost', null],
    ['my_service', 'my_service', null],
    ['192.0.2.1:81', '192.0.2.1', 81],
    ['[2001:DB8::1]', '[2001:db8::1]', null],
    ['[::1]:443', '[::1]', 443],
  ])('reads %s', (text, host, port) => {
    expect(parseAuthority(text)).toEqual({ ok: true, value: { host, port, original: text } });
  });

  it.each([
    '',
    '.',
    '.example',
    'a..example',
    'a.example..',
    ':80',
    'a:b',
    'a:0',
    'a:65536',
    'a:123456',
    'a:80:80',
    'a:+80',
    'user@a.example',
    'a example',
    'a/b',
    'a\\b',
    'a?b',
    'a#b',
    'a,b',
    'a%2fb',
    'a\0',
    '\u00e9.example',
    '[::1',
    '::1',
    '[::1]x',
    '[]',
    '[127.0.0.1]',
    '[fe80::1%25eth0]',
    '[v1.x]',
    '[::1]]',
    `${'a'.repeat(256)}`,
  ])('refuses %j', (text) => {
    expect(parseAuthority(text)).toEqual({ ok: false, error: 'invalid_host' });
  });
});

describe('parseHost', () => {
  it('asks for exactly one Host in HTTP/1.1', () => {
    expect(parseHost(['Host', 'a'], '1.1')).toMatchObject({ ok: true, value: { host: 'a' } });
    expect(parseHost([], '1.1').ok).toBe(false);
    expect(parseHost(['Host', 'a', 'host', 'a'], '1.1').ok).toBe(false);
    expect(parseHost(['Host', ''], '1.1').ok).toBe(false);
  });

  it('needs one field of HTTP/2 too, where its authority has become one', () => {
    expect(parseHost(['Host', 'a'], '2.0').ok).toBe(true);
    expect(parseHost([], '2.0').ok).toBe(false);
    expect(parseHost(['Host', 'a', 'X-Host', 'c', 'HOST', 'b'], '2.0').ok).toBe(false);
  });

  it('lets HTTP/1.0 go without', () => {
    expect(parseHost([], '1.0')).toEqual({ ok: true, value: null });
    expect(parseHost(['Host', 'a', 'X-Host', 'c', 'HOST', 'b'], '1.0').ok).toBe(false);
  });
});
