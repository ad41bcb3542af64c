import { describe, expect, it } from 'vitest';
import { completeAgentOptions } from '../../../../../src/domain/agent/configuration/agent-option-rules.js';
import { decodeAgentOptions } from '../../../../../src/domain/agent/configuration/decode-agent-options.js';
import type { JsonObject } from '../../../../../src/domain/shared/json.js';

const login: JsonObject = {
  name: 'corp',
  issuer: 'https://id.example.com',
  'client-id': 'portal',
  'client-secret': 'the secret',
  'public-url': 'https://portal.example.com',
};

const completed = (logins: readonly JsonObject[], config: JsonObject = {}) => {
  const { options, problems } = decodeAgentOptions({ 'oidc-login': logins as JsonObject[], ...config });
  if (options === null) return { options: null, messages: problems.map(({ message }) => message), ids: [] };
  const checked = completeAgentOptions(options, new Map());
  return {
    options: checked.options,
    messages: checked.problems.map(({ message }) => message),
    ids: checked.problems.map(({ id }) => id),
  };
};

const messageOf = (changes: JsonObject): string => completed([{ ...login, ...changes }]).messages.join('; ');

describe('an oidc-login block', () => {
  it('has defaults', () => {
    const { options, messages } = completed([login]);
    expect(messages).toEqual([]);
    expect(options?.oidcLogins).toMatchObject([
      {
        name: 'corp',
        callbackPath: '/oidc/callback/corp',
        loginPath: '/oidc/login',
        logoutPath: '/oidc/logout',
        scopes: ['openid', 'profile', 'email'],
        publicOrigins: ['https://portal.example.com'],
        userIdClaim: 'sub',
        responseMode: 'query',
        forwardsAccessToken: false,
        refreshGraceMs: 300_000,
        credential: { kind: 'secret' },
      },
    ]);
    expect(options?.sessions).toMatchObject({
      namespace: 'https://portal.example.com',
      cookie: { name: '__Host-portcullis_session' },
    });
  });

  it('forwards the access token, or has a grace', () => {
    expect(messageOf({ 'forward-access-token': true })).toBe('');
    const { options } = completed([{ ...login, 'forward-access-token': false, 'refresh-grace-secs': 0 }]);
    expect(options?.oidcLogins[0]).toMatchObject({ forwardsAccessToken: false, refreshGraceMs: 0 });
  });

  it('writes origins as browsers do', () => {
    const { options } = completed([
      { ...login, 'public-url': ['https://Portal.example.com:443/', 'https://b.example.com:8443'] },
    ]);
    expect(options?.oidcLogins[0]?.publicOrigins).toEqual(['https://portal.example.com', 'https://b.example.com:8443']);
  });

  it.each([
    ['no name', { name: null }, 'has no name'],
    [
      'a grace for a token that is forwarded',
      { 'forward-access-token': true, 'refresh-grace-secs': 60 },
      'refresh-grace-secs has no effect with forward-access-token',
    ],
    ['a grace of more than a day', { 'refresh-grace-secs': 86_401 }, '86400'],
    ['a name with a slash', { name: 'a/b' }, '"name" must consist'],
    ...['common', 'organizations', 'consumers'].map((segment): [string, JsonObject, string] => [
      `the issuer of many tenants: ${segment}`,
      { issuer: `https://login.microsoftonline.com/${segment}/v2.0` },
      'stands for many tenants; tokens name a single tenant',
    ]),
    [
      'a placeholder for tenants in the issuer',
      { issuer: 'https://login.microsoftonline.com/{tenantid}/v2.0' },
      'issuer contains {tenantid}, but tokens name a single tenant',
    ],
    ['a star in the issuer', { issuer: 'https://*.id.example.com' }, 'issuer contains "*"'],
    ['an issuer over http', { issuer: 'http://id.example.com' }, 'issuer is not https'],
    ['an issuer with a query', { issuer: 'https://id.example.com?x=1' }, 'issuer must not contain a query'],
    ['a token endpoint over http', { 'token-url': 'http://id.example.com/token' }, 'token-url is not https'],
    ['a key set that is no URL', { 'jwks-url': 'keys' }, 'jwks-url must be a URL'],
    [
      'a userinfo URL with a password',
      { 'userinfo-url': 'https://a:b@id.example.com' },
      'must not contain a user name',
    ],
    ['a secret and a key', { 'client-key-file': '/k.pem' }, 'are both set'],
    ['an empty secret', { 'client-secret': '' }, 'client-secret: '],
    ['an empty client id', { 'client-id': '' }, 'client-id: '],
    ['no public URL', { 'public-url': [] }, 'public-url is missing'],
    ['a public URL with a path', { 'public-url': 'https://portal.example.com/app' }, 'must be an origin'],
    ['a public URL over http', { 'public-url': 'http://portal.example.com' }, 'public-url is not https'],
    [
      'a repeated public URL',
      { 'public-url': ['https://a.example', 'https://A.example:443'] },
      'repeats an earlier one',
    ],
    ['scopes without openid', { scopes: ['email'] }, 'lacks openid'],
    ['a repeated scope', { scopes: ['openid', 'email', 'email'] }, 'repeats a scope'],
    ['a callback path without a slash', { 'callback-path': 'cb' }, 'callback-path must be a path'],
    ['a callback path that is the login path', { 'callback-path': '/oidc/login' }, 'are the same path'],
    ['a logout path with dots', { 'logout-path': '/a/../b' }, 'logout-path must be'],
    ['a star in protected paths', { 'protected-paths': ['/app/*'] }, 'must not contain "*"'],
    ['the prompt none', { prompt: ['none'] }, '"prompt" must be'],
    ['a negative age', { 'max-age-secs': -1 }, '"max-age-secs"'],
    ['a response mode fragment', { 'response-mode': 'fragment' }, '"response-mode" must be'],
    ['the algorithm HS256', { algorithms: ['HS256'] }, '"algorithms" must be'],
    ['the algorithm none', { algorithms: ['none'] }, '"algorithms" must be'],
    ['an allowed domain with a star', { 'allowed-domains': ['*.example.com'] }, 'must be a domain'],
    ['an allowed domain with an at sign', { 'allowed-domains': ['@example.com'] }, 'must be a domain'],
    ['a header that identities use', { 'claim-mapping': { email: 'X-User-Id' } }, 'X-User-Id'],
    ['two claims for one header', { 'claim-mapping': { email: 'X-A', name: 'x-a' } }, 'x-a'],
    ['an unknown key', { 'forward-id-token': true }, 'forward-id-token'],
    ['a misspelled key', { 'client-ID': 'x' }, 'client-ID'],
  ])('is refused with %s', (_what, changes, part) => {
    const { options, messages } = completed([{ ...login, ...(changes as JsonObject) }]);
    expect(messages.join('; ')).toContain(part);
    expect(options).toBeNull();
  });

  it('may be public, and local over http', () => {
    const { 'client-secret': _secret, ...open } = login;
    const { options, messages } = completed([
      { ...open, issuer: 'http://127.0.0.1:8080', 'public-url': 'http://localhost:3000' },
    ]);
    expect(messages).toEqual([]);
    expect(options?.oidcLogins[0]?.credential).toEqual({ kind: 'public' });
  });

  it('warns of trusted addresses, and of keys without effect', () => {
    const trusting = completed([{ ...login, 'user-id-claim': 'email', 'trust-unverified-email': true }]);
    expect(trusting.ids).toEqual(['unverified-email-is-trusted']);
    expect(messageOf({ 'trust-unverified-email': true })).toContain('has no effect');
    const disabled = completed([{ ...login, enabled: false }]);
    expect(disabled.messages.join()).toContain('it is disabled');
    expect(disabled.options?.oidcLogins).toEqual([]);
  });

  it('has a name and a callback path of its own', () => {
    const second = { ...login, name: 'other' };
    expect(completed([login, second]).messages).toEqual([]);
    expect(completed([login, login]).messages.join()).toContain('already has that name');
    const shared = { 'callback-path': '/cb' };
    expect(
      completed([
        { ...login, ...shared },
        { ...second, ...shared },
      ]).messages.join(),
    ).toContain('mixed up');
    const named = { ...shared, 'require-iss': true };
    expect(
      completed([
        { ...login, ...named },
        { ...second, ...shared },
      ]).messages.join(),
    ).toContain('mixed up');
    expect(
      completed([
        { ...login, ...named },
        { ...second, ...named },
      ]).messages,
    ).toEqual([]);
    expect(completed([login, { ...second, 'logout-path': '/oidc/login' }]).messages.join()).toContain('same path');
    expect(
      completed([login, { ...second, 'callback-path': '/x', 'logout-path': '/oidc/callback/corp' }]).messages.join(),
    ).toContain('is the callback-path of another login');
  });

  it('needs hosts under the cookie domain', () => {
    const sessions = { 'cookie-domain': 'example.org', 'cookie-name': '__Secure-s' };
    expect(completed([login], { sessions }).messages.join()).toContain('does not include portal.example.com');
  });

  it('shares no path with SAML', () => {
    const saml = {
      enabled: true,
      'entity-id': 'urn:sp',
      'acs-url': 'https://portal.example.com/saml/acs',
      'idp-metadata-url': 'https://idp.example.com/metadata',
    };
    expect(completed([login], { saml }).messages).toEqual([]);
    const messages = completed([{ ...login, 'callback-path': '/saml/acs' }], { saml }).messages.join();
    expect(messages).toContain('callback-path and acs-path of saml are the same path');
  });
});
