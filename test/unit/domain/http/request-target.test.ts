import { describe, expect, it } from 'vitest';
import { parseRequestTarget } from '../../../../src/domain/http/request-target.js';

const parsed = (target: string, method = 'GET') => {
  const result = parseRequestTarget(target, method);
  return result.ok ? result.value : result.error;
};

describe('parseRequestTarget', () => {
  it('takes origin-form apart at the first question mark', () => {
    expect(parsed('/a/b')).toEqual({ path: '/a/b', query: null, authority: null });
    expect(parsed('/a?b?c')).toEqual({ path: '/a', query: 'b?c', authority: null });
    expect(parsed('/a?')).toEqual({ path: '/a', query: '', authority: null });
    expect(parsed('//other.example/a')).toEqual({ path: '//other.example/a', query: null, authority: null });
  });

  it('takes the authority of absolute-form, in any case of the scheme', () => {
    expect(parsed('http://a.example:81/x?y')).toEqual({ path: '/x', query: 'y', authority: 'a.example:81' });
    expect(parsed('HTTPS://a.example/x')).toEqual({ path: '/x', query: null, authority: 'a.example' });
    expect(parsed('http://a.example')).toEqual({ path: '/', query: null, authority: 'a.example' });
    expect(parsed('http://a.example?q')).toEqual({ path: '/', query: 'q', authority: 'a.example' });
  });

  it('reads an OPTIONS for the server itself, in both forms', () => {
    expect(parsed('*', 'OPTIONS')).toEqual({ path: '*', query: null, authority: null });
    expect(parsed('http://a.example', 'OPTIONS')).toEqual({ path: '*', query: null, authority: 'a.example' });
    expect(parsed('*', 'GET')).toBe('malformed_request');
    expect(parsed('*?x', 'OPTIONS')).toBe('malformed_request');
  });

  it('implements no TRACE', () => {
    expect(parsed('/', 'TRACE')).toBe('method_not_implemented');
  });

  it('implements no CONNECT', () => {
    expect(parsed('a.example:443', 'CONNECT')).toBe('method_not_implemented');
    expect(parsed('/', 'CONNECT')).toBe('method_not_implemented');
  });

  it.each([
    '',
    'a',
    'a.example:443',
    'ftp://a.example/',
    'http:///x',
    'http://',
    'http:/a',
    '/a#b',
    '/a b',
    '/a\tb',
    '/a\r\nX: y',
    '/a\0',
    '/a\u007f',
    '/\u00e9',
    '?x',
  ])('refuses %j', (target) => {
    expect(parsed(target)).toBe('malformed_request');
  });
});
