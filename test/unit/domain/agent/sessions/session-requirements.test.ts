import { describe, expect, it } from 'vitest';
import {
  combineRequirements,
  compileRequirements,
  pathOfReturn,
  requirementOf,
} from '../../../../../src/domain/agent/sessions/session-requirements.js';
import { requestPath } from '../../../../../src/domain/http/path-normalisation.js';
import { required } from '../../../../support/agent/step-up-rules-of.js';

const compiled = compileRequirements([
  { path: '/admin', ...required({ acrValues: ['mfa'] }) },
  { path: '/admin/public/', ...required({ maxAgeSecs: 3600 }) },
  { path: '/Finance', ...required({ provider: 'corp' }) },
]);
const of = (uri: string) => requirementOf(compiled, requestPath(uri));

const admin = required({ acrValues: ['mfa'] });
const open = required({ maxAgeSecs: 3600 });
const finance = required({ provider: 'corp' });
const all = { provider: 'corp', acrValues: ['mfa'], maxAgeSecs: 3600 };

describe('the requirement of a path', () => {
  it.each([
    ['/', null],
    ['/administrators', null],
    ['/x/admin', null],
    ['/admin', admin],
    ['/admin/', admin],
    ['/admin/users?x=/admin/public/', admin],
    ['/admin/public', open],
    ['/admin/public/x', open],
    ['/admin/publicity', admin],
    ['/finance/x', finance],
  ])('is that of the longest prefix: %s', (uri, expected) => {
    expect(of(uri)).toEqual(expected);
  });

  it.each([
    '/ADMIN',
    '/Admin/x',
    '/%61dmin',
    '/%61%64%6D%69%6E/x',
    '/%61%64%6d%69%6e/x',
    '//admin',
    '///admin//users',
    '/./admin',
    '/x/../admin',
    '/x/%2e%2e/admin',
    '/%2e/admin',
    '/admin/./x',
    '/admin;v=1',
    '/admin;v=1/users',
    '/admin%3Bv=1/users',
    '/admin/public/../users',
    '/admin/public/%2E%2E/users',
    '/;/admin',
  ])('holds for the spelling %s', (uri) => {
    expect(of(uri)).toEqual(admin);
  });

  it.each([
    '/x%2Fadmin',
    '/admin%2fpublic',
    '/x\\admin',
    '/x%5Cadmin',
    '/x/..;/admin',
    '/x/..%3B/admin',
    '/%',
    '/ä',
    'x',
  ])('is all requirements together if a path has no normal form: %s', (uri) => {
    expect(of(uri)).toEqual(all);
  });

  it('is that of both readings of a path with parameters', () => {
    expect(of('/admin/public;x/y')).toEqual(required({ acrValues: ['mfa'], maxAgeSecs: 3600 }));
  });

  it('is impossible if a path with several readings has requirements that exclude each other', () => {
    const rules = compileRequirements([
      { path: '/a', ...required({ provider: 'one' }) },
      { path: '/a/b', ...required({ provider: 'two' }) },
    ]);
    expect(requirementOf(rules, '/a/b;x')).toBe('impossible');
    expect(requirementOf(rules, null)).toBe('impossible');
    expect(requirementOf(rules, '/a/b')).toEqual(required({ provider: 'two' }));
  });

  it('is none without blocks, even if a path has no normal form', () => {
    expect(requirementOf(compileRequirements([]), null)).toBeNull();
  });

  it('holds for every path if the prefix is the root', () => {
    const rules = compileRequirements([{ path: '/', ...admin }]);
    for (const path of ['/', '/x', '/x;y', null]) expect(requirementOf(rules, path)).toEqual(admin);
  });
});

describe('two requirements together', () => {
  it('keep the contexts in the order of the first, and the shorter age', () => {
    const one = required({ acrValues: ['c', 'b', 'a'], maxAgeSecs: 60 });
    const other = required({ provider: 'corp', acrValues: ['a', 'c'], maxAgeSecs: 30 });
    expect(combineRequirements(one, other)).toEqual({ provider: 'corp', acrValues: ['c', 'a'], maxAgeSecs: 30 });
  });

  it('are impossible with two providers, or without a common context', () => {
    expect(combineRequirements(required({ provider: 'a' }), required({ provider: 'b' }))).toBe('impossible');
    expect(combineRequirements(required({ acrValues: ['a'] }), required({ acrValues: ['b'] }))).toBe('impossible');
  });
});

describe('the path of a return target', () => {
  it.each([
    ['/admin/x?y=/z', '/admin/x'],
    ['https://app.example/admin?y', '/admin'],
    ['https://app.example:8443/admin', '/admin'],
    ['https://app.example', '/'],
    ['HTTPS://app.example/admin', '/admin'],
    ['/x%2Fy', null],
  ])('of %s is %s', (returnTo, path) => {
    expect(pathOfReturn(returnTo)).toBe(path);
  });
});
