import { describe, expect, it } from 'vitest';
import { completeAgentOptions } from '../../../../../src/domain/agent/configuration/agent-option-rules.js';
import { decodeAgentOptions } from '../../../../../src/domain/agent/configuration/decode-agent-options.js';
import type { JsonObject } from '../../../../../src/domain/shared/json.js';

const minimal: JsonObject = {
  enabled: true,
  'entity-id': 'https://app.example/saml',
  'acs-url': 'https://app.example/saml/acs',
  'idp-metadata-url': 'https://id.example/metadata',
};

/** The same, with everything about the identity provider written out. */
const { 'idp-metadata-url': _, ...withoutProvider } = minimal;
const configured: JsonObject = {
  ...withoutProvider,
  'idp-entity-id': 'https://id.example',
  'idp-sso-url': 'https://id.example/sso?x=1',
  'idp-cert-file': '/idp.pem',
};

const checked = (saml: JsonObject, config: JsonObject = {}) => {
  const decoded = decodeAgentOptions({ ...config, saml });
  if (decoded.options === null) {
    return { saml: null, sessions: null, texts: decoded.problems.map(({ message }) => message), problems: [] };
  }
  const { options, problems } = completeAgentOptions(decoded.options, new Map());
  const texts = problems.map(({ severity, option, message }) => `${severity} ${option}: ${message}`);
  return { saml: options?.saml ?? null, sessions: options?.sessions ?? null, texts, problems };
};

describe('the saml block', () => {
  it('has the documented defaults', () => {
    const { saml, sessions, texts } = checked(minimal);
    expect(texts).toEqual([]);
    expect(saml).toEqual({
      entityId: 'https://app.example/saml',
      acsUrl: 'https://app.example/saml/acs',
      acsPath: '/saml/acs',
      metadataPath: '/saml/metadata',
      logoutPath: '/saml/logout',
      signedOutPath: null,
      identityProvider: {
        kind: 'metadata',
        url: 'https://id.example/metadata',
        entityId: null,
        certificateFile: null,
        refreshMs: 3_600_000,
      },
      serviceProviderKey: null,
      nameIdFormat: null,
      authnContexts: [],
      forceAuthn: false,
      allowIdpInitiated: false,
      browserBinding: true,
      userIdAttribute: null,
      attributeMapping: [],
      clockSkewMs: 300_000,
      protectedPaths: [],
      excludedPaths: [],
    });
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
      returnOrigins: ['https://app.example'],
      trustedOrigins: ['https://app.example'],
    });
  });

  it('counts as a method, so fail-open is effective', () => {
    expect(checked(minimal, { 'fail-open': true }).texts).toEqual([]);
    expect(checked({ ...minimal, enabled: false }, { 'fail-open': true }).texts).toHaveLength(2);
  });

  it('is ignored unless enabled', () => {
    expect(checked({ ...minimal, enabled: false })).toMatchObject({
      saml: null,
      texts: ['warning saml: it is disabled: sign-on is impossible, and no session is accepted'],
    });
  });

  it('describes the identity provider completely without metadata', () => {
    expect(checked({ ...configured, 'idp-slo-url': 'https://id.example/slo' }).saml?.identityProvider).toEqual({
      kind: 'configured',
      entityId: 'https://id.example',
      ssoUrl: 'https://id.example/sso?x=1',
      logoutUrl: 'https://id.example/slo',
      certificateFile: '/idp.pem',
    });
  });

  it('accepts short names of formats, and any other format as a URI', () => {
    const format = (name: string) => checked({ ...minimal, 'name-id-format': name }).saml?.nameIdFormat;
    expect(format('email')).toBe('urn:oasis:names:tc:SAML:1.1:nameid-format:emailAddress');
    expect(format('persistent')).toBe('urn:oasis:names:tc:SAML:2.0:nameid-format:persistent');
    expect(format('urn:example:format')).toBe('urn:example:format');
  });

  it('maps attributes with any name', () => {
    const mapping = JSON.parse('{"urn:oid:0.9.2342": "X-Mail", "__proto__": "X-Proto", "enabled": "X-Enabled"}');
    expect(checked({ ...minimal, 'attribute-mapping': mapping }).saml?.attributeMapping).toEqual([
      { attribute: 'urn:oid:0.9.2342', header: 'X-Mail' },
      { attribute: '__proto__', header: 'X-Proto' },
      { attribute: 'enabled', header: 'X-Enabled' },
    ]);
  });

  it.each(['__Host-s', '__Secure-s'])('can name the session cookie %s', (name) => {
    const { sessions, texts } = checked({ ...minimal, 'session-cookie-name': name });
    expect(texts).toEqual([]);
    expect(sessions?.cookie).toMatchObject({ name, secure: true });
  });

  it('names a store with all its settings', () => {
    expect(checked({ ...minimal, 'session-store': 'memory' }).sessions?.store).toEqual({ kind: 'memory' });
    expect(checked({ ...minimal, 'session-store-path': '/s.db' }).sessions?.store).toEqual({
      kind: 'sqlite',
      path: '/s.db',
    });
    const redis = { ...minimal, 'session-store': 'redis', 'session-store-url': 'rediss://:S3CRET@db:6379' };
    const store = checked(redis).sessions?.store;
    expect(store?.kind === 'redis' && store.url.reveal()).toBe('rediss://:S3CRET@db:6379');
  });
});

describe('an invalid saml block', () => {
  it.each([
    ['nothing of the provider', withoutProvider, 'the identity provider is not configured'],
    ['no certificate', { ...configured, 'idp-cert-file': null }, 'idp-cert-file is missing'],
    ['both ways to know the provider', { ...minimal, 'idp-cert-file': '/c' }, 'idp-cert-file and idp-metadata-url'],
    ['an SSO URL beside metadata', { ...minimal, 'idp-sso-url': 'https://x' }, 'idp-sso-url and idp-metadata-url'],
    ['an SLO URL beside metadata', { ...minimal, 'idp-slo-url': 'https://x' }, 'idp-slo-url and idp-metadata-url'],
    [
      'unsigned metadata by HTTP',
      { ...minimal, 'idp-metadata-url': 'http://id.example/m' },
      'idp-metadata-url is not https',
    ],
    ['a metadata certificate alone', { ...configured, 'idp-metadata-cert-file': '/c' }, 'has no effect without'],
    ['a metadata interval alone', { ...configured, 'idp-metadata-refresh-secs': 60 }, 'has no effect without'],
    ['a key without its certificate', { ...minimal, 'sp-key-file': '/k' }, 'sp-key-file is set without sp-cert-file'],
    ['a certificate without its key', { ...minimal, 'sp-cert-file': '/c' }, 'sp-cert-file is set without'],
    ['an ACS that is no URL', { ...minimal, 'acs-url': '/saml/acs' }, 'acs-url must be a URL'],
    ['an ACS with a query', { ...minimal, 'acs-url': 'https://a.example/saml/acs?x' }, 'must not contain a query'],
    [
      'a file for redis',
      { ...minimal, 'session-store': 'redis', 'session-store-path': '/s' },
      'session-store-path has no',
    ],
    ['redis without a URL', { ...minimal, 'session-store': 'redis' }, 'session-store-url is missing'],
    ['a URL for sqlite', { ...minimal, 'session-store-url': 'redis://h' }, 'session-store-url has no effect'],
    [
      'a URL of something else',
      { ...minimal, 'session-store': 'redis', 'session-store-url': 'https://h' },
      'must be a URL that begins with redis:// or rediss://',
    ],
    [
      'two endpoints at one path',
      { ...minimal, 'logout-path': '/saml/acs' },
      'logout-path and acs-path are the same path',
    ],
    ['a path that is not normal', { ...minimal, 'acs-path': '/saml//acs' }, 'must be in its normal form: "/saml/acs"'],
    ['a path that climbs', { ...minimal, 'protected-paths': ['/a/../b'] }, 'entry 1 must be in its normal form: "/b"'],
    ['a path without a slash', { ...minimal, 'excluded-paths': ['public'] }, 'entry 1 must be a path'],
    ['a path with a query', { ...minimal, 'metadata-path': '/m?x' }, 'metadata-path must be a path'],
    [
      'a star among protected paths',
      { ...minimal, 'protected-paths': ['/app', '/admin/*'] },
      'entry 2 must not contain "*": prefixes cover all paths below: write "/admin"',
    ],
    [
      'a star for all',
      { ...minimal, 'protected-paths': ['/**'] },
      'must not contain "*": prefixes cover all paths below: write "/"',
    ],
    [
      'a star in a name',
      { ...minimal, 'excluded-paths': ['/a/*.css'] },
      'entry 1 must not contain "*": prefixes cover',
    ],
    ['a path twice', { ...minimal, 'excluded-paths': ['/a', '/a'] }, 'entry 2 repeats an earlier one'],
    [
      'signing out again and again',
      { ...minimal, 'signed-out-path': '/saml/logout' },
      'must differ from the endpoints',
    ],
    [
      'fresh sign-ons that nobody has asked for',
      { ...minimal, 'force-authn': true, 'allow-idp-initiated': true },
      'force-authn cannot be enforced',
    ],
    ['a cookie of no name', { ...minimal, 'session-cookie-name': 'a b' }, 'must be the name of a cookie'],
    [
      'a name for the host without the flag',
      { ...minimal, 'session-cookie-name': '__host-s', 'cookie-secure': false },
      'requires cookie-secure #true',
    ],
    [
      'a secure name without the flag',
      { ...minimal, 'session-cookie-name': '__Secure-s', 'cookie-secure': false },
      'requires cookie-secure #true',
    ],
    [
      'SameSite None by HTTP',
      { ...minimal, 'cookie-same-site': 'None', 'cookie-secure': false },
      'needs cookie-secure',
    ],
    [
      'an identity header',
      { ...minimal, 'attribute-mapping': { a: 'X-Auth-Claim-A' } },
      'is already an identity header',
    ],
    ['a header of its own meaning', { ...minimal, 'attribute-mapping': { a: 'Cookie' } }, 'has a standard meaning'],
    ['a header of framing', { ...minimal, 'attribute-mapping': { a: 'Content-Length' } }, 'belongs to message framing'],
    ['one header twice', { ...minimal, 'attribute-mapping': { a: 'X-A', b: 'x_a' } }, 'already uses the header x_a'],
    [
      'too many headers',
      {
        ...minimal,
        'attribute-mapping': Object.fromEntries(Array.from({ length: 63 }, (_, i) => [`a${i}`, `X-A${i}`])),
      },
      'more than 62 headers',
    ],
  ] as const)('is refused for %s', (_name, saml, text) => {
    const result = checked(saml as JsonObject);
    expect(result.texts.join('\n')).toContain(text);
    expect(result.texts.join('\n')).toContain('error saml: ');
    expect(result.saml).toBeNull();
  });

  it('is refused once for an invalid post-logout path', () => {
    const { texts } = checked({ ...minimal, 'signed-out-path': 'bye' });
    expect(texts).toEqual(['error saml: signed-out-path must be a path that begins with /, without a query']);
  });

  it.each([
    ['redis://', 'has no valid host'],
    ['redis://:6379', 'has no valid host'],
    ['redis://a b', 'must be a URL'],
    ['redis://[::1', 'has no valid host'],
    ['redis://[::x]', 'has no valid host'],
    ['redis://h:0', 'port from 1 to 65535'],
    ['redis://h:65536', 'port from 1 to 65535'],
    ['redis://h:http', 'port from 1 to 65535'],
    ['redis://h/one', 'database number'],
    ['redis://h/123456', 'database number'],
    ['redis://h/1/2', 'database number'],
    ['redis://h?db=1', 'must not have a query'],
    ['redis://h#1', 'must not have a query'],
    ['redis://user@h', 'has a user but no password'],
    ['redis://user:@h', 'has a user but no password'],
    ['redis://:%f@h', 'in percent-encoded UTF-8'],
    ['redis://:%ff@h', 'in percent-encoded UTF-8'],
  ])('is refused for the store URL %s when parsed', (url, text) => {
    const { saml, problems } = checked({ ...minimal, 'session-store': 'redis', 'session-store-url': url });
    expect(saml).toBeNull();
    expect(problems).toHaveLength(1);
    expect(problems[0]?.message).toContain(`session-store-url `);
    expect(problems[0]?.message).toContain(text);
    expect(problems[0]?.place).toEqual({ key: 'session-store-url' });
  });

  it.each([
    ['an attribute without a header', { ...minimal, 'attribute-mapping': { a: true } }, '"a" must be a string'],
    ['a header with spaces', { ...minimal, 'attribute-mapping': { a: 'X A' } }, 'must be a header name'],
    ['an attribute with two headers', { ...minimal, 'attribute-mapping': { a: ['X-A', 'X-B'] } }, 'needs one header'],
    ['a mapping that is a text', { ...minimal, 'attribute-mapping': 'X-A' }, 'takes a block, not a value'],
    ['another store', { ...minimal, 'session-store': 'mysql' }, '"session-store" must be'],
    ['a clock that is far off', { ...minimal, 'clock-skew-secs': 601 }, 'from 0 to 600'],
    ['a format that is not a URI', { ...minimal, 'name-id-format': 'constructor' }, 'must be unspecified, email'],
    ['an unknown key', { ...minimal, 'acs-urls': 'x' }, 'unknown key "acs-urls"'],
    ['an entity id with spaces', { ...minimal, 'entity-id': 'a b' }, 'must be an entity id'],
  ] as const)('is refused for %s', (_name, saml, text) => {
    expect(checked(saml as JsonObject).texts.join('\n')).toContain(text);
  });

  it('is refused for a header that another option uses', () => {
    const { texts } = checked({ ...minimal, 'attribute-mapping': { a: 'X-Who' } }, { 'user-id-header': 'X-Who' });
    expect(texts).toEqual(['error saml: user-id-header already uses the header X-Who']);
  });

  it('is refused without revealing a secret in its URL', () => {
    const urls = ['S3CRET', 'http://:S3CRET@h', 'redis:// S3CRET', 'redis://S3CRET@h', 'redis://:a/S3CRET@h'];
    for (const url of [...urls, 'redis://:S3CRET%@h', 'redis://:S3CRET@h', 'redis://h:S3CRET']) {
      const { texts } = checked({ ...minimal, 'session-store': 'redis', 'session-store-url': url });
      expect(texts).toHaveLength(1);
      expect(texts[0]).not.toContain('S3CRET');
    }
  });
});

describe('a URL that may hold a secret', () => {
  it.each([
    ['idp-metadata-url', { ...minimal, 'idp-metadata-url': 'http://id.example/m?key=S3CRET' }],
    ['idp-metadata-url', { ...minimal, 'idp-metadata-url': 'id.example/m?key=S3CRET' }],
    ['idp-metadata-url', { ...minimal, 'idp-metadata-url': 'https://id.example/m?key=S3CRET#a' }],
    ['idp-sso-url', { ...configured, 'idp-sso-url': 'http://id.example/sso?key=S3CRET' }],
  ])('appears in no message about %s', (key, saml) => {
    const { problems } = checked(saml as JsonObject);
    expect(problems).toHaveLength(1);
    expect(problems[0]?.message).toContain(`${key} `);
    expect(problems[0]?.place?.key).toBeUndefined();
    expect(JSON.stringify(problems)).not.toContain('S3CRET');
  });
});

describe('a questionable saml block', () => {
  it.each([
    ['an ACS by HTTP', { ...minimal, 'acs-url': 'http://app.example/saml/acs' }, 'acs-url is not https'],
    [
      'an ACS elsewhere',
      { ...minimal, 'acs-url': 'https://app.example/sso' },
      'acs-path differs from the path of acs-url',
    ],
    ['no binding', { ...minimal, 'browser-binding': false }, 'browser-binding is #false'],
    ['unsolicited responses', { ...minimal, 'allow-idp-initiated': true }, 'allow-idp-initiated is #true'],
    ['a cookie by HTTP', { ...minimal, 'cookie-secure': false }, 'cookie-secure is #false'],
    ['a cookie for scripts', { ...minimal, 'cookie-http-only': false }, 'cookie-http-only is #false'],
    ['an idle time that never counts', { ...minimal, 'session-idle-secs': 28_800 }, 'so it has no effect'],
    ['names that do not last', { ...minimal, 'name-id-format': 'transient' }, 'gives a user a new name'],
    [
      'no path that is protected',
      { ...minimal, 'protected-paths': ['/app'], 'excluded-paths': ['/', '/x'] },
      'no path is protected',
    ],
    [
      'protected paths that are excluded',
      { ...minimal, 'protected-paths': ['/app', '/admin/'], 'excluded-paths': ['/admin'] },
      'excluded-paths covers all of "/admin/"',
    ],
    [
      'a password in the clear',
      { ...minimal, 'session-store': 'redis', 'session-store-url': 'redis://me:word@db' },
      'session-store-url sends its password unencrypted',
    ],
    ['a loop after signing out', { ...minimal, 'signed-out-path': '/bye' }, 'is redirected to sign on again'],
  ] as const)('causes a warning for %s', (_name, saml, text) => {
    const result = checked(saml as JsonObject);
    expect(result.saml).not.toBeNull();
    expect(result.texts).toHaveLength(1);
    expect(result.texts[0]).toContain('warning saml: ');
    expect(result.texts[0]).toContain(text);
  });

  it('causes no warning for signed metadata over HTTP, or on this host', () => {
    const signed = { 'idp-metadata-url': 'http://id.example/m', 'idp-metadata-cert-file': '/c.pem' };
    expect(checked({ ...minimal, ...signed }).texts).toEqual([]);
    const local = { 'acs-url': 'http://localhost:8080/saml/acs', 'idp-metadata-url': 'http://127.0.0.1:1/m' };
    expect(checked({ ...minimal, ...local }).texts).toEqual([]);
  });

  it.each(['rediss://me:word@db/1', 'redis://db_1:7000', 'redis://:word@localhost', 'redis://:word@[::1]:1/0'])(
    'causes no warning for the store URL %s',
    (url) => {
      expect(checked({ ...minimal, 'session-store': 'redis', 'session-store-url': url }).texts).toEqual([]);
    },
  );

  it('causes no warning for exclusions that keep a path protected', () => {
    const paths = { 'protected-paths': ['/app', '/x/'], 'excluded-paths': ['/app/assets', '/x/', '/apple'] };
    expect(checked({ ...minimal, ...paths }).texts).toEqual([]);
  });

  it('causes no warning for an open post-logout page', () => {
    expect(checked({ ...minimal, 'signed-out-path': '/bye', 'excluded-paths': ['/bye'] }).texts).toEqual([]);
    expect(checked({ ...minimal, 'signed-out-path': '/bye', 'protected-paths': ['/app'] }).texts).toEqual([]);
  });
});
