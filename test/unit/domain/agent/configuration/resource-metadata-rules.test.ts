import { describe, expect, it } from 'vitest';
import { completeAgentOptions } from '../../../../../src/domain/agent/configuration/agent-option-rules.js';
import { decodeAgentOptions } from '../../../../../src/domain/agent/configuration/decode-agent-options.js';
import type { JsonObject, JsonValue } from '../../../../../src/domain/shared/json.js';

const server = 'https://id.example.com';
const checked = (blocks: JsonValue, config: JsonObject = {}) => {
  const decoded = decodeAgentOptions({ 'api-keys': 'a-long-key:ann', ...config, 'resource-metadata': blocks });
  if (decoded.options === null) return { resources: [], texts: decoded.problems.map(({ message }) => message) };
  const { options, problems } = completeAgentOptions(decoded.options, new Map());
  const texts = problems.map(({ severity, message }) => `${severity}: ${message}`);
  return { resources: options?.resources ?? [], texts };
};
const block = (resource: string, servers: JsonValue = server): JsonObject => ({
  resource,
  'authorization-servers': servers,
});

describe('resource-metadata', () => {
  it.each([
    ['https://api.example.com', 'api.example.com', '', '/.well-known/oauth-protected-resource'],
    ['https://api.example.com/', 'api.example.com', '', '/.well-known/oauth-protected-resource'],
    ['https://API.example.com:443/a/b', 'api.example.com', '/a/b', '/.well-known/oauth-protected-resource/a/b'],
    ['http://127.0.0.1:8080/a/', '127.0.0.1:8080', '/a/', '/.well-known/oauth-protected-resource/a/'],
  ])('of %s is at the well-known path and its own', (resource, host, path, metadataPath) => {
    const { resources, texts } = checked(block(resource));
    expect(texts).toEqual([]);
    expect(resources[0]).toMatchObject({ resource, host, path, metadataPath, authorizationServers: [server] });
  });

  it.each([
    [block('api.example.com'), 'error: resource must be a URL that begins with https://'],
    [block('https://u:p@api.example.com'), 'error: resource must not contain a user name or a password'],
    [block('https://api.example.com/#a'), 'error: resource must not contain a fragment'],
    [block('https://api.example.com/?a=b'), 'error: resource must not contain a query'],
    [block('https://api.example.com/a"b'), 'error: resource must percent-encode the characters'],
    [block('https://api.example.com/a\\b'), 'error: resource must percent-encode the characters'],
    [block('https://api.example.com/a/../b'), 'error: the path of resource must be in its normal form: "/b"'],
    [block('http://api.example.com'), 'warning: resource is not https: an attacker on the network'],
    [block('https://api.example.com', []), 'error: authorization-servers is missing'],
    [block('https://api.example.com', 'id'), 'error: authorization-servers must be a URL'],
    [
      block('https://api.example.com', 'https://id.example.com/?a'),
      'error: authorization-servers must not contain a query',
    ],
    [{ resource: 'https://api.example.com', wrong: 1 }, 'wrong'],
    [{ 'authorization-servers': server }, '"resource" is missing'],
    ['https://api.example.com', 'needs a block'],
  ])('refuses or reports %j', (given, text) => {
    expect(checked(given).texts[0]).toContain(text);
  });

  it('refuses a resource twice, and the path of another endpoint', () => {
    const twice = [block('https://api.example.com/a'), block('https://API.example.com:443/a')];
    expect(checked(twice).texts).toEqual(['error: an earlier block has the same resource']);
    expect(checked([block('https://a.example.com'), block('https://b.example.com')]).texts).toEqual([]);
    const token = {
      issuer: 'https://gw.example.com',
      'signing-key-file': 'key.pem',
      'jwks-path': '/.well-known/oauth-protected-resource/a',
    };
    expect(checked(block('https://api.example.com/a'), { 'identity-token': token }).texts).toEqual([
      'error: the metadata path and jwks-path of identity-token are the same path',
    ]);
  });

  it('has limits', () => {
    const many = Array.from({ length: 101 }, (_, at) => block(`https://h${at}.example.com`));
    expect(checked(many).texts).toEqual(['error: there are more than 100 resource-metadata blocks']);
    const servers = Array.from({ length: 17 }, (_, at) => `https://id${at}.example.com`);
    expect(checked(block('https://api.example.com', servers)).texts).toEqual([
      'error: authorization-servers has more than 16 values',
    ]);
  });
});
