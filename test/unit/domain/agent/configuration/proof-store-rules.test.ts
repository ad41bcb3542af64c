import { describe, expect, it } from 'vitest';
import { completeAgentOptions } from '../../../../../src/domain/agent/configuration/agent-option-rules.js';
import type { JsonObject } from '../../../../../src/domain/shared/json.js';
import { optionsOf } from '../../../../support/agent/test-agent.js';

const oidc = { enabled: true, issuer: 'https://id.example', audience: 'api' };
const login = {
  name: 'corp',
  issuer: 'https://id.example',
  'client-id': 'portal',
  'public-url': 'https://portal.example',
};

const complete = (config: JsonObject) => {
  const { options, problems } = completeAgentOptions(optionsOf(config), new Map());
  const texts = problems.map(({ severity, option, message }) => `${severity} ${option}: ${message}`);
  const { proofStore: store, sessions, trustedOrigins: trusted } = options ?? {};
  return { store, sessions, trusted, texts };
};

describe('the store of used proofs', () => {
  it('is memory without a block sessions, and none without tokens', () => {
    expect(complete({ oidc }).store).toEqual({ store: { kind: 'memory' }, namespace: '' });
    expect(complete({ 'jwt-secret': 'a secret of more than 32 bytes, for tests' }).store).not.toBeNull();
    expect(complete({ 'api-keys': 'a-key-of-a-service-123:billing' }).store).toBeNull();
  });

  it('is that of sessions, with or without a way to sign on', () => {
    const sessions = { store: 'sqlite', path: '/var/lib/s.db' };
    const store = { kind: 'sqlite', path: '/var/lib/s.db' };
    expect(complete({ oidc, sessions })).toMatchObject({ store: { store, namespace: '' }, sessions: null, texts: [] });
    const both = complete({ oidc, sessions, 'oidc-login': login });
    expect(both.store).toEqual({ store, namespace: 'https://portal.example' });
    expect(both.sessions).toMatchObject({ store });
  });

  it.each<readonly [JsonObject, string]>([
    [{ 'ttl-secs': 60 }, 'only store, path and url have an effect'],
    [{ 'cookie-name': 'x' }, 'only store, path and url have an effect'],
    [{ 'cookie-secure': false }, 'only store, path and url have an effect'],
    [{ 'return-hosts': 'a.example' }, 'only store, path and url have an effect'],
    [{ 'former-cookie-names': 'x' }, 'only store, path and url have an effect'],
    [{ store: 'redis' }, 'url is missing'],
    [{ store: 'memory', path: '/s.db' }, 'path has no effect'],
  ])('refuses %j without a way to sign on', (sessions, message) => {
    const { store, texts } = complete({ oidc, sessions });
    expect(store).toBeUndefined();
    expect(texts).toEqual([expect.stringContaining(message)]);
  });

  it('allows allow-origins beside it for a token-cookie, and not without', () => {
    const sessions = { store: 'memory', 'allow-origins': 'https://app.example' };
    expect(complete({ oidc, sessions }).texts).toEqual([expect.stringContaining('only store, path and url have')]);
    expect(complete({ oidc: { ...oidc, 'token-cookie': 'token' }, sessions })).toMatchObject({
      texts: [],
      trusted: ['https://app.example'],
    });
    const many = Array.from({ length: 1_001 }, (_, index) => `https://app-${index}.example`);
    const crowded = complete({
      oidc: { ...oidc, 'token-cookie': 'token' },
      sessions: { ...sessions, 'allow-origins': many },
    });
    expect(crowded.texts).toEqual([expect.stringContaining('allow-origins has more than 1000 origins')]);
  });

  it('is no reason for a block sessions without tokens', () => {
    const { texts } = complete({ sessions: { store: 'memory' }, 'api-keys': 'a-key-of-a-service-123:billing' });
    expect(texts).toEqual(['error sessions: it has no effect without a way to sign on and without tokens']);
  });
});
