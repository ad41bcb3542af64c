import { beforeEach, describe, expect } from 'vitest';
import { LiveOidcProvider } from '../../support/agent/live-oidc-provider.js';
import { type ReceivedRequest, valuesOf } from '../../support/gateway/recording-upstream.js';
import { everyTransport, startEveryTransport } from '../../support/shared/every-transport.js';
import { it } from '../../support/shared/fixtures.js';
import type { GatewayStack } from '../../support/shared/gateway-stack.js';

const provider = new LiveOidcProvider();
const header = 'Cf-Access-Jwt-Assertion';
let stack: GatewayStack;
let token: string;
let foreign: string;

const oidc = (): string => `
  oidc "edge" {
    enabled #true; issuer "${provider.issuer}"; jwks-url "${provider.jwksUrl}"; audience "api"
    token-header "${header}"; token-cookie "CF_Authorization"
  }`;

it.beforeAll(async ({ fileCleanUp }) => {
  await provider.start({ kid: 'first', algorithm: 'ES256' });
  fileCleanUp.add(() => provider.stop());
  token = await provider.token();
  foreign = await provider.token({ resource: 'urn:other' });
  stack = await startEveryTransport(fileCleanUp, oidc(), [
    `agents { agent "keeps" { transport "embedded"; config { forward-credentials #true; ${oidc()} } } }
     routes { route "keeps" { matches { path-prefix "/keeps" }; upstream "back"; agents "keeps" } }`,
  ]);
});
beforeEach(() => stack.upstream.reset());

const only = (): ReceivedRequest => {
  const [request, more] = stack.upstream.received;
  if (request === undefined || more !== undefined) throw new Error(`${stack.upstream.received.length} requests`);
  return request;
};

const ask = (path: string, headers: readonly string[], method = 'GET') =>
  stack.ask({ path, method, headers: ['Host', `127.0.0.1:${stack.port}`, ...headers] });

describe.each(everyTransport)('a token outside Authorization, agent over %s', (transport) => {
  const path = `/${transport}`;

  it('passes in its header, in any case, and does not reach the upstream', async () => {
    expect((await ask(path, [header.toUpperCase(), token])).status).toBe(200);
    expect(valuesOf(only(), 'x-user-id')).toEqual(['orders-service']);
    expect(only().rawHeaders.join('\n')).not.toContain(token);
  });

  it('passes in its cookie, and only other cookies reach the upstream', async () => {
    expect((await ask(path, ['Cookie', `a=1; CF_Authorization=${token}; b=2`])).status).toBe(200);
    expect(valuesOf(only(), 'x-user-id')).toEqual(['orders-service']);
    expect(valuesOf(only(), 'cookie')).toEqual(['a=1; b=2']);
  });

  it('counts in the order Authorization, header, cookie, and a later one never replaces an earlier one', async () => {
    const bearer = (value: string) => ['Authorization', `Bearer ${value}`];
    const inHeader = (value: string) => [header, value];
    const inCookie = (value: string) => ['Cookie', `CF_Authorization=${value}`];
    expect((await ask(path, [...inCookie('x'), ...inHeader('x'), ...bearer(token)])).status).toBe(200);
    expect(only().rawHeaders.map((text) => text.toLowerCase())).not.toContain(header.toLowerCase());
    expect(valuesOf(only(), 'cookie')).toEqual([]);
    expect((await ask(path, [...inCookie('x'), ...inHeader(token)])).status).toBe(200);
    for (const bad of ['x', foreign]) {
      expect((await ask(path, [...inCookie(token), ...inHeader(token), ...bearer(bad)])).status).toBe(401);
      expect((await ask(path, [...inCookie(token), ...inHeader(bad)])).status).toBe(401);
    }
    expect((await ask(path, [...inHeader(token), ...inHeader(token)])).status).toBe(401);
    expect((await ask(path, ['Cookie', `CF_Authorization=${token}; CF_Authorization=${token}`])).status).toBe(401);
    expect(stack.upstream.received).toHaveLength(2);
  });

  it('in a cookie is 403 for a change that a page of another site sends, and not in a header', async () => {
    const inCookie = ['Cookie', `CF_Authorization=${token}`];
    const evil = ['Origin', 'https://evil.example'];
    const refused = await ask(path, [...inCookie, ...evil], 'POST');
    expect([refused.status, JSON.parse(refused.body).code]).toEqual([403, 'cross_site_request']);
    for (const origin of ['null', `https://127.0.0.1:${stack.port}`, `http://127.0.0.1:${stack.port}.evil.example`]) {
      expect((await ask(path, [...inCookie, 'Origin', origin], 'DELETE')).status).toBe(403);
    }
    expect((await ask(path, [...inCookie, ...evil, 'X-Forwarded-Host', 'evil.example'], 'POST')).status).toBe(403);
    expect(stack.upstream.received).toEqual([]);
    expect((await ask(path, [...inCookie, 'Origin', `http://127.0.0.1:${stack.port}`], 'POST')).status).toBe(200);
    expect((await ask(path, [header, token, ...evil], 'POST')).status).toBe(200);
  });
});

it('reaches the upstream with forward-credentials', async () => {
  expect((await ask('/keeps', [header, token, 'Cookie', `CF_Authorization=${token}`])).status).toBe(200);
  expect(valuesOf(only(), header.toLowerCase())).toEqual([token]);
  expect(valuesOf(only(), 'cookie')).toEqual([`CF_Authorization=${token}`]);
});
