import { describe, expect, it } from 'vitest';
import type { PlaceholderValues } from '../../../../../src/domain/gateway/route-transforms/placeholder-template.js';
import { parseRedirectTarget, renderedRedirect } from '../../../../../src/domain/gateway/route-transforms/redirect.js';

const request: PlaceholderValues = {
  client_ip: '2001:db8::1',
  host: 'shop.example',
  method: 'GET',
  path: '/a/b',
  query: '?x=1',
  path_query: '/a/b?x=1',
  scheme: 'http',
  correlation_id: 'id-1',
  user_id: 'alice',
  route: 'shop',
  upstream: '',
};

const locationOf = (to: string, values: Partial<PlaceholderValues> = {}): string | null => {
  const target = parseRedirectTarget(to);
  if (!target.ok) throw new Error(target.error.message);
  return renderedRedirect(target.value, { ...request, ...values });
};

describe('the target of a redirect', () => {
  it.each([
    ['https://{host}{path_query}', 'https://shop.example/a/b?x=1'],
    ['https://{host}:8443{path}', 'https://shop.example:8443/a/b'],
    ['https://www.{host}/', 'https://www.shop.example/'],
    ['https://other.example', 'https://other.example'],
    ['HTTPS://other.example/x#y', 'https://other.example/x#y'],
    ['http://[2001:db8::2]:8080{path}', 'http://[2001:db8::2]:8080/a/b'],
    ['//www.example{path_query}', '//www.example/a/b?x=1'],
    ['/new{path}', '/new/a/b'],
    ['{path}/', '/a/b/'],
    [
      '/login?return=https%3A%2F%2F{host}{path}&user={user_id}',
      '/login?return=https%3A%2F%2Fshop.example/a/b&user=alice',
    ],
    ['https://{host}/by/{client_ip}', 'https://shop.example/by/2001%3Adb8%3A%3A1'],
    ['https://{host}/{method}/{scheme}/{correlation_id}/{route}{query}', 'https://shop.example/GET/http/id-1/shop?x=1'],
  ])('%s leads to %s', (to, expected) => {
    expect(locationOf(to)).toBe(expected);
  });

  it.each([
    ['{host}/x', 'must begin with https://, http:// or /'],
    ['{scheme}://www.example/', 'must begin with https://, http:// or /'],
    ['javascript:alert(1)', 'must begin with https://, http:// or /'],
    ['ftp://files.example/', 'must begin with https://, http:// or /'],
    ['www.example/x', 'must begin with https://, http:// or /'],
    ['https://{host}{query}', 'must not have {query} before the path'],
    ['https://{user_id}.example/', 'must not have {user_id} before the path'],
    ['https://{client_ip}/', 'must not have {client_ip} before the path'],
    ['https://{host}:{method}/', 'must not have {method} before the path'],
    ['//{correlation_id}/', 'must not have {correlation_id} before the path'],
    ['/{path}', 'would begin with //'],
    ['/{path_query}', 'would begin with //'],
    ['https://', 'has no valid host'],
    ['https:///x', 'has no valid host'],
    ['//{path}', 'has no valid host'],
    ['https://user@other.example/', 'has no valid host'],
    ['https://{host}@other.example/', 'has no valid host'],
    ['https://other.example:99999/', 'has no valid host'],
    ['https://other.example:/', 'has no valid host'],
    ['https://a b.example/', 'has a character that a URL must not have'],
    ['/\\evil.example', 'has a character that a URL must not have'],
    ['/a\r\nSet-Cookie: a=b', 'has a character that a URL must not have'],
    ['/caf\u00e9', 'has a character that a URL must not have'],
    ['/100%', 'has a character that a URL must not have'],
    ['/{{x}', 'has a character that a URL must not have'],
    ['https://$host$request_uri', 'contains a variable of nginx'],
    ['/new$uri', 'contains a variable of nginx'],
    ['https://{host}/{uri}', '"{uri}" is not a placeholder'],
  ])('refuses %j', (to, message) => {
    const target = parseRedirectTarget(to);
    expect(target.ok ? 'accepted' : target.error.message).toContain(message);
  });
});

describe('a hostile request', () => {
  it.each([
    ['/{query}{path}', { query: '', path: '//evil.example' }, '/evil.example'],
    ['{path}', { path: '//evil.example' }, '/evil.example'],
    ['{path}', { path: '/\\evil.example' }, '/evil.example'],
    ['/{user_id}', { user_id: '/evil.example' }, '/%2Fevil.example'],
    ['/{user_id}', { user_id: '\\evil.example' }, '/%5Cevil.example'],
    ['/x/{user_id}', { user_id: 'a\r\nSet-Cookie: b' }, '/x/aSet-Cookie%3A%20b'],
    ['/x/{user_id}', { user_id: 'caf\u00c3\u00a9' }, '/x/caf%C3%A9'],
    ['/x/{user_id}', { user_id: '\u20ac' }, '/x/%E2%82%AC'],
    ['/x/{method}', { method: '#?/' }, '/x/%23%3F%2F'],
  ])('cannot lead %s with %j to another host', (to, values, expected) => {
    expect(locationOf(to, values)).toBe(expected);
  });

  it.each(['', 'evil.example/', 'a@evil.example', 'a b', 'a?b', 'a#b', 'a\\b', '[::1', ':80'])(
    'gets no redirect to its host %j',
    (host) => {
      expect(locationOf('https://{host}{path_query}', { host })).toBeNull();
      expect(locationOf('//{host}/', { host })).toBeNull();
    },
  );

  it('gets no redirect to a host that the text around it makes invalid', () => {
    expect(locationOf('https://www.{host}/', { host: '[::1]' })).toBeNull();
    expect(locationOf('https://www.{host}/', { host: '' })).toBeNull();
    expect(locationOf('https://{host}:8443/', { host: '[::1]' })).toBe('https://[::1]:8443/');
  });
});
