import { describe, expect, it } from 'vitest';
import { isBearerToken } from '../../../../../src/domain/agent/identity/authorization-credential.js';
import {
  readRefreshResponse,
  readTokenResponse,
  readUserinfo,
} from '../../../../../src/domain/agent/oidc/endpoint-response.js';
import {
  clientAssertionClaims,
  codeParameters,
  refreshParameters,
  secretMethod,
  tokenRequest,
} from '../../../../../src/domain/agent/oidc/token-request.js';

const good = { token_type: 'Bearer', access_token: 'at', id_token: 'a.b.c', expires_in: 300 };
const tokens = { accessToken: 'at', idToken: 'a.b.c', refreshToken: null, lifetimeMs: 300_000 };
const answer = (body: unknown, changes: { status?: number; contentType?: string | null } = {}) => ({
  status: 200,
  contentType: 'application/json',
  body: typeof body === 'string' ? body : JSON.stringify(body),
  ...changes,
});
const faultOf = (...given: Parameters<typeof answer>) => {
  const read = readTokenResponse(answer(...given));
  return read.ok ? null : read.error;
};

describe('the answer of a token endpoint', () => {
  it('has an access token and an ID token', () => {
    expect(readTokenResponse(answer(good))).toEqual({ ok: true, value: tokens });
    expect(faultOf({ ...good, token_type: 'bearer' }, { contentType: 'Application/JSON; charset=utf-8' })).toBeNull();
  });

  it.each([
    ['no content type', good, { contentType: null }],
    ['HTML', good, { contentType: 'text/html' }],
    ['a look-alike type', good, { contentType: 'application/jsonp' }],
    ['text that is no JSON', 'access_token=at&id_token=a.b.c', {}],
    ['a list', [good], {}],
    ['no type', { ...good, token_type: undefined }, {}],
    ['the type DPoP', { ...good, token_type: 'DPoP' }, {}],
    ['no access token', { ...good, access_token: undefined }, {}],
    ['an empty access token', { ...good, access_token: '' }, {}],
    ['an access token with a line break', { ...good, access_token: 'a\r\nb' }, {}],
    ['an access token that is a number', { ...good, access_token: 7 }, {}],
    ['no ID token', { ...good, id_token: undefined }, {}],
    ['an ID token that is an object', { ...good, id_token: {} }, {}],
    ['a very long ID token', { ...good, id_token: 'a'.repeat(16_385) }, {}],
    ['a refresh token that is a list', { ...good, refresh_token: ['r'] }, {}],
    ['an empty refresh token', { ...good, refresh_token: '' }, {}],
    ['a very long refresh token', { ...good, refresh_token: 'a'.repeat(16_385) }, {}],
    ['a repeated ID token', '{"token_type":"Bearer","access_token":"a","id_token":"x","id_token":"y"}', {}],
  ])('is malformed with %s', (_what, body, changes) => {
    expect(faultOf(body, changes)).toBe('malformed_token_response');
  });

  it('tells a refused code from a refused client and a failure', () => {
    expect(faultOf({ error: 'invalid_grant' }, { status: 400 })).toBe('code_refused');
    expect(faultOf({ error: 'invalid_client' }, { status: 401 })).toBe('client_refused');
    expect(faultOf({ error: 'server_error' }, { status: 500 })).toBe('token_endpoint_failed');
    expect(faultOf({ error: 'invalid_grant' }, { status: 500 })).toBe('token_endpoint_failed');
    expect(faultOf('oops', { status: 400 })).toBe('token_endpoint_failed');
    expect(faultOf(good, { status: 302 })).toBe('token_endpoint_failed');
    expect(faultOf(good, { status: 201 })).toBe('token_endpoint_failed');
    expect(faultOf({ error: 'invalid_grant' }, { status: 400, contentType: 'text/html' })).toBe(
      'token_endpoint_failed',
    );
  });
});

describe('the answer to a refresh', () => {
  const read = (body: unknown, status = 200) => readRefreshResponse(answer(body, { status }));

  it('may have a new refresh token and an ID token', () => {
    const { id_token: _idToken, ...least } = good;
    expect(read(least)).toEqual({ ok: true, value: { ...tokens, idToken: null } });
    expect(read({ ...good, refresh_token: 'r2' })).toEqual({ ok: true, value: { ...tokens, refreshToken: 'r2' } });
    expect(read({ ...good, refresh_token: null, id_token: null })).toMatchObject({
      ok: true,
      value: { idToken: null },
    });
    expect(read({ ...good, id_token: 7 })).toEqual({ ok: false, error: 'malformed_token_response' });
    expect(read({ error: 'invalid_grant' }, 400)).toEqual({ ok: false, error: 'code_refused' });
  });

  it.each<readonly [life: unknown, lifetimeMs: number | null]>([
    [60, 60_000],
    [0.5, 500],
    ['3600', 3_600_000],
    [1e300, 1_000_000_000_000],
    ...[undefined, null, 0, -5, '', '-1', '1e3', 'soon', true, [60], {}].map((value) => [value, null] as const),
  ])('with the life %j has a token that is valid for %j ms', (life, lifetimeMs) => {
    expect(read({ ...good, expires_in: life })).toMatchObject({ ok: true, value: { lifetimeMs } });
  });
});

describe('a token in Authorization', () => {
  it('has only the characters of RFC 6750', () => {
    for (const text of ['a', 'AZaz09-._~+/', 'a.b.c', 'YQ==']) expect(isBearerToken(text)).toBe(true);
    for (const text of ['', '=', 'a b', 'a=b', 'a,b', 'a"b', 'a\r\nX: y', 'a\n', 'é'])
      expect(isBearerToken(text)).toBe(false);
  });
});

describe('the answer of a userinfo endpoint', () => {
  it('must be about the user of the ID token', () => {
    const claims = { sub: 'ann', email: 'a@b.c' };
    expect(readUserinfo(answer(claims), 'ann')).toEqual({ ok: true, value: claims });
    expect(readUserinfo(answer(claims), 'bob')).toEqual({ ok: false, error: 'wrong_userinfo_subject' });
    expect(readUserinfo(answer({ email: 'a@b.c' }), 'ann')).toEqual({ ok: false, error: 'wrong_userinfo_subject' });
    expect(readUserinfo(answer(claims, { status: 401 }), 'ann')).toEqual({ ok: false, error: 'userinfo_failed' });
    expect(readUserinfo(answer(claims, { contentType: 'application/jwt' }), 'ann').ok).toBe(false);
  });
});

describe('a request for tokens', () => {
  const grant = codeParameters({ code: 'c+d', redirectUri: 'https://a.example/cb', codeVerifier: 'v' });

  it('encodes the credentials of a client', () => {
    const { form, basic } = tokenRequest('a:b', grant, { method: 'client_secret_basic', secret: 'p w%' });
    expect(basic).toEqual({ user: 'a%3Ab', password: 'p%20w%25' });
    expect(form).toBe(
      'grant_type=authorization_code&code=c%2Bd&redirect_uri=https%3A%2F%2Fa.example%2Fcb&code_verifier=v',
    );
  });

  it('puts the secret in one place only', () => {
    const posted = tokenRequest('id', grant, { method: 'client_secret_post', secret: 's&t' });
    expect(posted.basic).toBeNull();
    expect(posted.form).toContain('client_id=id&client_secret=s%26t');
    expect(tokenRequest('id', refreshParameters('r&1'), { method: 'none' }).form).toBe(
      'grant_type=refresh_token&refresh_token=r%261&client_id=id',
    );
    const open = tokenRequest('id', grant, { method: 'none' });
    expect(open).toEqual({ basic: null, form: expect.stringMatching(/&client_id=id$/) });
    const signed = tokenRequest('id', grant, { method: 'private_key_jwt', assertion: 'x.y.z' });
    expect(signed.form).toContain('client_assertion=x.y.z');
    expect(signed.form).toContain(
      'client_assertion_type=urn%3Aietf%3Aparams%3Aoauth%3Aclient-assertion-type%3Ajwt-bearer',
    );
  });

  it('uses Basic unless the provider accepts only the form', () => {
    expect(secretMethod(null)).toBe('client_secret_basic');
    expect(secretMethod(['client_secret_post', 'client_secret_basic'])).toBe('client_secret_basic');
    expect(secretMethod(['client_secret_post'])).toBe('client_secret_post');
    expect(secretMethod(['tls_client_auth'])).toBe('client_secret_basic');
  });

  it('asserts the client for a minute', () => {
    expect(JSON.parse(clientAssertionClaims('id', 'https://id.example/token', 'j', 1_700_000_000_999))).toEqual({
      iss: 'id',
      sub: 'id',
      aud: 'https://id.example/token',
      jti: 'j',
      iat: 1_700_000_000,
      exp: 1_700_000_060,
    });
  });
});
