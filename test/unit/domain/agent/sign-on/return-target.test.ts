import { describe, expect, it } from 'vitest';
import {
  allowedReturn,
  maximumReturnTarget,
  returnTarget,
} from '../../../../../src/domain/agent/sign-on/return-target.js';
import { newSignOnRequest } from '../../../../../src/domain/agent/sign-on/sign-on-request.js';
import { AllowedOrigins } from '../../../../../src/domain/http/allowed-origins.js';

const origins = new AllowedOrigins(['https://app.example', 'https://shop.example:8443', 'https://*.corp.example']);

describe('the return target that a client names', () => {
  it.each([
    ['/a?b=c', '/a?b=c'],
    ['https://app.example', 'https://app.example/'],
    ['https://app.example?x=1', 'https://app.example/?x=1'],
    ['HTTPS://APP.EXAMPLE:443/a/../b?x=1', 'https://app.example/b?x=1'],
    ['https://shop.example:8443/a', 'https://shop.example:8443/a'],
    ['https://a.corp.example/x', 'https://a.corp.example/x'],
    ['https://b.a.corp.example/x', 'https://b.a.corp.example/x'],
    ['https://app.example//evil.example/', 'https://app.example/evil.example/'],
    ['https://app.example/\\evil.example', 'https://app.example/'],
  ])('is a page at a listed host: %s', (wish, target) => {
    expect(allowedReturn(wish, origins)).toBe(target);
    expect(allowedReturn(target, origins)).toBe(target);
  });

  it.each([
    'http://app.example/',
    'https://app.example:8443/',
    'https://shop.example/',
    'https://corp.example/',
    'https://evilcorp.example/',
    'https://app.example.evil.example/',
    'https://app.example@evil.example/',
    'https://evil.example\\@app.example/',
    'https://user:password@app.example/',
    'https://app.example\\.evil.example/',
    'https:\\\\app.example/',
    'https:/app.example/',
    'https:app.example',
    'https:///app.example/',
    ' https://app.example/',
    'https://app.example\t/',
    'https://app.exam\nple/',
    'https://app.example#@evil.example/',
    'https://app.example./',
    'https://app.example:/',
    'https://app.example:99999/',
    'https://%61pp.example/',
    'https://ａpp.example/',
    'https://evil.example/?https://app.example/',
    '//app.example/',
    '/\\app.example/',
    'javascript:alert(1)//https://app.example/',
    'data:text/html,x',
  ])('is the root for another host or another spelling: %j', (wish) => {
    expect(allowedReturn(wish, origins)).toBe('/');
  });

  it('is the root if the URL is too long', () => {
    const long = `https://app.example/${'a'.repeat(maximumReturnTarget - 20)}`;
    expect(allowedReturn(long, origins)).toBe(long);
    expect(allowedReturn(`${long}a`, origins)).toBe('/');
  });
});

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
  it('is kept for five minutes, and returns only to this host or a listed one', () => {
    const sent = { handleHash: 'aa', kind: 'sign_on', requestId: '_r', bindingHash: null } as const;
    expect(newSignOnRequest({ ...sent, returnTo: '/page?x=1' }, 1_000, origins)).toEqual({
      ...sent,
      returnTo: '/page?x=1',
      createdMs: 1_000,
      expiresMs: 301_000,
    });
    expect(newSignOnRequest({ ...sent, returnTo: 'https://evil.example' }, 1_000, origins).returnTo).toBe('/');
    const elsewhere = 'https://a.corp.example/x';
    expect(newSignOnRequest({ ...sent, returnTo: elsewhere }, 1_000, origins).returnTo).toBe(elsewhere);
  });
});
