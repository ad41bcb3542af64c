import { describe, expect, it } from 'vitest';
import {
  compileProtectedPaths,
  type ProtectedPathOptions,
  pathProtection,
} from '../../../../../src/domain/agent/sign-on/protected-paths.js';
import { requestPath } from '../../../../../src/domain/http/path-normalisation.js';

const standing = (options: Partial<ProtectedPathOptions>) => {
  const paths = compileProtectedPaths({ protectedPaths: [], excludedPaths: [], ...options });
  return (uri: string) => pathProtection(paths, requestPath(uri));
};

describe('protected paths', () => {
  it('are all if none is configured', () => {
    const of = standing({});
    for (const uri of ['/', '/a', '/a?b', '/saml/acs/', '*']) expect(of(uri)).toBe('protected');
  });

  it('match by whole segments', () => {
    const of = standing({ protectedPaths: ['/app', '/x/y'] });
    for (const uri of ['/app', '/app/', '/app/a/b', '/app?x', '/x/y', '/x/y/z']) expect(of(uri)).toBe('protected');
    for (const uri of ['/', '/application', '/App', '/x', '/x/yz', '/x/z']) expect(of(uri)).toBe('open');
  });

  it('include their own name if they end in a slash', () => {
    const of = standing({ protectedPaths: ['/admin/'] });
    expect([of('/admin'), of('/admin/'), of('/admin/x'), of('/administration')]).toEqual([
      'protected',
      'protected',
      'protected',
      'open',
    ]);
  });

  it('are all if the root is configured', () => {
    expect(standing({ protectedPaths: ['/'] })('/a/b')).toBe('protected');
  });
});

describe('path segment parameters, which some upstreams cut off', () => {
  const inside = [
    '/app;x',
    '/app;/x',
    '/app%3Bx',
    '/app%3bx/y',
    '/app;',
    '/app;a;b=c/d',
    '/;/app',
    '/;x/app/y',
    '//;/app',
  ];

  it.each(inside)('do not remove %s from the protected paths', (uri) => {
    for (const path of ['/app', '/app/']) expect(standing({ protectedPaths: [path] })(uri)).toBe('protected');
  });

  it('add nothing else to them', () => {
    const of = standing({ protectedPaths: ['/app', '/x/y'] });
    for (const uri of ['/application;app', '/ap;p', '/other;/app', '/x;/z', '/;x']) expect(of(uri)).toBe('open');
    expect(of('/x;1/y;2/z')).toBe('protected');
  });

  it('do not remove the name of a protected path with parameters', () => {
    const of = standing({ protectedPaths: ['/app;v=1'] });
    expect([of('/app'), of('/app;v=2'), of('/app;v=1/a')]).toEqual(['protected', 'protected', 'protected']);
    expect(of('/other')).toBe('open');
    for (const all of ['/;x', '/x/..%3B/y']) expect(standing({ protectedPaths: [all] })('/any')).toBe('protected');
  });

  it('do not add a path to the excluded ones', () => {
    for (const protectedPaths of [[], ['/app']]) {
      const of = standing({ protectedPaths, excludedPaths: ['/app/public'] });
      for (const uri of ['/app/public;x', '/app/public%3Bx/y', '/app;x/public', '/app/;/public']) {
        expect(of(uri)).toBe('protected');
      }
      expect(of('/app/public/x;y')).toBe('excluded');
    }
  });

  it('do not hide a dot segment', () => {
    const of = standing({ protectedPaths: ['/admin'], excludedPaths: ['/public'] });
    for (const uri of ['/public/..%3B/admin', '/open/..%3bx/admin', '/open/.%3B/admin'])
      expect(of(uri)).toBe('protected');
    expect([of('/open/...%3B/admin'), of('/open/a..%3B')]).toEqual(['open', 'open']);
  });
});

describe('excluded paths', () => {
  it('take precedence over protected ones, by whole segments', () => {
    const of = standing({ protectedPaths: ['/app', '/app/public/secret'], excludedPaths: ['/app/public'] });
    expect(of('/app/public/secret')).toBe('excluded');
    expect(of('/app/publicity')).toBe('protected');
    expect(of('/other')).toBe('open');
  });

  it('leave their own name protected if they end in a slash', () => {
    const of = standing({ excludedPaths: ['/static/'] });
    expect([of('/static'), of('/static/'), of('/static/x')]).toEqual(['protected', 'excluded', 'excluded']);
  });

  it.each([
    '/public/../admin',
    '/public/..;/admin',
    '/public/%2e%2e/admin',
    '/public/%2E%2E%2Fadmin',
    '/public\\..\\admin',
    '/public/..%5Cadmin',
    '//public/../admin',
    '/public%00',
    '/public/%',
    'public',
    'http://public/',
    '',
  ])('do not open other paths: %s is protected', (uri) => {
    expect(standing({ excludedPaths: ['/public'] })(uri)).toBe('protected');
    expect(standing({ excludedPaths: ['/public'], protectedPaths: ['/admin'] })(uri)).toBe('protected');
  });
});
