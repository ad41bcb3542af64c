import { describe, expect, it } from 'vitest';
import { completeAgentOptions } from '../../../../../src/domain/agent/configuration/agent-option-rules.js';
import { decodeAgentOptions } from '../../../../../src/domain/agent/configuration/decode-agent-options.js';
import type { JsonObject } from '../../../../../src/domain/shared/json.js';

const saml: JsonObject = {
  enabled: true,
  'entity-id': 'https://app.example/saml',
  'acs-url': 'https://app.example.com/saml/acs',
  'idp-metadata-url': 'https://id.example/metadata',
};

const checked = (sessions: JsonObject, config: JsonObject = { saml }) => {
  const decoded = decodeAgentOptions({ ...config, sessions });
  if (decoded.options === null) return { sessions: null, texts: decoded.problems.map(({ message }) => message) };
  const { options, problems } = completeAgentOptions(decoded.options, new Map());
  const texts = problems.map(({ severity, option, message }) => `${severity} ${option}: ${message}`);
  return { sessions: options?.sessions ?? null, texts, problems };
};

describe('the sessions block', () => {
  it('has the documented defaults', () => {
    const { sessions, texts } = checked({});
    expect(texts).toEqual([]);
    expect(sessions).toEqual({
      store: { kind: 'sqlite', path: '/var/lib/gateway-auth/sessions.db' },
      namespace: 'https://app.example/saml',
      ttlMs: 28_800_000,
      idleMs: null,
      cleanupIntervalMs: 300_000,
      cookie: {
        name: 'gateway_saml_session',
        formerNames: [],
        domain: null,
        secure: true,
        httpOnly: true,
        sameSite: 'Lax',
      },
      keepsPostedForms: false,
      returnOrigins: ['https://app.example.com'],
      trustedOrigins: ['https://app.example.com'],
    });
  });

  it('sets every key', () => {
    const { sessions, texts } = checked({
      store: 'sqlite',
      path: '/s.db',
      'ttl-secs': 60,
      'idle-secs': 30,
      'cleanup-interval-secs': 10,
      'cookie-name': '__Host-s',
      'cookie-same-site': 'Strict',
      'former-cookie-names': ['gateway_saml_session', 'older'],
      'return-hosts': ['*.Example.com:443', 'shop.example.org:8443'],
      'keep-posted-forms': true,
      'allow-origins': ['https://*.example.org', 'http://127.0.0.1:3000'],
    });
    expect(texts).toEqual([]);
    expect(sessions).toEqual({
      store: { kind: 'sqlite', path: '/s.db' },
      namespace: 'https://app.example/saml',
      ttlMs: 60_000,
      idleMs: 30_000,
      cleanupIntervalMs: 10_000,
      cookie: {
        name: '__Host-s',
        formerNames: ['gateway_saml_session', 'older'],
        domain: null,
        secure: true,
        httpOnly: true,
        sameSite: 'Strict',
      },
      keepsPostedForms: true,
      returnOrigins: ['https://app.example.com', 'https://*.example.com', 'https://shop.example.org:8443'],
      trustedOrigins: ['https://app.example.com', 'https://*.example.org', 'http://127.0.0.1:3000'],
    });
  });

  it('can share the keys with saml, each in one of the blocks', () => {
    const { sessions, texts } = checked({ 'idle-secs': 30 }, { saml: { ...saml, 'session-ttl-secs': 60 } });
    expect(texts).toEqual([]);
    expect(sessions).toMatchObject({ ttlMs: 60_000, idleMs: 30_000 });
  });

  it('names a store of each kind', () => {
    expect(checked({ store: 'memory' }).sessions?.store).toEqual({ kind: 'memory' });
    const { sessions } = checked({ store: 'redis', url: 'rediss://:S3CRET@db:6379' });
    expect(sessions?.store.kind === 'redis' && sessions.store.url.reveal()).toBe('rediss://:S3CRET@db:6379');
  });

  it('warns of a cookie for every host of a domain', () => {
    const { sessions, problems } = checked({ 'cookie-domain': 'Example.com' });
    expect(sessions?.cookie.domain).toBe('example.com');
    expect(sessions?.returnOrigins.slice(1)).toEqual(['https://example.com', 'https://*.example.com']);
    expect(problems).toMatchObject([{ severity: 'warning', id: 'session-cookie-for-every-host' }]);
  });

  it('lets browsers return to hosts of the cookie domain at the ports of the sign-on', () => {
    const { sessions } = checked(
      { 'cookie-domain': 'example.com', 'cookie-name': '__Secure-s' },
      { saml: { ...saml, 'acs-url': 'https://app.example.com:8443/saml/acs' } },
    );
    expect(sessions?.returnOrigins).toEqual([
      'https://app.example.com:8443',
      'https://example.com',
      'https://*.example.com',
      'https://example.com:8443',
      'https://*.example.com:8443',
    ]);
  });

  it('is no way to sign on', () => {
    expect(checked({}, {}).texts).toEqual([
      'error sessions: it has no effect without a way to sign on and without tokens',
    ]);
    expect(checked({}, { saml: { ...saml, enabled: false } })).toMatchObject({
      sessions: null,
      texts: ['warning saml: it is disabled: sign-on is impossible, and no session is accepted'],
    });
  });
});

describe('a key in both blocks', () => {
  it.each([
    ['store', 'session-store', 'memory'],
    ['path', 'session-store-path', '/s.db'],
    ['url', 'session-store-url', 'rediss://db:6379'],
    ['ttl-secs', 'session-ttl-secs', 60],
    ['idle-secs', 'session-idle-secs', 60],
    ['cleanup-interval-secs', 'cleanup-interval-secs', 60],
    ['cookie-name', 'session-cookie-name', 's'],
    ['cookie-same-site', 'cookie-same-site', 'Lax'],
    ['cookie-secure', 'cookie-secure', true],
    ['cookie-http-only', 'cookie-http-only', true],
  ])('is an error: %s and %s', (key, twin, value) => {
    const { texts } = checked({ [key]: value }, { saml: { ...saml, [twin]: value } });
    expect(texts).toContain(`error sessions: ${key} is also set in saml, as ${twin}: remove one of the two`);
  });
});

describe('an invalid sessions block', () => {
  it.each<[string, JsonObject, string]>([
    [
      'a __Host- name with a domain',
      { 'cookie-name': '__Host-s', 'cookie-domain': 'example.com' },
      'excludes the cookie name __Host-s',
    ],
    [
      'a domain of another site',
      { 'cookie-domain': 'example.org' },
      'does not include app.example.com, the host of acs-url',
    ],
    ['a domain that is a part of a label', { 'cookie-domain': 'ample.com' }, 'does not include app.example.com'],
    ['a top-level domain', { 'cookie-domain': 'com' }, 'must have at least two labels'],
    ['a domain with a leading dot', { 'cookie-domain': '.example.com' }, 'must be a domain without a leading dot'],
    ['an address as domain', { 'cookie-domain': '192.0.2.1' }, 'must be a domain'],
    ['a domain with an attribute', { 'cookie-domain': 'example.com; Secure' }, 'must be a domain'],
    ['a name that is no token', { 'cookie-name': 'a b' }, 'cookie-name must be the name of a cookie'],
    ['a long name', { 'cookie-name': 'x'.repeat(101) }, 'cookie-name must be the name of a cookie'],
    ['a prefix without Secure', { 'cookie-name': '__Host-s', 'cookie-secure': false }, 'requires cookie-secure #true'],
    ['None without Secure', { 'cookie-same-site': 'None', 'cookie-secure': false }, 'cookie-same-site None needs'],
    ['a former name that is no token', { 'former-cookie-names': ['a b'] }, 'former-cookie-names: entry 1 must be'],
    ['a former name twice', { 'former-cookie-names': ['a', 'a'] }, 'former-cookie-names: entry 2 repeats'],
    ['the current name as former', { 'former-cookie-names': 'gateway_saml_session' }, 'entry 1 is the current name'],
    ['many former names', { 'former-cookie-names': 'abcdefghi'.split('') }, 'more than 8 names'],
    [
      'a path with redis',
      { store: 'redis', url: 'rediss://db:6379', path: '/s' },
      'path has no effect with store "redis"',
    ],
    ['a url with sqlite', { url: 'rediss://db:6379' }, 'url has no effect with store "sqlite"'],
    ['redis without a url', { store: 'redis' }, 'url is missing: redis needs it'],
    ['an invalid url', { store: 'redis', url: 'http://db' }, 'url must'],
    ['an unknown store', { store: 'file' }, '"store" must be'],
    ['no time at all', { 'ttl-secs': 0 }, '"ttl-secs" must be'],
    ['a return host with a scheme', { 'return-hosts': 'https://a.example' }, '"return-hosts" must be a host'],
    ['a return host with a path', { 'return-hosts': 'a.example/x' }, '"return-hosts" must be a host'],
    ['a star inside a return host', { 'return-hosts': 'a.*.example' }, '"return-hosts" must be a host'],
    ['every host as return host', { 'return-hosts': '*' }, '"return-hosts" must be a host'],
    ['a return host with a wrong port', { 'return-hosts': 'a.example:0' }, '"return-hosts" must be a host'],
    ['every origin', { 'allow-origins': '*' }, '"allow-origins" must be an origin'],
    ['the origin of sandboxed pages', { 'allow-origins': 'null' }, '"allow-origins" cannot be "null"'],
    ['an origin with a path', { 'allow-origins': 'https://a.example/x' }, '"allow-origins" must be an origin'],
    ['an unknown key', { 'session-ttl-secs': 5 }, 'unknown key "session-ttl-secs"'],
  ])('is refused: %s', (_, block, text) => {
    const { sessions, texts } = checked(block);
    expect(sessions).toBeNull();
    expect(texts).toContainEqual(expect.stringContaining(text));
  });

  it.each<[string, JsonObject, string]>([
    [
      'an idle time without effect',
      { 'idle-secs': 60, 'ttl-secs': 60 },
      'warning sessions: idle-secs is not below ttl-secs',
    ],
    ['a cookie without Secure', { 'cookie-secure': false }, 'warning sessions: cookie-secure is #false'],
    ['a cookie for scripts', { 'cookie-http-only': false }, 'warning sessions: cookie-http-only is #false'],
  ])('runs with a warning: %s', (_, block, text) => {
    const { sessions, texts } = checked(block);
    expect(sessions).not.toBeNull();
    expect(texts).toContainEqual(expect.stringContaining(text));
  });

  it('names a key where it is written, or would be', () => {
    const { texts } = checked(
      { 'cookie-domain': 'example.com' },
      { saml: { ...saml, 'session-cookie-name': '__Host-s' } },
    );
    expect(texts).toContainEqual(
      expect.stringContaining('error sessions: cookie-domain excludes the cookie name __Host-s'),
    );
    expect(checked({ store: 'redis' }, { saml: { ...saml, 'session-store-path': '/s' } }).texts).toContain(
      'error saml: session-store-path has no effect with store "redis"',
    );
  });
});
