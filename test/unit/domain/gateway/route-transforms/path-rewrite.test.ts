import { describe, expect, it } from 'vitest';
import { re2PathPatterns } from '../../../../../src/adapters/outbound/re2-path-patterns/re2-path-patterns.js';
import {
  compileRewrite,
  type ForwardedPathRules,
  forwardedPath,
  type PathRewrite,
} from '../../../../../src/domain/gateway/route-transforms/path-rewrite.js';
import { normalisePath } from '../../../../../src/domain/http/path-normalisation.js';
import { receivedPath } from '../../../../../src/domain/http/received-path.js';

const compiled = (rewrite: PathRewrite) => {
  const result = compileRewrite(rewrite, re2PathPatterns);
  if (!result.ok) throw new Error(result.error);
  return result.value;
};

/** The path for the upstream, or what is wrong with it. */
const forwarded = (rewrite: PathRewrite | null, raw: string, rules: Partial<ForwardedPathRules> = {}): string => {
  const all = {
    rewrite: rewrite === null ? null : compiled(rewrite),
    allowsEncodedSlash: false,
    mergesSlashes: true,
    ...rules,
  };
  const path = normalisePath(raw, all.allowsEncodedSlash ? 'keep' : 'refuse');
  if (!path.ok) throw new Error(path.error);
  const result = forwardedPath(all, path.value, receivedPath(raw));
  return result.ok ? result.value : result.error;
};

const prefix = (strip: string | null, add: string | null = null): PathRewrite => ({ kind: 'prefix', strip, add });
const regex = (pattern: string, replacement: string): PathRewrite => ({ kind: 'regex', pattern, replacement });

describe('forwardedPath', () => {
  it.each([
    ['/api', null, '/api/x', '/x'],
    ['/api', null, '/api/', '/'],
    ['/api', null, '/api', '/'],
    ['/api', null, '/apix', '/apix'],
    ['/api', null, '/other', '/other'],
    ['/api', null, '/API/x', '/API/x'],
    ['/api', null, '/api/api/x', '/api/x'],
    ['/api/', null, '/api/x', '/x'],
    ['/api/', null, '/api', '/api'],
    ['/api', '/v1', '/api/x', '/v1/x'],
    ['/api', '/v1', '/api', '/v1'],
    ['/api', '/v1', '/api/', '/v1/'],
    ['/api', '/v1', '/x', '/v1/x'],
    ['/api', '/v1/', '/api/x', '/v1/x'],
    [null, '/v1', '/x', '/v1/x'],
    [null, '/v1', '/', '/v1/'],
    ['/caf%C3%A9', null, '/caf%c3%a9/x', '/x'],
  ])('strips %j and adds %j: %s becomes %s', (strip, add, path, expected) => {
    expect(forwarded(prefix(strip, add), path)).toBe(expected);
  });

  it.each([
    ['^/old/(.*)$', '/new/$1', '/old/a/b', '/new/a/b'],
    ['^/old/(.*)$', '/new/$1', '/other', '/other'],
    ['^/(\\w+)/(\\w+)$', '/$2/$1', '/a/b', '/b/a'],
    ['one', 'two', '/one/x/one', '/two/x/two'],
    ['^/(.*)$', '/$1/', '/a', '/a/'],
    ['^/(.*)$', '/$1/', '/a/', '/a/'],
    ['^/(.*)$', '/$$1', '/a', '/$1'],
    ['^/(a)(b)?$', '/$1$2', '/a', '/a'],
    ['^', '/v1', '/x', '/v1/x'],
    ['%25', '%', '/%2541', '/A'],
  ])('replaces %s by %s: %s becomes %s', (pattern, replacement, path, expected) => {
    expect(forwarded(regex(pattern, replacement), path)).toBe(expected);
  });

  it('replaces the whole path', () => {
    expect(forwarded({ kind: 'path', path: '/index.html' }, '/any/thing')).toBe('/index.html');
  });

  it.each([
    ['^/(.*)$', '$1', '/a', 'does not begin with a slash'],
    ['^/(.*)x(.*)$', '/$1$2', '/a/.x./b', 'contains a dot segment'],
    ['25', '', '/%252e%252e/b', 'contains a dot segment'],
    ['25', '', '/%252Fb', 'contains %2f, %5c, %00 or a backslash'],
    ['25', '', '/%2500', 'contains %2f, %5c, %00 or a backslash'],
    ['^/(.*)$', '/$1', '/a/%252e%252e/b', 'contains a dot segment once it is decoded'],
    ['^/(.*)$', '/$1', '/a/%252e%252e%252fb', 'contains a dot segment once it is decoded'],
    ['^/(.*)$', '/$1%', '/a', 'is not a valid path'],
    ['x', '..;', '/x/a', 'contains a dot segment'],
    ['a', 'b', `/${'a'.repeat(33)}`, 'does not begin with a slash'],
    ['^/(.*)$', '/$1$1$1', `/${'a'.repeat(8_000)}`, 'is too long'],
  ])('refuses what %s to %s makes of %s', (pattern, replacement, path, expected) => {
    expect(forwarded(regex(pattern, replacement), path)).toBe(expected);
  });

  it.each([
    [null, '/a//b', '/a//b'],
    [null, '//a///b//', '//a///b//'],
    [null, '/a//../b', '/b'],
    [null, '/a//b/../c', '/a//c'],
    [null, '/a/./b', '/a/b'],
    [prefix('/api'), '/api//x//y', '//x//y'],
    [prefix('/api/v1'), '//api///v1//x', '//x'],
    [prefix('/api', '/v1'), '/api//x', '/v1//x'],
    [prefix('/api', '/v1/'), '/api//x', '/v1//x'],
    [prefix(null, '/v1'), '//x', '/v1//x'],
    [regex('^/a/(.*)$', '/$1'), '/a//b', '/b'],
  ])('keeps slashes where the route does not merge them: %j, %s becomes %s', (rewrite, path, expected) => {
    expect(forwarded(rewrite, path, { mergesSlashes: false })).toBe(expected);
  });

  it.each([
    [null, '/a%2Fb', '/a%2Fb'],
    [null, '/a%2fb%5c%5C', '/a%2fb%5c%5C'],
    [null, '/a//%41%2fb', '/a/A%2fb'],
    [prefix('/api'), '/api/a%2fb', '/a%2fb'],
    [prefix('/a%2Fb'), '/a%2fb/x', '/x'],
    [regex('^/p/(.*)$', '/q/$1'), '/p/a%2fb', '/q/a%2Fb'],
    [regex('%2F', '/'), '/..a%2Fb', '/..a/b'],
    [regex('x', '.'), '/%2Fx.', 'contains a dot segment once it is decoded'],
  ])('keeps encoded separators where the route allows them: %j, %s becomes %s', (rewrite, path, expected) => {
    expect(forwarded(rewrite, path, { allowsEncodedSlash: true })).toBe(expected);
  });
});

describe('compileRewrite', () => {
  it('names the prefix that the upstream does not see', () => {
    const { removedPrefix } = compiled(prefix('/api/'));
    expect([removedPrefix('/api/x'), removedPrefix('/api'), removedPrefix('/x')]).toEqual(['/api', null, null]);
    expect(compiled(prefix(null, '/v1')).removedPrefix('/v1')).toBeNull();
  });

  it.each([
    ['(', '/'],
    ['a', '$0'],
    ['a', '\\1'],
  ])('refuses %s with %s', (pattern, replacement) => {
    expect(compileRewrite(regex(pattern, replacement), re2PathPatterns).ok).toBe(false);
  });

  it.each([
    [prefix('/api', '/v1'), '/v1/x', '/api/x', '/api/x'],
    [prefix('/api', '/v1'), '/v1', '/api', '/api'],
    [prefix('/api', '/v1'), '/v12', '/v12', '/v12'],
    [prefix('/api', '/v1'), '/', '/', '/api'],
    [prefix('/api'), '/', '/api/', '/api'],
    [prefix('/api'), '/x', '/api/x', '/api/x'],
    [prefix(null, '/v1'), '/v1/x', '/x', '/x'],
    [prefix(null, '/v1'), '/v1', '/', '/'],
    [regex('^/a/(.*)$', '/b/$1'), '/b/x', '/a/x', '/a/x'],
    [regex('^/a/(.*)$', '/b/$1'), '/b', '/b', '/a'],
    [regex('^/a\\.b/(.*)', '/b/$1'), '/b/x', '/a.b/x', '/a.b/x'],
  ])('turns back %j: %s becomes %s, the path of a cookie %s', (rewrite, path, expected, cookiePath) => {
    const { turnBack } = compiled(rewrite);
    expect(turnBack?.path(path, '/api/x')).toBe(expected);
    expect(turnBack?.cookiePath(path, '/api/x')).toBe(cookiePath);
  });

  it.each(
    [regex('^/(.*)/(.*)$', '/$2'), regex('a(.*)', '/b$1'), regex('^/a/(.*)$', '/b/$1/c'), prefix('/api')].slice(0, 3),
  )('cannot turn back %j', (rewrite) => {
    expect(compiled(rewrite).turnBack).toBeNull();
  });

  it('adds no prefix to responses of a request that had none', () => {
    expect(compiled(prefix('/api')).turnBack?.path('/x', '/other')).toBe('/x');
  });
});
