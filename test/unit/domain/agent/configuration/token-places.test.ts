import { describe, expect, it } from 'vitest';
import { completeAgentOptions } from '../../../../../src/domain/agent/configuration/agent-option-rules.js';
import { decodeAgentOptions } from '../../../../../src/domain/agent/configuration/decode-agent-options.js';
import { secretHeaders } from '../../../../../src/domain/agent/configuration/secret-headers.js';
import type { JsonObject } from '../../../../../src/domain/shared/json.js';

const block = (more: JsonObject): JsonObject => ({
  name: 'corp',
  enabled: true,
  issuer: 'https://id.example',
  audience: 'api',
  ...more,
});

const problems = (config: JsonObject): string => {
  const decoded = decodeAgentOptions(config);
  const found = decoded.options === null ? decoded.problems : completeAgentOptions(decoded.options, new Map()).problems;
  return found.map(({ message }) => message).join('\n');
};

const saml: JsonObject = {
  enabled: true,
  'entity-id': 'https://sp.example',
  'acs-url': 'https://sp.example/saml/acs',
  'idp-metadata-url': 'https://id.example/metadata',
};

describe('token-header and token-cookie', () => {
  it.each<[string, JsonObject, RegExp]>([
    ['a text that is no header name', { oidc: block({ 'token-header': 'a b' }) }, /header name/],
    ['Authorization', { oidc: block({ 'token-header': 'Authorization' }) }, /Authorization has a standard meaning/],
    ['an identity header', { oidc: block({ 'token-header': 'X-User-Id' }) }, /X-User-Id/],
    ['the certificate header', { oidc: block({ 'token-header': 'X-Client-Cert' }) }, /X-Client-Cert is an identity/],
    ['the header of API keys', { 'api-keys': 'k:n', oidc: block({ 'token-header': 'x_api_key' }) }, /api-key-header/],
    ['a list', { oidc: block({ 'token-header': ['X-A', 'X-B'] }) }, /token-header/],
    ['a text that is no cookie name', { oidc: block({ 'token-cookie': 'a;b' }) }, /must be the name of a cookie/],
    ['a cookie name that is too long', { oidc: block({ 'token-cookie': 'a'.repeat(129) }) }, /at most 128/],
    ['an empty cookie name', { oidc: block({ 'token-cookie': '' }) }, /must be the name of a cookie/],
    [
      'the session cookie',
      { saml, oidc: block({ 'token-cookie': 'gateway_saml_session' }) },
      /provider "corp": token-cookie is the name of the session cookie/,
    ],
  ])('refuse %s', (_, config, message) => {
    expect(problems(config)).toMatch(message);
  });

  it('accept a header that two blocks share', () => {
    const [one, two] = [
      block({ 'token-header': 'X-T' }),
      block({ 'token-header': 'x-t', name: 'b', issuer: 'https://b.example' }),
    ];
    expect(problems({ oidc: [one, two] })).toBe('');
  });

  it('make the header one that carries a credential, unless the block is disabled', () => {
    const headersOf = (config: JsonObject) => secretHeaders(decodeAgentOptions(config).options ?? {});
    const place = { block: 0, key: 'token-header' };
    expect(headersOf({ oidc: block({ 'token-header': 'X-T' }) })).toEqual([{ option: 'oidc', name: 'X-T', place }]);
    expect(headersOf({ oidc: block({ 'token-header': 'X-T', enabled: false }) })).toEqual([]);
  });
});
