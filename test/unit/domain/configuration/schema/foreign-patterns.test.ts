import { describe, expect, it } from 'vitest';
import {
  foreignExpression,
  foreignHostPattern,
  foreignPathPattern,
} from '../../../../../src/domain/configuration/schema/foreign-patterns.js';

describe('a path that is certainly a pattern', () => {
  it.each([
    ['/api/*', 'path-prefix "/api"'],
    ['/api/**', 'path-prefix "/api"'],
    ['/*', 'path-prefix "/"'],
    ['/**', 'path-prefix "/"'],
    ['*', 'path-prefix "/"'],
    ['/users/*/orders/*', 'path-regex "^/users/[^/]+/orders/"'],
    ['/users/{id}', 'path-regex "^/users/[^/]+$"'],
    ['/users/{id:[0-9]+}/x.json', String.raw`path-regex #"^/users/(?:[0-9]+)/x\.json$"#`],
    ['/files/{proxy+}', 'path-regex "^/files/.*$"'],
    ['/users/<int:id>', 'path-regex "^/users/[^/]+$"'],
    ['~ ^/x', 'path-regex "^/x"'],
    ['~* ^/x', 'path-regex "(?i)^/x"'],
    ['^~ /x', 'path-prefix "/x"'],
    ['= /x', 'path "/x"'],
    ['PathPrefix(`/x`)', 'path-prefix "/x"'],
    ['Path(`/x`) && Method(`GET`)', 'path "/x"'],
    ['PathRegexp(`^/x/[0-9]+`)', 'path-regex "^/x/[0-9]+"'],
    ['^/x', 'path-regex "^/x"'],
    ['*.php', String.raw`path-regex #"\.php$"#`],
    ['https://shop.example:8443/cart', 'host "shop.example"; path-prefix "/cart"'],
    ['/search?q=1', 'path "/search"; query-param "q" "1"'],
    [String.raw`/v\d+/x`, String.raw`path-regex #"^/v\d+/x"#`],
  ])('suggests a form for %s', (path, instead) => {
    expect(foreignPathPattern(path, 'path')).toEqual({ instead, isCertain: true });
  });
});

it('keeps the meaning of a prefix', () => {
  expect(foreignPathPattern('/users/{id}', 'path-prefix')?.instead).toBe('path-regex "^/users/[^/]+(?:/|$)"');
});

describe('a path that may be a pattern', () => {
  it.each([
    ['/users/:id', 'path-regex "^/users/[^/]+$"'],
    ['/users/[id]/x', 'path-regex "^/users/[^/]+/x$"'],
    ['/users/*/x', 'path-regex "^/users/[^/]+/x$"'],
    ['/img*', 'path-prefix "/img", or path-regex "^/img"'],
    ['/a*b', 'path-regex "^/a[^/]*b$"'],
    ['/api/.*', 'path-prefix "/api"'],
    ['/api/(.*)', 'path-prefix "/api"'],
    ['/v[0-9]+/x', 'path-regex "^/v[0-9]+/x"'],
    ['/x$', 'path-regex "^/x$"'],
  ])('suggests a form for %s', (path, instead) => {
    expect(foreignPathPattern(path, 'path')).toEqual({ instead, isCertain: false });
  });
});

describe('a path that is one', () => {
  it.each([
    '/',
    '/api',
    '/api/',
    '/wiki/Foo_(bar)',
    '/odata/$metadata',
    '/Products(1)',
    '/v1/operations:cancel',
    '/c++/index.html',
    '/.well-known/jwks.json',
    '/a;b=c/d,e',
    '/@user/~me',
    '/%7Bid%7D',
    'api',
    '',
  ])('stays as it is: %j', (path) => {
    expect(foreignPathPattern(path, 'path')).toBeNull();
  });
});

describe('an expression that looks like a pattern of another kind', () => {
  it.each([
    ['/api/*', 'path-prefix "/api"'],
    ['^/api/**', 'path-prefix "/api"'],
    ['^/users/{id}$', 'path-regex "^/users/[^/]+$"'],
    ['/users/:id/x', 'path-regex "^/users/[^/]+/x$"'],
  ])('suggests a form for %s', (expression, instead) => {
    expect(foreignExpression(expression)?.instead).toBe(instead);
  });

  it.each(['^/api/', '^/users/[0-9]+$', '/a{2}/b', '^/x/*$', '.*', String.raw`^/v\d/`])('is not %s', (expression) => {
    expect(foreignExpression(expression)).toBeNull();
  });
});

describe('a host that is a pattern', () => {
  it.each([
    ['*', 'delete host'],
    ['_', 'delete host'],
    ['.example.com', 'write host "example.com" "*.example.com"'],
    ['*example.com', 'list each host'],
    ['api-*.example.com', 'write host "*.example.com"'],
    ['{tenant}.example.com', 'write host "*.example.com"'],
    ['**.example.com', 'write host "*.example.com"'],
    ['a.*.example.com', 'list each host'],
    ['example.*', 'list each host'],
    ['~^(.+)[.]example[.]com$', 'list each host'],
    ['Host(`a.example`)', 'write host "a.example"'],
    ['https://a.example/x', 'write host "a.example"'],
    ['a.example, b.example', 'write each host in its own quotes'],
  ])('suggests a remedy for %s', (host, suggestion) => {
    expect(foreignHostPattern(host)).toContain(suggestion);
  });

  it.each(['a.example', 'a.example:80', '-a.example'])('is not %s', (host) => {
    expect(foreignHostPattern(host)).toBeNull();
  });
});
