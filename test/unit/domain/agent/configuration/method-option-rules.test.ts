import { describe, expect, it } from 'vitest';
import type {
  MtlsOptions,
  OidcProviderOptions,
} from '../../../../../src/domain/agent/configuration/agent-configuration.js';
import { completeAgentOptions } from '../../../../../src/domain/agent/configuration/agent-option-rules.js';
import type { AgentOptions } from '../../../../../src/domain/agent/configuration/agent-options-schema.js';
import { keySetUrlFault } from '../../../../../src/domain/agent/configuration/key-set-url.js';

const complete = (options: AgentOptions) => completeAgentOptions(options, new Map());
const problems = (options: AgentOptions) =>
  complete(options).problems.map(({ severity, option, message }) => `${severity} ${option}: ${message}`);

const provider = (own: Partial<OidcProviderOptions> = {}): OidcProviderOptions => ({
  name: null,
  enabled: true,
  issuer: 'https://id.example',
  jwksUrl: 'https://id.example/keys',
  tokenHeader: null,
  tokenCookie: null,
  introspection: null,
  requiredProof: null,
  audiences: ['api'],
  algorithms: null,
  tenants: [],
  requiredScopes: [],
  jwksRefreshMs: 3_600_000,
  clockSkewMs: 30_000,
  ...own,
});

const mtls = (own: Partial<MtlsOptions> = {}): AgentOptions => ({
  mtls: {
    enabled: true,
    clientCertHeader: 'X-Client-Cert',
    caCertPath: '/ca.pem',
    crlFiles: [],
    allowedDns: [],
    allowedSans: [],
    userIdFrom: [],
    extractCnAsUser: null,
    extractSanEmailAsUser: null,
    ...own,
  },
});

describe('complete providers', () => {
  it('are the enabled ones', () => {
    const [on, off] = [provider(), provider({ name: 'off', enabled: false, issuer: 'https://other' })];
    expect(complete({ oidc: [on, off] }).options?.oidc).toEqual([on]);
    expect(problems({ oidc: [on, off] })).toEqual([
      'warning oidc: provider "off" is disabled, so none of its tokens is accepted',
    ]);
  });

  it('can share an issuer if only one of them is enabled', () => {
    expect(complete({ oidc: [provider(), provider({ enabled: false })] }).options).not.toBeNull();
    expect(problems({ oidc: [provider({ name: 'a' }), provider()] })).toEqual([
      'error oidc: provider 2: provider "a" has the same issuer',
    ]);
  });

  it('have unique names', () => {
    const other = { name: 'a', issuer: 'https://other' };
    expect(problems({ oidc: [provider({ name: 'a' }), provider(other)] })).toEqual([
      'error oidc: provider "a": an earlier block already has that name',
    ]);
  });

  it('cause a warning without an audience', () => {
    expect(problems({ oidc: [provider({ audiences: [] })] })).toEqual([
      'warning oidc: provider 1 has no audience: every token of the issuer is accepted, even if issued for another API',
    ]);
  });

  it('make fail-open effective', () => {
    expect(problems({ failOpen: true, oidc: [provider()] })).toEqual([]);
    expect(problems({ failOpen: true, oidc: [provider({ enabled: false })] })).toHaveLength(2);
  });
});

describe('the URL of a key set', () => {
  it.each([
    'https://id.example/keys',
    'https://id.example',
    'HTTPS://id.example:8443/a?b=c',
    'https://[2001:db8::1]:8443/keys',
    'http://127.0.0.1:3000/jwks',
    'http://localhost/jwks',
    'http://[::1]/jwks',
  ])('can be %s', (url) => expect(keySetUrlFault(url)).toBeNull());

  it.each([
    'http://id.example/keys',
    'http://127.0.0.1.example/keys',
    'http://10.0.0.1/keys',
    'http://localhost.example/',
    'http://id.example/keys?key=hunter2',
  ])('causes a warning if it is %s', (url) => {
    const fault = keySetUrlFault(url);
    expect(fault?.severity).toBe('warning');
    expect(fault?.message).not.toContain('hunter2');
    expect(fault?.secret).toBe(url.includes('?'));
  });

  it.each([
    'file:///etc/passwd',
    'ftp://id.example',
    '//id.example/keys',
    '/keys',
    'id.example/keys',
    'https://',
    'https:///keys',
    'https://a b/keys',
    'https://id.example/k\u00e9ys',
    'https://id.example/\nkeys',
    'https://id.example:0/keys',
    'https://id.example:65536/keys',
    'https://id.example:x/keys',
    'https://1.2.3/keys',
    'https://[::1/keys',
    'https://id.example/keys#a',
    'https://me:hunter2@id.example/keys',
    'http://127.0.0.1@id.example/keys',
  ])('cannot be %s', (url) => {
    const fault = keySetUrlFault(url);
    expect(fault?.severity).toBe('error');
    expect(fault?.message).not.toContain('hunter2');
    expect(fault?.secret).toBe(url.includes('@'));
  });
});

describe('client certificates', () => {
  it('are accepted if enabled', () => {
    const options = mtls();
    expect(complete(options)).toMatchObject({ options: { mtls: options.mtls }, problems: [] });
    expect(complete(mtls({ enabled: false })).options?.mtls).toBeNull();
    expect(problems(mtls({ enabled: false }))).toEqual([
      'warning mtls: it is disabled, so no client certificate is accepted',
    ]);
  });

  it('cause a warning if no one verifies the chain', () => {
    expect(problems(mtls({ caCertPath: null }))[0]).toMatch(
      /^warning mtls: ca-cert-path is not set: every certificate/,
    );
    expect(complete(mtls({ caCertPath: null })).options?.mtls).not.toBeNull();
  });

  it('can have revocation lists only with authorities that verify them', () => {
    expect(problems(mtls({ crlFiles: ['/a.crl'] }))).toEqual([]);
    expect(problems(mtls({ crlFiles: ['/a.crl'], caCertPath: null }))).toContain(
      'error mtls: crl-file needs authorities that verify the lists',
    );
    expect(problems(mtls({ crlFiles: ['/a.crl', '/a.crl'] }))).toEqual(['error mtls: crl-file names "/a.crl" twice']);
    expect(problems(mtls({ crlFiles: [''] }))).toEqual(['error mtls: crl-file: a path is empty']);
    const many = Array.from({ length: 33 }, (_, index) => `/${index}.crl`);
    expect(problems(mtls({ crlFiles: many }))).toEqual(['error mtls: crl-file names more than 32 files']);
  });

  it('must name a user', () => {
    expect(problems(mtls({ extractCnAsUser: false }))[0]).toContain('both #false');
    expect(complete(mtls({ extractCnAsUser: false })).options).toBeNull();
    expect(problems(mtls({ extractCnAsUser: false, extractSanEmailAsUser: true }))).toEqual([]);
  });

  it('take their user from user-id-from or the older keys, not from both', () => {
    const userIdFrom = ['san-uri', 'cn'] as const;
    expect(problems(mtls({ userIdFrom }))).toEqual([]);
    expect(problems(mtls({ userIdFrom, extractCnAsUser: true }))).toEqual([
      'error mtls: extract-cn-as-user and user-id-from cannot both be set',
    ]);
    expect(problems(mtls({ userIdFrom, extractSanEmailAsUser: false }))).toEqual([
      'error mtls: extract-san-email-as-user and user-id-from cannot both be set',
    ]);
    expect(problems(mtls({ userIdFrom: ['cn', 'dn', 'cn'] }))).toEqual(['error mtls: user-id-from names "cn" twice']);
  });

  it('have valid lists', () => {
    const [first, second] = problems(mtls({ allowedDns: ['CN=a', 'no name'], allowedSans: ['a.example', '*'] }));
    expect(first).toMatch(/^error mtls: allowed-dns: entry 2 /);
    expect(second).toMatch(/^error mtls: allowed-sans: entry 2 /);
  });

  it.each(['X-Client-Cert', 'Client-Cert', 'X-Forwarded-Client-Cert', 'X-SSL-Cert'])('can come in %s', (name) =>
    expect(problems(mtls({ clientCertHeader: name }))).toEqual([]),
  );

  it.each(['Authorization', 'Cookie', 'Host', 'Content-Type', 'X-Forwarded-For', 'Connection', 'Client-Cert-Chain'])(
    'cannot come in %s',
    (name) => expect(complete(mtls({ clientCertHeader: name })).options).toBeNull(),
  );

  it.each(['X-User-Id', 'x_auth_method', 'X-Auth-Claim-Cert', 'X-Client-Cert-CN', 'X.Client.Cert.DN'])(
    'cannot come in %s, which carries an identity',
    (name) => expect(complete(mtls({ clientCertHeader: name })).options).toBeNull(),
  );

  it('share their headers with no other option', () => {
    const shared = 'error mtls: api-key-header already uses the header X-Key';
    expect(problems({ ...mtls({ clientCertHeader: 'X-Key' }), apiKeyHeader: 'x-key' })).toEqual([shared]);
    for (const name of ['X-Client-Cert', 'x_client_cert_cn', 'X-Client-Cert-DN']) {
      expect(complete({ ...mtls(), userIdHeader: name }).options).toBeNull();
    }
    expect(
      complete({ ...mtls({ clientCertHeader: 'Client-Cert' }), authMethodHeader: 'client-cert-chain' }).options,
    ).toBeNull();
  });
});
