import { describe, expect, it } from 'vitest';
import { completeAgentOptions } from '../../../../../src/domain/agent/configuration/agent-option-rules.js';
import { decodeAgentOptions } from '../../../../../src/domain/agent/configuration/decode-agent-options.js';
import type { JsonObject } from '../../../../../src/domain/shared/json.js';

const introspection = (more: JsonObject = {}): JsonObject => ({
  url: 'https://id.example/introspect',
  'client-id': 'api',
  'client-secret': 'a-secret',
  ...more,
});

const block = (more: JsonObject = {}): JsonObject => ({
  name: 'corp',
  enabled: true,
  issuer: 'https://id.example',
  audience: 'api',
  introspection: introspection(),
  ...more,
});

const checked = (oidc: JsonObject | readonly JsonObject[]) => {
  const decoded = decodeAgentOptions({ oidc });
  if (decoded.options === null) return { problems: decoded.problems, providers: [] };
  const { options, problems } = completeAgentOptions(decoded.options, new Map());
  return { problems, providers: options?.oidc ?? [] };
};

describe('the introspection block', () => {
  it('has a default for cache-secs alone', () => {
    const { problems, providers } = checked(block());
    expect(problems).toEqual([]);
    expect(providers[0]?.introspection).toMatchObject({ clientId: 'api', cacheMs: 30_000 });
  });

  it('is off with enabled #false', () => {
    expect(checked(block({ introspection: introspection({ enabled: false }) })).providers[0]?.introspection).toBeNull();
  });

  it.each(['http://127.0.0.1:8080/x', 'http://[::1]/x', 'http://localhost/x', 'https://id.example:8443/a?b=c'])(
    'accepts the url %s',
    (url) => {
      expect(checked(block({ introspection: introspection({ url }) })).problems).toEqual([]);
    },
  );

  it.each<[string, JsonObject, RegExp]>([
    ['an http url', { url: 'http://id.example/x' }, /url is not https: an attacker on the network can read tokens/],
    ['a url without a scheme', { url: 'id.example/x' }, /url must be a URL/],
    ['a url with a password', { url: 'https://u:p@id.example/x' }, /must not contain a user name or a password/],
    ['a url with a fragment', { url: 'https://id.example/x#y' }, /must not contain a fragment/],
    ['an empty client-id', { 'client-id': '' }, /client-id/],
    ['an empty client-secret', { 'client-secret': '' }, /client-secret/],
    ['a negative cache-secs', { 'cache-secs': -1 }, /cache-secs/],
    ['a long cache-secs', { 'cache-secs': 3601 }, /cache-secs/],
    ['an unknown key', { timeout: 5 }, /timeout/],
  ])('refuses %s', (_, more, message) => {
    const { problems, providers } = checked(block({ introspection: introspection(more) }));
    expect(problems.map((problem) => problem.message).join()).toMatch(message);
    expect(problems.some(({ severity }) => severity === 'error')).toBe(true);
    expect(providers).toEqual([]);
  });

  it.each(['url', 'client-id', 'client-secret'])('refuses a block without %s', (key) => {
    const { [key]: _, ...others } = introspection();
    expect(checked(block({ introspection: others })).problems[0]?.message).toContain(`"${key}" is missing`);
  });

  it('is refused in a second block, and with tenants', () => {
    const two = [block(), block({ name: 'b', issuer: 'https://b.example' })];
    expect(checked(two).problems).toMatchObject([
      { message: 'provider "b": introspection is already in provider "corp"', place: { block: 1, isConcealed: true } },
    ]);
    const tenants = block({ issuer: 'https://id.example/{tenantid}', tenants: ['one'] });
    expect(checked(tenants).problems).toMatchObject([
      { message: expect.stringContaining('cannot be used with tenants') as unknown },
    ]);
  });

  it('may be in a disabled block beside another one', () => {
    const disabled = block({ name: 'b', issuer: 'https://b.example', enabled: false });
    expect(checked([disabled, block()]).problems.filter(({ severity }) => severity === 'error')).toEqual([]);
  });
});
