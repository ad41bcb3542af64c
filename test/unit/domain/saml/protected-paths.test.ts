import { describe, expect, it } from 'vitest';
import {
  compileSamlPaths,
  type SamlPathOptions,
  samlPathStanding,
} from '../../../../src/domain/saml/protected-paths.js';

const standing = (options: Partial<SamlPathOptions>) => {
  const paths = compileSamlPaths({
    acsPath: '/saml/acs',
    metadataPath: '/saml/metadata',
    logoutPath: '/saml/logout',
    protectedPaths: [],
    excludedPaths: [],
    ...options,
  });
  return (uri: string) => samlPathStanding(paths, uri);
};

describe('the endpoints', () => {
  it('are the very paths, with any query', () => {
    const of = standing({ excludedPaths: ['/saml'] });
    expect(of('/saml/acs')).toBe('acs');
    expect(of('/saml/metadata?x')).toBe('metadata');
    expect(of('/saml/logout?SAMLRequest=a')).toBe('logout');
    expect(of('/saml/acs/')).toBe('excluded');
    expect(of('/saml/ACS')).toBe('excluded');
  });
});

describe('protected paths', () => {
  it('are all where none is named', () => {
    const of = standing({});
    for (const uri of ['/', '/a', '/a?b', '/saml/acs/', '*']) expect(of(uri)).toBe('protected');
  });

  it('are taken by whole segments', () => {
    const of = standing({ protectedPaths: ['/app', '/x/y'] });
    for (const uri of ['/app', '/app/', '/app/a/b', '/app?x', '/x/y', '/x/y/z']) expect(of(uri)).toBe('protected');
    for (const uri of ['/', '/application', '/App', '/x', '/x/yz', '/x/z']) expect(of(uri)).toBe('open');
  });

  it('are protected with their own name, where they end in a slash', () => {
    const of = standing({ protectedPaths: ['/admin/'] });
    expect([of('/admin'), of('/admin/'), of('/admin/x'), of('/administration')]).toEqual([
      'protected',
      'protected',
      'protected',
      'open',
    ]);
  });

  it('are all, where the root is', () => {
    expect(standing({ protectedPaths: ['/'] })('/a/b')).toBe('protected');
  });
});

describe('excluded paths', () => {
  it('win over protected ones, by whole segments', () => {
    const of = standing({ protectedPaths: ['/app', '/app/public/secret'], excludedPaths: ['/app/public'] });
    expect(of('/app/public/secret')).toBe('excluded');
    expect(of('/app/publicity')).toBe('protected');
    expect(of('/other')).toBe('open');
  });

  it('that end in a slash leave their own name protected', () => {
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
  ])('are no way to others: %s is protected', (uri) => {
    expect(standing({ excludedPaths: ['/public'] })(uri)).toBe('protected');
    expect(standing({ excludedPaths: ['/public'], protectedPaths: ['/admin'] })(uri)).toBe('protected');
  });
});
