import { describe, expect, it } from 'vitest';
import { maximumReturnTarget, returnTarget } from '../../../../../../src/domain/agent/sign-on/return-target.js';
import { newSignOnRequest } from '../../../../../../src/domain/agent/sign-on/sign-on-request.js';

describe('the return target of a browser', () => {
  it.each(['/', '/a/b?c=d&e=%2F%2F', '/a?', '/a?//evil.example', '/a?next=https://evil.example/', '/a;v=1?x=\\'])(
    'is the requested page: %s',
    (uri) => {
      expect(returnTarget(uri)).toBe(uri);
    },
  );

  it.each([
    ['//evil.example/', '/evil.example/'],
    ['///evil.example', '/evil.example'],
    ['/.//evil.example', '/evil.example'],
    ['/a/..//evil.example', '/evil.example'],
    ['/\\evil.example', '/'],
    ['\\\\evil.example', '/'],
    ['/%5Cevil.example', '/'],
    ['/%2Fevil.example', '/'],
    ['/\t/evil.example', '/'],
    ['\t//evil.example', '/'],
    ['/\n/evil.example', '/'],
    ['https://evil.example/', '/'],
    ['javascript:alert(1)', '/'],
    ['evil.example', '/'],
    ['@evil.example', '/'],
    ['?x=1', '/'],
    ['', '/'],
    ['*', '/'],
    ['/a#b', '/'],
    ['/ä', '/'],
  ])('is on this host for any request: %j', (uri, target) => {
    expect(returnTarget(uri)).toBe(target);
  });

  it.each(['/a?b\r\nSet-Cookie: x=y', '/a?b c', '/a?\t', '/a?#', '/a?ä', '/a?\0'])(
    'drops a query that no header can carry: %j',
    (uri) => {
      expect(returnTarget(uri)).toBe('/a');
    },
  );

  it('is the path if the query is too long, and the root if the path is', () => {
    const fits = `/a?${'b'.repeat(maximumReturnTarget - 3)}`;
    expect(returnTarget(fits)).toBe(fits);
    expect(returnTarget(`${fits}b`)).toBe('/a');
    expect(returnTarget(`/${'a'.repeat(maximumReturnTarget)}`)).toBe('/');
  });
});

describe('the stored request to the identity provider', () => {
  it('is kept for five minutes, and returns only to this host', () => {
    const sent = { handleHash: 'aa', kind: 'sign_on', requestId: '_r', bindingHash: null } as const;
    expect(newSignOnRequest({ ...sent, returnTo: '/page?x=1' }, 1_000)).toEqual({
      ...sent,
      returnTo: '/page?x=1',
      createdMs: 1_000,
      expiresMs: 301_000,
    });
    expect(newSignOnRequest({ ...sent, returnTo: 'https://evil.example' }, 1_000).returnTo).toBe('/');
  });
});
