import { describe, expect, it } from 'vitest';
import {
  checkAgentOptions,
  decodeAgentOptions,
} from '../../../../../src/domain/agent/configuration/decode-agent-options.js';
import { ProblemReport } from '../../../../../src/domain/configuration/schema/problem-report.js';
import type { JsonObject } from '../../../../../src/domain/shared/json.js';
import { Secret } from '../../../../../src/domain/shared/secret.js';
import { settingsOf } from '../../../../support/shared/configuration-settings.js';

const provider = { issuer: 'https://id.example', 'jwks-url': 'https://id.example/keys' };
const messages = (json: JsonObject) => decodeAgentOptions(json).problems.map(({ message }) => message);
const oidc = (json: JsonObject) => decodeAgentOptions(json).options?.oidc;
const mtls = (json: JsonObject) => decodeAgentOptions(json).options?.mtls;

/** What is reported of a block in KDL, with line and column. */
const reported = (text: string): string[] => {
  const report = new ProblemReport(({ line }) => text.split('\n')[line - 1] ?? null);
  checkAgentOptions(settingsOf(text), { report, path: ['config'], position: null });
  return report.problems.map(
    ({ severity, position, message }) => `${position?.line}:${position?.column} ${severity} ${message}`,
  );
};

describe('the oidc blocks', () => {
  it('have defaults for every key except the issuer', () => {
    expect(oidc({ oidc: provider })).toEqual([
      {
        name: null,
        enabled: false,
        issuer: 'https://id.example',
        jwksUrl: 'https://id.example/keys',
        tokenHeader: null,
        tokenCookie: null,
        introspection: null,
        requiredProof: null,
        tenants: [],
        audiences: [],
        algorithms: null,
        requiredScopes: [],
        jwksRefreshMs: 3_600_000,
        clockSkewMs: 30_000,
      },
    ]);
    expect(messages({ oidc: { enabled: true } })).toEqual(['config.oidc: "issuer" is missing']);
  });

  it('are all parsed', () => {
    const full = {
      ...provider,
      name: 'corp',
      enabled: true,
      tenants: ['one'],
      audience: ['api', 'app'],
      algorithms: ['RS256', 'PS256'],
      'required-scopes': ['read', 'write'],
      'token-header': 'X-Token',
      'token-cookie': 'token',
      'require-proof': 'dpop',
      introspection: {
        url: 'https://id.example/introspect',
        'client-id': 'api',
        'client-secret': 's',
        'cache-secs': 60,
      },
      'jwks-refresh-secs': 60,
      'clock-skew-secs': 0,
    };
    expect(oidc({ oidc: full })?.[0]).toEqual({
      name: 'corp',
      enabled: true,
      issuer: 'https://id.example',
      jwksUrl: 'https://id.example/keys',
      tokenHeader: 'X-Token',
      tokenCookie: 'token',
      requiredProof: 'dpop',
      introspection: {
        url: 'https://id.example/introspect',
        clientId: 'api',
        clientSecret: new Secret('s'),
        cacheMs: 60_000,
      },
      tenants: ['one'],
      audiences: ['api', 'app'],
      algorithms: ['RS256', 'PS256'],
      requiredScopes: ['read', 'write'],
      jwksRefreshMs: 60_000,
      clockSkewMs: 0,
    });
  });

  it('can be several, in order, or none', () => {
    expect(oidc({ oidc: [provider, { ...provider, name: 'b' }] })?.map(({ name }) => name)).toEqual([null, 'b']);
    for (const none of [null, []]) expect(decodeAgentOptions({ oidc: none }).options).toEqual({ oidc: [] });
    expect(decodeAgentOptions({}).options).toEqual({});
  });

  it.each<readonly [JsonObject, string]>([
    [{ oidc: true }, 'config: "oidc" needs a block'],
    [{ oidc: 'corp' }, 'config: "oidc" needs a block'],
    [{ oidc: [true, provider] }, 'config: "oidc" needs a block'],
    [{ oidc: { ...provider, isuer: 'x' } }, 'config.oidc: unknown key "isuer" in oidc'],
    [
      { oidc: { ...provider, name: 'a b' } },
      'config.oidc.name: "name" must consist of at most 128 letters, digits and . _ : / @ -',
    ],
    [
      { oidc: { ...provider, 'required-scopes': 'read write' } },
      'config.oidc.required-scopes: "required-scopes" must be one scope, without spaces, quotes and backslashes',
    ],
    [
      { oidc: { ...provider, 'required-scopes': 'a"b' } },
      'config.oidc.required-scopes: "required-scopes" must be one scope, without spaces, quotes and backslashes',
    ],
    [
      { oidc: { ...provider, 'jwks-refresh-secs': 0 } },
      'config.oidc.jwks-refresh-secs: "jwks-refresh-secs" must be an integer from 1 to 604800, not 0',
    ],
    [
      { oidc: { ...provider, 'clock-skew-secs': 601 } },
      'config.oidc.clock-skew-secs: "clock-skew-secs" must be an integer from 0 to 600, not 601',
    ],
    [{ oidc: { ...provider, enabled: 'yes' } }, 'config.oidc.enabled: "enabled" must be #true or #false, not "yes"'],
  ])('are refused if they are %j', (json, message) => {
    expect(messages(json)).toContain(message);
    expect(decodeAgentOptions(json).options).toBeNull();
  });

  it('report problems at their own position', () => {
    const text = [
      'oidc "a" { enabled #true; issuer "https://a"; jwks-url "https://a.example/keys"; audience "x" }',
      'oidc "b" {',
      '  enabled #true',
      '  issuer "https://a"',
      '  jwks-url "ftp://b.example"',
      '  audience "x"',
      '}',
      'oidc "c" {',
      '  issuer "https://c"',
      '  jwks-url "https://c.example/keys"',
      '}',
    ].join('\n');
    expect(reported(text)).toEqual([
      '5:12 error "oidc": provider "b": jwks-url must be a URL that begins with https://',
      '4:10 error "oidc": provider "b": provider "a" has the same issuer',
      '8:1 warning "oidc": provider "c" is disabled, so none of its tokens is accepted',
    ]);
  });

  it('report nothing about keys that failed to parse', () => {
    const text = 'oidc { enabled #true; audience "x" }\noidc { enabled #true; audience "x" }';
    expect(reported(text).filter((line) => !line.includes('is missing'))).toEqual([]);
  });
});

describe('the mtls block', () => {
  it('has a default for each key', () => {
    expect(mtls({ mtls: {} })).toEqual({
      enabled: false,
      clientCertHeader: 'X-Client-Cert',
      caCertPath: null,
      crlFiles: [],
      allowedDns: [],
      allowedSans: [],
      userIdFrom: [],
      extractCnAsUser: null,
      extractSanEmailAsUser: null,
    });
    expect(decodeAgentOptions({ mtls: null }).options).toEqual({});
  });

  it('is parsed completely', () => {
    const full = {
      enabled: true,
      'client-cert-header': 'Client-Cert',
      'ca-cert-path': '/ca.pem',
      'crl-file': ['/a.crl', '/b.pem'],
      'allowed-dns': ['CN=a,O=b', 'CN=c'],
      'allowed-sans': 'a.example',
      'extract-cn-as-user': false,
      'extract-san-email-as-user': true,
    };
    expect(mtls({ mtls: full })).toEqual({
      enabled: true,
      clientCertHeader: 'Client-Cert',
      caCertPath: '/ca.pem',
      crlFiles: ['/a.crl', '/b.pem'],
      allowedDns: ['CN=a,O=b', 'CN=c'],
      allowedSans: ['a.example'],
      userIdFrom: [],
      extractCnAsUser: false,
      extractSanEmailAsUser: true,
    });
  });

  it.each<readonly [JsonObject, string]>([
    [{ mtls: true }, 'config: "mtls" needs a block'],
    [{ mtls: { name: 'x' } }, 'config.mtls: unknown key "name" in mtls'],
    [{ mtls: [{}, {}] }, 'config: "mtls" is given twice'],
    [
      { mtls: { 'client-cert-header': 'X Y' } },
      'config.mtls.client-cert-header: "client-cert-header" must be a header name, not "X Y"',
    ],
  ])('is refused if it is %j', (json, message) => {
    expect(messages(json)).toContain(message);
    expect(decodeAgentOptions(json).options).toBeNull();
  });

  it('reports problems at its position', () => {
    const text = [
      'mtls {',
      '  enabled #true',
      '  ca-cert-path "/ca.pem"',
      '  client-cert-header "Authorization"',
      '  extract-cn-as-user #false',
      '}',
    ].join('\n');
    expect(reported(text)).toEqual([
      '5:22 error "mtls": extract-cn-as-user and extract-san-email-as-user are both #false, so certificates have no user',
      '4:22 error "mtls": the header Authorization has a standard meaning: use another header',
    ]);
  });
});
