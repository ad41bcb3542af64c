import { describe, expect, it } from 'vitest';
import { isSafeKeySetUrl } from '../../../../../src/domain/agent/configuration/key-set-url.js';
import { authorizationUrl } from '../../../../../src/domain/agent/oidc/authorization-request.js';
import {
  type ConfiguredEndpoints,
  configuredMetadata,
  readProviderMetadata,
} from '../../../../../src/domain/agent/oidc/provider-metadata.js';
import type { JsonValue } from '../../../../../src/domain/shared/json.js';

const issuer = 'https://id.example';
const none: ConfiguredEndpoints = { authorizationUrl: null, tokenUrl: null, userinfoUrl: null, endSessionUrl: null };
const document = {
  issuer,
  authorization_endpoint: `${issuer}/authorize`,
  token_endpoint: `${issuer}/token`,
  userinfo_endpoint: `${issuer}/me`,
  token_endpoint_auth_methods_supported: ['client_secret_post', 7],
  authorization_response_iss_parameter_supported: true,
};
const read = (given: JsonValue, configured = none) => readProviderMetadata(given, issuer, configured, isSafeKeySetUrl);

describe('a discovery document', () => {
  it('names the endpoints', () => {
    expect(read(document)).toEqual({
      ok: true,
      value: {
        authorizationUrl: `${issuer}/authorize`,
        tokenUrl: `${issuer}/token`,
        userinfoUrl: `${issuer}/me`,
        endSessionUrl: null,
        clientMethods: ['client_secret_post'],
        sendsIss: true,
      },
    });
  });

  it('is of the configured issuer, compared exactly', () => {
    for (const other of ['https://evil.example', `${issuer}/`, undefined, [issuer]]) {
      expect(read({ ...document, issuer: other } as JsonValue).ok).toBe(false);
    }
  });

  it.each([
    ['authorization_endpoint', 'http://id.example/authorize'],
    ['authorization_endpoint', 'javascript:alert(1)'],
    ['authorization_endpoint', 'https://id.example/authorize#x'],
    ['token_endpoint', 'http://127.0.0.1/token'],
    ['token_endpoint', 'https://user:password@id.example/token'],
    ['userinfo_endpoint', 'ftp://id.example/me'],
    ['end_session_endpoint', 'javascript:alert(1)'],
    ['token_endpoint', 7],
  ])('is refused with the %s %j', (name, url) => {
    const refused = read({ ...document, [name]: url });
    expect(refused).toEqual({ ok: false, error: `the ${name} of the discovery document is not an https URL` });
  });

  it('needs both endpoints of the code flow', () => {
    const { authorization_endpoint: _authorization, ...withoutAuthorization } = document;
    const { token_endpoint: _token, ...withoutToken } = document;
    expect(read(withoutAuthorization)).toEqual({
      ok: false,
      error: 'the discovery document has no authorization_endpoint',
    });
    expect(read(withoutToken)).toEqual({ ok: false, error: 'the discovery document has no token_endpoint' });
    const configured = { ...none, tokenUrl: 'https://other.example/token' };
    const completed = read(withoutToken, configured);
    expect(completed.ok && completed.value.tokenUrl).toBe('https://other.example/token');
  });

  it('is unnecessary if both endpoints are configured', () => {
    expect(configuredMetadata(none)).toBeNull();
    expect(configuredMetadata({ ...none, tokenUrl: 'https://id.example/token' })).toBeNull();
    const both = {
      authorizationUrl: 'https://a.example/x',
      tokenUrl: 'https://a.example/y',
      userinfoUrl: null,
      endSessionUrl: null,
    };
    expect(configuredMetadata(both)).toEqual({ ...both, clientMethods: null, sendsIss: false });
  });
});

describe('an authorization request', () => {
  const request = { redirectUri: 'https://a.example/cb', state: 's', nonce: 'n', codeChallenge: 'h' };
  const options = {
    clientId: 'portal & co',
    scopes: ['openid', 'email'],
    prompt: [],
    maxAgeSecs: null,
    acrValues: [],
    responseMode: 'query',
  } as const;

  it('asks for a code with PKCE', () => {
    expect(authorizationUrl('https://id.example/a', options, request)).toBe(
      'https://id.example/a?response_type=code&client_id=portal%20%26%20co&redirect_uri=https%3A%2F%2Fa.example%2Fcb' +
        '&scope=openid%20email&state=s&nonce=n&code_challenge=h&code_challenge_method=S256',
    );
  });

  it('adds what is configured, after the query of the endpoint', () => {
    const all = {
      ...options,
      prompt: ['login'],
      maxAgeSecs: 0,
      acrValues: ['a', 'b'],
      responseMode: 'form_post',
    } as const;
    const url = authorizationUrl('https://id.example/a?tenant=x', all, request);
    expect(url).toContain('?tenant=x&response_type=code&');
    expect(url).toMatch(/&response_mode=form_post&prompt=login&max_age=0&acr_values=a%20b$/);
  });
});
