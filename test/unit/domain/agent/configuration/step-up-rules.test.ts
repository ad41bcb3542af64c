import { describe, expect, it } from 'vitest';
import { completeAgentOptions } from '../../../../../src/domain/agent/configuration/agent-option-rules.js';
import { decodeAgentOptions } from '../../../../../src/domain/agent/configuration/decode-agent-options.js';
import type { JsonObject } from '../../../../../src/domain/shared/json.js';

const saml: JsonObject = {
  enabled: true,
  'entity-id': 'https://app.example/saml',
  'acs-url': 'https://app.example.com/saml/acs',
  'idp-metadata-url': 'https://id.example/metadata',
  'protected-paths': ['/app', '/saml-only'],
  'excluded-paths': ['/app/public'],
};

const login = (name: string, members: JsonObject = {}): JsonObject => ({
  name,
  issuer: 'https://id.example',
  'client-id': 'portal',
  'public-url': 'https://app.example.com',
  'protected-paths': ['/app'],
  ...members,
});

const corp = login('corp', { 'acr-values': ['urn:mfa', 'urn:pwd'] });

const checked = (
  require: JsonObject | readonly JsonObject[],
  config: JsonObject = { saml, 'oidc-login': [corp, login('other')] },
) => {
  const decoded = decodeAgentOptions({ ...config, sessions: { require } as JsonObject });
  if (decoded.options === null) return { required: null, texts: decoded.problems.map(({ message }) => message) };
  const { options, problems } = completeAgentOptions(decoded.options, new Map());
  const texts = problems.map(({ severity, option, message }) => `${severity} ${option}: ${message}`);
  return { required: options?.requiredPaths ?? null, texts, problems };
};

describe('a require block', () => {
  it('has a path and at least one key', () => {
    const { required, texts } = checked([
      { name: '/app/admin', provider: 'corp', 'acr-values': ['urn:mfa'], 'max-age-secs': 300 },
      { name: '/saml-only', provider: 'saml' },
      { name: '/app', 'max-age-secs': 1 },
    ]);
    expect(texts).toEqual([]);
    expect(required).toEqual([
      { path: '/app/admin', provider: 'corp', acrValues: ['urn:mfa'], maxAgeSecs: 300 },
      { path: '/saml-only', provider: 'saml', acrValues: [], maxAgeSecs: null },
      { path: '/app', provider: null, acrValues: [], maxAgeSecs: 1 },
    ]);
  });

  it('may name a way that does not protect the path itself', () => {
    expect(checked([{ name: '/saml-only', provider: 'other' }]).texts).toEqual([]);
  });

  it.each<[string, JsonObject | readonly JsonObject[], string]>([
    ['requires nothing', { name: '/app' }, 'require "/app": it requires nothing'],
    ['has no path', { 'max-age-secs': 1 }, 'require 1: it has no path'],
    [
      'has a relative path',
      { name: 'app', 'max-age-secs': 1 },
      'require "app": the path must be a path that begins with /, without a query',
    ],
    [
      'has a path that is not normal',
      { name: '/app//x', 'max-age-secs': 1 },
      'require "/app//x": the path must be in its normal form: "/app/x"',
    ],
    [
      'has a pattern',
      { name: '/app/*', 'max-age-secs': 1 },
      'require "/app/*": the path must not contain "*": prefixes cover all paths below: write "/app"',
    ],
    [
      'names an unknown provider',
      { name: '/app', provider: 'Corp' },
      'require "/app": no enabled way to sign on is named "Corp"',
    ],
    ['has an open path', { name: '/', 'max-age-secs': 1 }, 'require "/": no way to sign on protects the path'],
    [
      'asks a login for what it never accepts',
      { name: '/app', provider: 'corp', 'acr-values': ['urn:x'] },
      'require "/app": acr-values has no value in common with those that "corp" accepts',
    ],
    [
      'repeats a value',
      { name: '/app', 'acr-values': ['urn:mfa', 'urn:mfa'] },
      'require "/app": acr-values repeats a value',
    ],
    [
      'has too many values',
      { name: '/app', 'acr-values': Array.from({ length: 17 }, (_, index) => `a${index}`) },
      'require "/app": acr-values has more than 16 values',
    ],
    [
      'has the path of another block',
      [
        { name: '/app/x', 'max-age-secs': 1 },
        { name: '/APP/X/', 'max-age-secs': 1 },
      ],
      'require "/APP/X/": an earlier block has the same path',
    ],
    [
      'is one of too many',
      Array.from({ length: 101 }, (_, index) => ({ name: `/app/${index}`, 'max-age-secs': 1 })),
      'there are more than 100 require blocks',
    ],
  ])('is refused if it %s', (_, require, text) => {
    const { required, texts } = checked(require);
    expect(required).toBeNull();
    expect(texts).toContain(`error sessions: ${text}`);
  });

  it.each<[string, JsonObject]>([
    ['there is no way to sign on', { 'jwt-secret': 'a-secret-of-at-least-thirty-two-bytes' }],
    ['no way to sign on is enabled', { saml: { ...saml, enabled: false } }],
  ])('is refused if %s', (_, config) => {
    const { texts } = checked([{ name: '/app', 'max-age-secs': 1 }], config);
    expect(texts).toContain('error sessions: require has no effect without an enabled way to sign on');
  });

  it('is refused if every way excludes its path', () => {
    const { texts } = checked([{ name: '/app/public/x', 'max-age-secs': 1 }], { saml });
    expect(texts).toEqual(['error sessions: require "/app/public/x": no way to sign on protects the path']);
  });

  it('is refused if no way accepts what it asks', () => {
    const { texts } = checked([{ name: '/app', 'acr-values': ['urn:x'] }], { 'oidc-login': [corp] });
    expect(texts).toEqual([
      'error sessions: require "/app": acr-values has no value in common with those that every way to sign on accepts',
    ]);
    // The other login accepts any value.
    expect(checked([{ name: '/app', 'acr-values': ['urn:x'] }]).texts).toEqual([]);
  });

  it.each([
    [{ name: '/app', 'max-age-secs': 0 }],
    [{ name: '/app', 'max-age-secs': 31_536_001 }],
    [{ name: '/app', 'acr-values': ['a b'] }],
    [{ name: '/app', 'acr-values': ['a\nb'] }],
    [{ name: '/app', 'max-age-secs': 1, 'max-age': 1 }],
  ])('is refused with %j', (require) => {
    expect(checked(require).required).toBeNull();
  });

  it('is located at its key, or at the block', () => {
    const { problems } = checked([
      { name: '/app', 'max-age-secs': 1 },
      { name: '/app/x', provider: 'none' },
      { name: '/app/y' },
    ]);
    expect(problems?.map(({ place }) => place)).toEqual([{ block: 1, key: 'provider' }, { block: 2 }]);
  });
});

describe('a login', () => {
  it('cannot have the name of saml', () => {
    const { texts } = checked([], { saml, 'oidc-login': [login('saml')] });
    expect(texts).toEqual(['error oidc-login: login "saml": saml is enabled and has that name']);
    expect(checked([], { saml: { ...saml, enabled: false }, 'oidc-login': [login('saml')] }).required).toEqual([]);
  });
});
