import { beforeEach, describe, expect } from 'vitest';
import { briefResource, LiveOidcProvider, opaqueResource } from '../../support/agent/live-oidc-provider.js';
import { answering, clientId, clientSecret, LyingIntrospection } from '../../support/agent/lying-introspection.js';
import { valuesOf } from '../../support/gateway/recording-upstream.js';
import { everyTransport, startEveryTransport } from '../../support/shared/every-transport.js';
import { it } from '../../support/shared/fixtures.js';
import { type GatewayStack, untilTrue } from '../../support/shared/gateway-stack.js';

const provider = new LiveOidcProvider();
const endpoint = new LyingIntrospection();

interface Introspection {
  readonly url: string;
  readonly id: string;
  readonly secret: string;
  readonly more?: string;
}

const oidc = (audience: string, { url, id, secret, more = '' }: Introspection): string => `
  oidc "corp" {
    enabled #true; issuer "${provider.issuer}"; jwks-url "${provider.jwksUrl}"; audience ${audience}
    introspection { url "${url}"; client-id "${id}"; client-secret "${secret}"; ${more} }
  }`;

let real: GatewayStack;
let lying: GatewayStack;

it.beforeAll(async ({ fileCleanUp }) => {
  await provider.start({ kid: 'first', algorithm: 'ES256' });
  fileCleanUp.add(() => provider.stop());
  await endpoint.start();
  fileCleanUp.add(() => endpoint.stop());
  const { url, 'client-id': id, 'client-secret': secret } = provider.introspection;
  const live = { url: String(url), id: String(id), secret: String(secret), more: 'cache-secs 1' };
  [real, lying] = await Promise.all([
    startEveryTransport(fileCleanUp, oidc('"opaque" "brief"', live)),
    startEveryTransport(fileCleanUp, oidc('"api"', { url: endpoint.url, id: clientId, secret: clientSecret })),
  ]);
});
beforeEach(() => {
  real.upstream.reset();
  lying.upstream.reset();
  endpoint.asked.length = 0;
  endpoint.answer = answering({ active: true, sub: 'carol', aud: 'api' });
});

const askWith = (stack: GatewayStack, path: string, token: string) =>
  stack.ask({ path, headers: { Authorization: `Bearer ${token}` } });

describe.each(everyTransport)('opaque tokens of a real provider, agent over %s', (transport) => {
  const statusOf = async (token: string) => (await askWith(real, `/${transport}`, token)).status;

  it('pass with their claims until they are revoked or expire', async () => {
    const [token, brief] = [
      await provider.token({ resource: opaqueResource }),
      await provider.token({ resource: briefResource }),
    ];
    expect(await statusOf(token)).toBe(200);
    const [received] = real.upstream.received;
    expect(received && valuesOf(received, 'x-user-id')).toEqual(['orders-service']);
    expect(received && valuesOf(received, 'x-auth-claim-client_id')).toEqual(['orders-service']);
    expect(received && valuesOf(received, 'x-auth-claim-active')).toEqual([]);
    await provider.revoke(token);
    await untilTrue('the revoked token is refused', async () => (await statusOf(token)) === 401);
    await untilTrue('the expired token is refused', async () => (await statusOf(brief)) === 401);
    expect(real.gateway.output()).not.toContain(token);
  });

  it('are 401 if the provider does not know them', async () => {
    const refused = await askWith(real, `/${transport}`, 'never-issued');
    expect(refused.status).toBe(401);
    expect(refused.headers['www-authenticate']).toContain('error="invalid_token"');
  });
});

describe.each(everyTransport)('an introspection endpoint that misbehaves, agent over %s', (transport) => {
  const statusOf = async (token: string) => (await askWith(lying, `/${transport}`, `${transport}-${token}`)).status;

  it('gets one question for 50 requests with one token', async () => {
    const statuses = await Promise.all(Array.from({ length: 50 }, () => statusOf('shared')));
    expect(new Set(statuses)).toEqual(new Set([200]));
    expect(endpoint.asked).toEqual([`${transport}-shared`]);
    expect(endpoint.faults).toEqual([]);
  });

  it('makes its tokens get 503 if it redirects, floods or fails, and no other token', async () => {
    endpoint.answer = (response) => void response.writeHead(307, { Location: '/introspect' }).end();
    expect(await statusOf('redirected')).toBe(503);
    endpoint.answer = (response) =>
      void response.setHeader('Content-Type', 'application/json').end(`{"active":true,"x":"${'x'.repeat(70_000)}"}`);
    expect(await statusOf('flooded')).toBe(503);
    endpoint.answer = (response) => void response.writeHead(500).end();
    const failed = await askWith(lying, `/${transport}`, `${transport}-failed`);
    expect([failed.status, failed.headers['retry-after']]).toEqual([503, '1']);
    expect((await askWith(lying, `/${transport}`, await provider.token())).status).toBe(200);
    expect(lying.upstream.received).toHaveLength(1);
  });

  it('is asked about at most 64 tokens at a time, and each answer has a deadline', async () => {
    const tokens = 90;
    let [held, most] = [0, 0];
    endpoint.answer = (response) => {
      held += 1;
      most = Math.max(most, held);
      response.on('close', () => {
        held -= 1;
      });
    };
    const answers = await Promise.all(Array.from({ length: tokens }, (_, index) => statusOf(`held-${index}`)));
    // A busy machine may exceed the gateway's own timeout.
    expect(answers.filter((status) => status !== 503 && status !== 504)).toEqual([]);
    expect(most).toBeLessThanOrEqual(64);
    const counted = (result: string) =>
      lying.metric('gateway_agent_introspections_total', `agent="${transport}"`, `result="${result}"`);
    const before = { failure: 3, active: 1 };
    await expect
      .poll(async () => (await counted('overloaded')) + (await counted('failure')), { timeout: 15_000 })
      .toBe(tokens + before.failure);
    expect(await counted('overloaded')).toBeGreaterThan(0);
    expect(await counted('active')).toBe(before.active);
  });
});
