import { describe, expect, it } from 'vitest';
import { requestEvent, startedTestAgent } from '../../../../support/agent/test-agent.js';

const metadata = { resource: 'https://api.example.com', 'authorization-servers': 'https://id.example.com' };
const url = 'https://api.example.com/.well-known/oauth-protected-resource';
const login = {
  name: 'corp',
  issuer: 'https://id.example.com',
  'authorization-url': 'https://id.example.com/authorize',
  'token-url': 'https://id.example.com/token',
  'jwks-url': 'https://id.example.com/keys',
  'client-id': 'portal',
  'public-url': 'https://portal.example.com',
  'protected-paths': '/',
};

const challenges = async (headers: readonly string[]): Promise<readonly string[]> => {
  const { agent } = await startedTestAgent({
    'jwt-secret': 'a secret of more than 32 bytes, for tests alone',
    'basic-auth-users': 'ann:a-long-password',
    'resource-metadata': metadata,
    'oidc-login': login,
    sessions: { store: 'memory' },
  });
  const { decision } = await agent.decide(requestEvent(headers), Symbol('connection'));
  await agent.stop();
  if (decision.kind !== 'block' || decision.status !== 401) return [JSON.stringify(decision)];
  return decision.headers.filter((_, index) => decision.headers[index - 1] === 'WWW-Authenticate');
};

describe('a 401 of an agent with resource-metadata', () => {
  it.each<readonly [string, readonly string[]]>([
    ['without a credential', []],
    ['with a bad token', ['authorization', 'Bearer x']],
    ['with a bad token of the scheme DPoP', ['authorization', 'DPoP x']],
    ['with a bad password', ['authorization', 'Basic YW5uOndyb25n']],
    ['with two credentials', ['authorization', 'Bearer x', 'authorization', 'Bearer y']],
  ])('names the metadata %s, in the Bearer challenge alone', async (_, headers) => {
    const found = await challenges(['host', 'api.example.com', ...headers]);
    expect(found.filter((text) => text.startsWith('Bearer '))).toEqual([
      expect.stringContaining(`, resource_metadata="${url}"`),
    ]);
    expect(found.filter((text) => !text.startsWith('Bearer ')).join()).not.toContain('resource_metadata');
  });

  it('names it for a navigation to a host at which nobody can sign on', async () => {
    const navigation = ['sec-fetch-mode', 'navigate', 'sec-fetch-dest', 'document', 'accept', 'text/html'];
    const found = await challenges(['host', 'evil.example', ...navigation]);
    expect(found).toEqual([`Bearer realm="gateway", resource_metadata="${url}"`]);
  });
});
