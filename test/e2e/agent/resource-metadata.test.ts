import { describe, expect } from 'vitest';
import { it } from '../../support/shared/fixtures.js';
import { type GatewayStack, startStack } from '../../support/shared/gateway-stack.js';

const agentConfig = `
  jwt-secret "a-secret-of-more-than-thirty-two-octets"
  basic-auth-users "ann:a-long-password"
  resource-metadata { resource "https://api.example.com"; authorization-servers "https://id.example.com" }
  resource-metadata {
    resource "https://api.example.com/admin"
    authorization-servers "https://one.example.com" "https://two.example.com"
  }
  resource-metadata { resource "https://other.example.com/admin"; authorization-servers "https://id.example.com" }`;

const wellKnown = '/.well-known/oauth-protected-resource';

describe.each(['embedded', 'socket'] as const)('an agent (%s) with resource-metadata', (transport) => {
  let stack: GatewayStack;
  it.beforeAll(async ({ fileCleanUp }) => {
    stack = await startStack(fileCleanUp, { transport, agentConfig });
    await stack.agentsPresent();
  });

  const ask = (path: string, host: string, headers: Record<string, string> = {}, method = 'GET') =>
    stack.ask({ path, method, headers: { Host: host, ...headers } });
  /** The URL that a 401 names. */
  const named = async (path: string, host: string, headers: Record<string, string> = {}) => {
    const answer = await ask(path, host, headers);
    expect(answer.status).toBe(401);
    return /^Bearer .*resource_metadata="([^"]*)"/.exec(String(answer.headers['www-authenticate']))?.[1] ?? null;
  };

  it('serves the metadata without credentials, for pages of every origin', async () => {
    const answer = await ask(wellKnown, 'api.example.com', { Origin: 'https://app.example' });
    expect(answer.status).toBe(200);
    expect(answer.headers['content-type']).toBe('application/json');
    expect(answer.headers['access-control-allow-origin']).toBe('*');
    expect(JSON.parse(answer.body)).toEqual({
      resource: 'https://api.example.com',
      authorization_servers: ['https://id.example.com'],
      bearer_methods_supported: ['header'],
    });
    const preflight = await ask(wellKnown, 'api.example.com', { Origin: 'https://app.example' }, 'OPTIONS');
    expect([preflight.status, preflight.headers['access-control-allow-origin']]).toEqual([204, '*']);
    expect((await ask(wellKnown, 'api.example.com', {}, 'POST')).status).toBe(405);
    expect(stack.upstream.received).toEqual([]);
  });

  it('chooses by host, then by path', async () => {
    const resource = async (host: string) => JSON.parse((await ask(`${wellKnown}/admin`, host)).body) as unknown;
    expect(await resource('api.example.com')).toMatchObject({ resource: 'https://api.example.com/admin' });
    expect(await resource('OTHER.example.com')).toMatchObject({ resource: 'https://other.example.com/admin' });
    expect((await ask(`${wellKnown}/admin`, 'evil.example')).status).toBe(404);
    expect((await ask(wellKnown, 'other.example.com')).status).toBe(404);
  });

  it('names it in every 401, with the reason of the refusal', async () => {
    const all = `https://api.example.com${wellKnown}`;
    expect(await named('/', 'api.example.com')).toBe(all);
    expect(await named('/administration', 'api.example.com')).toBe(all);
    expect(await named('/admin', 'api.example.com')).toBe(`${all}/admin`);
    expect(await named('/admin/users?x=1', 'api.example.com')).toBe(`${all}/admin`);
    expect(await named('/admin', 'other.example.com')).toBe(`https://other.example.com${wellKnown}/admin`);
    expect(await named('/', 'other.example.com')).toBeNull();
    expect(await named('/', 'evil.example')).toBeNull();
    expect(await named('/', 'api.example.com', { Authorization: 'Bearer nonsense' })).toBe(all);
    expect(await named('/', 'api.example.com', { Authorization: 'Basic YW5uOndyb25n' })).toBe(all);
  });
});
