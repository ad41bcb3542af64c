import { describe, expect, it } from 'vitest';
import { callbackOfForm, callbackOfUri, type OidcCallback } from '../../../../../src/domain/agent/oidc/callback.js';
import {
  type CallbackExpectation,
  callbackFault,
} from '../../../../../src/domain/agent/oidc/checks/callback-checks.js';

const path = '/oidc/callback/corp';
const form = (text: string) => callbackOfForm(new TextEncoder().encode(text));

describe('a callback', () => {
  it('has a code and a state', () => {
    expect(callbackOfUri(`${path}?code=abc&state=xyz`)).toEqual({
      ok: true,
      value: { state: 'xyz', iss: null, answer: { kind: 'code', code: 'abc' } },
    });
  });

  it('may name the issuer, and have parameters of the provider', () => {
    const read = callbackOfUri(`${path}?code=abc&state=xyz&iss=https%3A%2F%2Fid.example&session_state=9`);
    expect(read.ok && read.value.iss).toBe('https://id.example');
  });

  it('reads a posted form like a query', () => {
    const text = 'code=a%20b&state=xyz&iss=https%3A%2F%2Fid.example';
    expect(form(text)).toEqual(callbackOfUri(`${path}?${text}`));
  });

  it('keeps only error codes that a specification defines', () => {
    const errorOf = (code: string) => {
      const read = callbackOfUri(`${path}?error=${code}&state=xyz&error_description=%3Cscript%3E`);
      return read.ok && read.value.answer.kind === 'error' ? read.value.answer.error : null;
    };
    expect(errorOf('access_denied')).toBe('access_denied');
    expect(errorOf('%3Cscript%3Ealert(1)%3C/script%3E')).toBe('another');
    expect(errorOf('access_denied%0d%0aX')).toBe('another');
    expect(errorOf('')).toBe('another');
  });

  it.each([
    ['nothing', ''],
    ['no state', '?code=abc'],
    ['an empty state', '?code=abc&state='],
    ['no code', '?state=xyz'],
    ['an empty code', '?code=&state=xyz'],
    ['a code and an error', '?code=abc&error=access_denied&state=xyz'],
    ['two codes', '?code=abc&code=abd&state=xyz'],
    ['two states', '?code=abc&state=xyz&state=xyz'],
    ['two issuers', '?code=abc&state=xyz&iss=a&iss=b'],
    ['two errors', '?error=a&error=b&state=xyz'],
    ['a control character in the code', '?code=a%0ab&state=xyz'],
    ['a letter outside ASCII in the code', '?code=%C3%A9&state=xyz'],
    ['broken percent-encoding', '?code=%zz&state=xyz'],
    ['octets that are not UTF-8', '?code=abc&state=%ff'],
    ['a very long code', `?code=${'a'.repeat(8_193)}&state=xyz`],
    ['a very long state', `?code=abc&state=${'a'.repeat(257)}`],
    ['a very long issuer', `?code=abc&state=xyz&iss=${'a'.repeat(2_049)}`],
    ['an access token', '?code=abc&state=xyz&access_token=t'],
    ['an ID token', '?code=abc&state=xyz&id_token=t'],
    ['a signed response', '?response=a.b.c&state=xyz'],
    [
      'more than 64 parameters',
      `?code=abc&state=xyz&${Array.from({ length: 64 }, (_, index) => `p${index}=1`).join('&')}`,
    ],
  ])('is malformed with %s', (_what, query) => {
    expect(callbackOfUri(path + query)).toEqual({ ok: false, error: 'malformed_callback' });
    expect(form(query.slice(1))).toEqual({ ok: false, error: 'malformed_callback' });
  });
});

const callback: OidcCallback = { state: 'xyz', iss: null, answer: { kind: 'code', code: 'abc' } };
const expectation: CallbackExpectation = {
  provider: 'corp',
  providersOfPath: ['corp'],
  issuer: 'https://id.example',
  requiresIss: false,
};

describe('the checks of a callback', () => {
  it('accept a code', () => {
    expect(callbackFault(callback, expectation)).toBeNull();
    expect(callbackFault({ ...callback, iss: 'https://id.example' }, expectation)).toBeNull();
    expect(callbackFault(callback, { ...expectation, providersOfPath: ['other', 'corp'] })).toBeNull();
  });

  it('refuse the answer at the path of another provider', () => {
    expect(callbackFault(callback, { ...expectation, providersOfPath: ['other'] })).toBe('wrong_callback');
  });

  it('refuse another issuer, whether required or not, compared exactly', () => {
    for (const iss of ['https://evil.example', 'https://id.example/', 'HTTPS://id.example', '']) {
      expect(callbackFault({ ...callback, iss }, expectation)).toBe('wrong_iss');
    }
  });

  it('refuse a missing issuer where it is required', () => {
    expect(callbackFault(callback, { ...expectation, requiresIss: true })).toBe('missing_iss');
  });

  it('take an error only from the provider that was asked', () => {
    const failed: OidcCallback = { ...callback, answer: { kind: 'error', error: 'access_denied' } };
    expect(callbackFault(failed, expectation)).toBe('provider_error');
    expect(callbackFault({ ...failed, iss: 'https://evil.example' }, expectation)).toBe('wrong_iss');
  });
});
