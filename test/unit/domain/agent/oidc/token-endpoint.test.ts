import { describe, expect, it } from 'vitest';
import { readTokenResponse, readUserinfo } from '../../../../../src/domain/agent/oidc/endpoint-response.js';
import {
  clientAssertionClaims,
  codeRequest,
  secretMethod,
} from '../../../../../src/domain/agent/oidc/token-request.js';

const good = { token_type: 'Bearer', access_token: 'at', id_token: 'a.b.c', expires_in: 300 };
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
    expect(readTokenResponse(answer(good))).toEqual({ ok: true, value: { accessToken: 'at', idToken: 'a.b.c' } });
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
    ['a repeated ID token', '{"token_type":"Bearer","access_token":"a","id_token":"x","id_token":"y"}', {}],
  ])('is malformed with %s', (_what, body, changes) => {
    expect(faultOf(body, changes)).toBe('malformed_token_response');
  });

  it('tells a refused code from a refused client and a failure', () => {
    expect(faultOf({ error: 'invalid_grant' }, { status: 400 })).toBe('code_refused');
    expect(faultOf({ error: 'invalid_client' }, { status: 401 })).toBe('client_refused');
    expect(faultOf({ error: 'server_error' }, { status: 500 })).toBe('token_endpoint_failed');
    expect(faultOf('oops', { status: 400 })).toBe('token_endpoint_failed');
    expect(faultOf(good, { status: 302 })).toBe('token_endpoint_failed');
    expect(faultOf(good, { status: 201 })).toBe('token_endpoint_failed');
    expect(faultOf({ error: 'invalid_grant' }, { status: 400, contentType: 'text/html' })).toBe(
      'token_endpoint_failed',
    );
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
  const grant = { code: 'c+d', redirectUri: 'https://a.example/cb', codeVerifier: 'v' };

  it('encodes the credentials of a client', () => {
    const { form, basic } = codeRequest('a:b', grant, { method: 'client_secret_basic', secret: 'p w%' });
    expect(basic).toEqual({ user: 'a%3Ab', password: 'p%20w%25' });
    expect(form).toBe(
      'grant_type=authorization_code&code=c%2Bd&redirect_uri=https%3A%2F%2Fa.example%2Fcb&code_verifier=v',
    );
  });

  it('puts the secret in one place only', () => {
    const posted = codeRequest('id', grant, { method: 'client_secret_post', secret: 's&t' });
    expect(posted.basic).toBeNull();
    expect(posted.form).toContain('client_id=id&client_secret=s%26t');
    const open = codeRequest('id', grant, { method: 'none' });
    expect(open).toEqual({ basic: null, form: expect.stringMatching(/&client_id=id$/) });
    const signed = codeRequest('id', grant, { method: 'private_key_jwt', assertion: 'x.y.z' });
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
