import { beforeEach, describe, expect } from 'vitest';
import { LiveOidcProvider, type ProviderAlgorithm } from '../../support/agent/live-oidc-provider.js';
import { valuesOf } from '../../support/gateway/recording-upstream.js';
import { it } from '../../support/shared/fixtures.js';
import { type GatewayStack, startStack, untilTrue } from '../../support/shared/gateway-stack.js';
import { SteadyLoad } from '../../support/shared/steady-load.js';

const ask = (stack: GatewayStack, token: string | null) =>
  stack.ask({ headers: token === null ? {} : { Authorization: `Bearer ${token}` } });

const oidcBlock = (provider: LiveOidcProvider, name: string, members = ''): string => `
  oidc "${name}" {
    enabled #true
    issuer "${provider.issuer}"
    jwks-url "${provider.jwksUrl}"
    audience "api"
    ${members}
  }`;

describe.each(['embedded', 'socket'] as const)('access tokens of a live provider, agent %s', (transport) => {
  const provider = new LiveOidcProvider();
  let stack: GatewayStack;
  it.beforeAll(async ({ fileCleanUp: cleanUp }) => {
    await provider.start({ kid: 'first', algorithm: 'RS256' });
    cleanUp.add(() => provider.stop());
    stack = await startStack(cleanUp, {
      transport,
      agentConfig: oidcBlock(provider, 'corp', 'required-scopes "read"'),
    });
  });
  beforeEach(() => void stack.upstream.received.splice(0));

  it('authenticate a request, and give the upstream identity and claims', async () => {
    expect((await ask(stack, await provider.token())).status).toBe(200);
    const [received] = stack.upstream.received;
    if (received === undefined) throw new Error('nothing reached the upstream');
    expect(valuesOf(received, 'x-user-id')).toEqual(['orders-service']);
    expect(valuesOf(received, 'x-auth-method')).toEqual(['oidc']);
    expect(valuesOf(received, 'x-auth-claim-client_id')).toEqual(['orders-service']);
    expect(valuesOf(received, 'x-auth-claim-scope')).toEqual(['read write']);
    expect(valuesOf(received, 'x-auth-claim-aud')).toEqual(['api']);
  });

  it('are requested by a challenge without an error if the request has none', async () => {
    const { status, headers } = await ask(stack, null);
    expect(status).toBe(401);
    expect(headers['www-authenticate']).toBe('Bearer realm="gateway"');
  });

  it('are refused for another audience', async () => {
    const { status, headers } = await ask(stack, await provider.token({ resource: 'urn:other' }));
    expect(status).toBe(401);
    expect(headers['www-authenticate']).toMatch(
      /^Bearer realm="gateway", error="invalid_token", error_description=".*audience/,
    );
    expect(stack.upstream.received).toEqual([]);
  });

  it('are refused without a required scope, which the answer names', async () => {
    const { status, headers } = await ask(stack, await provider.token({ scope: 'write' }));
    expect(status).toBe(403);
    expect(headers['www-authenticate']).toBe('Bearer realm="gateway", error="insufficient_scope", scope="read"');
    expect(stack.upstream.received).toEqual([]);
  });

  it('stay valid over a key rotation under load; the first use of the new key fetches it', async () => {
    const before = provider.keySetRequests;
    let token = await provider.token();
    const load = new SteadyLoad('old key', 8, async () => (await ask(stack, token)).status);
    await untilTrue('the load runs', () => load.statuses('old key').length > 50);
    const [first, second] = [
      { kid: 'first', algorithm: 'RS256' },
      { kid: `second-${transport}`, algorithm: 'ES256' },
    ] as const;
    provider.publish([first, second], second);
    token = await provider.token();
    load.enter('new key');
    await untilTrue('the load has gone on', () => load.statuses('new key').length > 200);
    await load.stop();
    expect(new Set(load.all())).toEqual(new Set([200]));
    expect(provider.keySetRequests - before).toBe(1);
  });
});

describe('several providers', () => {
  const algorithms: readonly ProviderAlgorithm[] = ['PS256', 'ES384', 'ES512', 'EdDSA', 'RS512'];
  const providers = algorithms.map(() => new LiveOidcProvider());
  const stranger = new LiveOidcProvider();
  let stack: GatewayStack;
  it.beforeAll(async ({ fileCleanUp: cleanUp }) => {
    const named = [...providers.entries(), [algorithms.length, stranger] as const];
    await Promise.all(
      named.map(([index, provider]) => provider.start({ kid: 'key', algorithm: algorithms[index] ?? 'RS256' })),
    );
    for (const [, provider] of named) cleanUp.add(() => provider.stop());
    stack = await startStack(cleanUp, {
      transport: 'embedded',
      agentConfig: providers.map((provider, index) => oidcBlock(provider, `provider-${index}`)).join('\n'),
    });
  });

  it.each(algorithms)('have their own keys for every algorithm: %s', async (algorithm) => {
    const provider = providers[algorithms.indexOf(algorithm)] as LiveOidcProvider;
    expect((await ask(stack, await provider.token())).status).toBe(200);
  });

  it('refuse tokens of an unknown provider with a known kid', async () => {
    const { status, headers } = await ask(stack, await stranger.token());
    expect(status).toBe(401);
    expect(headers['www-authenticate']).toBe('Bearer realm="gateway", error="invalid_token"');
  });
});

describe('a provider that is down when the agent starts', () => {
  it('makes its tokens get 503 with Retry-After, while other credentials work', async ({ cleanUp }) => {
    const provider = new LiveOidcProvider();
    await provider.start({ kid: 'only', algorithm: 'ES256' });
    const token = await provider.token();
    await provider.goDown();
    const stack = await startStack(cleanUp, {
      transport: 'embedded',
      agentConfig: `${oidcBlock(provider, 'corp')}; api-keys "a-key-of-a-service-123:billing"`,
    });
    const { status, headers, body } = await ask(stack, token);
    expect(status).toBe(503);
    expect(headers['retry-after']).toMatch(/^\d+$/);
    expect(headers['content-type']).toBe('application/problem+json');
    expect(JSON.parse(body)).toMatchObject({ code: 'agent_undecided' });
    const withKey = await stack.ask({
      headers: { Authorization: `Bearer ${token}`, 'X-API-Key': 'a-key-of-a-service-123' },
    });
    expect(withKey.status).toBe(200);
    expect(stack.gateway.output()).not.toContain(token);
  });
});
