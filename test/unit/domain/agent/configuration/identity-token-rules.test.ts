import { describe, expect, it } from 'vitest';
import { completeAgentOptions } from '../../../../../src/domain/agent/configuration/agent-option-rules.js';
import { decodeAgentOptions } from '../../../../../src/domain/agent/configuration/decode-agent-options.js';
import type { JsonObject } from '../../../../../src/domain/shared/json.js';

const least: JsonObject = { issuer: 'https://gw.example.com', 'signing-key-file': 'key.pem' };

const checked = (block: JsonObject, config: JsonObject = {}) => {
  const decoded = decodeAgentOptions({ 'api-keys': 'a-long-key:ann', ...config, 'identity-token': block });
  if (decoded.options === null) return { options: null, texts: decoded.problems.map(({ message }) => message) };
  const { options, problems } = completeAgentOptions(decoded.options, new Map());
  return { options, texts: problems.map(({ severity, message }) => `${severity}: ${message}`) };
};
const textsOf = (more: JsonObject, config?: JsonObject) => checked({ ...least, ...more }, config).texts;

describe('the identity-token block', () => {
  it('has the documented defaults', () => {
    expect(checked(least)).toMatchObject({
      texts: [],
      options: {
        identityToken: {
          issuer: 'https://gw.example.com',
          signingKeyFiles: ['key.pem'],
          signingAlgorithm: 'ES256',
          audience: '{upstream}',
          header: 'X-Identity-Token',
          ttlMs: 60_000,
          jwksPath: '/.well-known/jwks.json',
        },
      },
    });
  });

  it('needs an issuer and a key', () => {
    expect(checked({ 'signing-key-file': 'a' }).texts[0]).toContain('"issuer" is missing');
    expect(checked({ issuer: 'https://gw.example.com' }).texts).toEqual(['error: signing-key-file is missing']);
    expect(textsOf({ 'signing-key-file': ['a', 'a'] })).toEqual(['error: signing-key-file contains a twice']);
    expect(textsOf({ 'signing-key-file': Array.from({ length: 17 }, (_, at) => `k${at}`) })).toEqual([
      'error: signing-key-file has more than 16 values',
    ]);
  });

  it.each([
    ['gateway', 'error: issuer must be a URL that begins with https://'],
    ['https://u:p@gw.example.com', 'error: issuer must not contain a user name or a password'],
    ['https://gw.example.com/#x', 'error: issuer must not contain a fragment'],
    ['https://gw.example.com/?x=1', 'error: issuer must not contain a query'],
    ['http://gw.example.com', 'warning: issuer is not https: an attacker on the network'],
  ])('reports the issuer %s', (issuer, text) => {
    expect(textsOf({ issuer }).join()).toContain(text);
  });

  it.each([
    [{ 'signing-algorithm': 'HS256' }, 'signing-algorithm'],
    [{ 'signing-algorithm': 'none' }, 'signing-algorithm'],
    [{ audience: '' }, 'audience'],
    [{ audience: '{route}' }, 'may contain only the placeholder {upstream}'],
    [{ audience: '{upstream' }, 'may contain only the placeholder {upstream}'],
    [{ 'ttl-secs': 1 }, 'ttl-secs'],
    [{ 'ttl-secs': 3_601 }, 'ttl-secs'],
    [{ header: 'X Token' }, 'header'],
    [{ header: 'Authorization' }, 'the header Authorization has a standard meaning'],
    [{ header: 'X-User-Id' }, 'the header X-User-Id is already an identity header'],
    [{ header: 'x-auth-claim-token' }, 'is already an identity header'],
    [{ header: 'Connection' }, 'belongs to message framing'],
    [{ 'jwks-path': 'keys' }, 'jwks-path must be a path that begins with /'],
    [{ 'jwks-path': '/a/../keys' }, 'jwks-path must be in its normal form: "/keys"'],
    [{ 'jwks-path': '/keys?a' }, 'jwks-path must be a path'],
    [{ wrong: 1 }, 'wrong'],
  ])('refuses %j', (more, text) => {
    const texts = textsOf(more);
    expect(texts).toHaveLength(1);
    expect(texts[0]).toContain(text);
  });

  it('refuses a header and a path that something else uses', () => {
    expect(textsOf({ header: 'x_login' }, { 'user-id-header': 'X-Login' })).toEqual([
      'error: user-id-header already uses the header x_login',
    ]);
    const mapping = { 'jwt-secret': 'a-secret-of-more-than-thirty-two-octets', 'claim-mapping': { email: 'X-Token' } };
    expect(textsOf({ header: 'X-Token' }, mapping)).toEqual([
      'error: header of identity-token already uses the header X-Token',
    ]);
    const saml = {
      enabled: true,
      'entity-id': 'https://app.example/saml',
      'acs-url': 'https://app.example.com/saml/acs',
      'idp-metadata-url': 'https://id.example/metadata',
    };
    expect(textsOf({ 'jwks-path': '/saml/acs' }, { saml })).toEqual([
      'error: jwks-path and acs-path of saml are the same path',
    ]);
  });

  it.each([
    ['callback-path', '/oidc/callback/corp'],
    ['login-path', '/oidc/login'],
    ['logout-path', '/oidc/logout'],
    ['backchannel-logout-path', '/oidc/backchannel-logout'],
    ['frontchannel-logout-path', '/oidc/frontchannel-logout'],
  ])('refuses the %s of a login', (key, path) => {
    const login = {
      name: 'corp',
      issuer: 'https://id.example.com',
      'client-id': 'portal',
      'public-url': 'https://portal.example.com',
    };
    expect(textsOf({ 'jwks-path': path }, { 'oidc-login': login })).toEqual([
      `error: jwks-path and ${key} of login "corp" are the same path`,
    ]);
  });

  it('warns if another token has the same issuer', () => {
    const oidc = { enabled: true, issuer: 'https://gw.example.com', audience: 'x' };
    expect(textsOf({}, { oidc }).join()).toContain('issuer is also that of a provider in oidc');
  });
});
