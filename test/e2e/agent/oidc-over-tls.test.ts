import { generateKeyPairSync } from 'node:crypto';
import { createServer } from 'node:https';
import type { AddressInfo } from 'node:net';
import { expect } from 'vitest';
import { publicJwk, signToken } from '../../support/agent/test-tokens.js';
import { valuesOf } from '../../support/gateway/recording-upstream.js';
import type { CleanUp } from '../../support/shared/clean-up.js';
import { it } from '../../support/shared/fixtures.js';
import { type GatewayStack, startStack } from '../../support/shared/gateway-stack.js';
import { OpensslCertificates } from '../../support/shared/openssl-certificates.js';
import { describeWithPeers } from '../../support/shared/peers.js';

describeWithPeers(['openssl'], 'an OIDC provider with a certificate from a private authority', () => {
  const signing = generateKeyPairSync('ec', { namedCurve: 'P-256' });
  let issuer = '';
  let told: GatewayStack;
  let untold: GatewayStack;

  it.beforeAll(async ({ fileCleanUp: cleanUp }) => {
    const pki = new OpensslCertificates();
    cleanUp.add(() => pki.remove());
    const root = pki.authority('private root');
    const { certificate, key } = pki.server('provider', { by: root, names: ['DNS:localhost', 'IP:127.0.0.1'] });
    const keySet = JSON.stringify({
      keys: [{ ...publicJwk(signing.publicKey), kid: 'one', alg: 'ES256', use: 'sig' }],
    });
    const provider = createServer({ cert: certificate, key }, (_request, response) => {
      response.setHeader('Content-Type', 'application/json').end(keySet);
    });
    await new Promise<void>((resolve) => provider.listen(0, '127.0.0.1', resolve));
    cleanUp.add(() => {
      provider.closeAllConnections();
      return new Promise((resolve) => provider.close(resolve));
    });
    issuer = `https://127.0.0.1:${(provider.address() as AddressInfo).port}`;
    [told, untold] = await Promise.all([
      start(cleanUp, { NODE_EXTRA_CA_CERTS: root.certificateFile }),
      start(cleanUp, { NODE_EXTRA_CA_CERTS: '' }),
    ]);
  });

  const start = (cleanUp: CleanUp, env: Readonly<Record<string, string>>) =>
    startStack(cleanUp, {
      transport: 'embedded',
      // With a method that can always decide, the agent takes calls.
      agentConfig: `api-keys "a-key-of-a-service:billing"
        oidc "private" { enabled #true; issuer "${issuer}"; jwks-url "${issuer}/jwks"; audience "api" }`,
      env,
    });

  const bearer = () => {
    const now = Math.floor(Date.now() / 1000);
    const claims = { iss: issuer, sub: 'orders-service', aud: 'api', iat: now, exp: now + 300 };
    return { headers: { Authorization: `Bearer ${signToken('ES256', signing.privateKey, claims, { kid: 'one' })}` } };
  };

  it('is trusted if NODE_EXTRA_CA_CERTS names the authority', async () => {
    expect((await told.ask(bearer())).status).toBe(200);
    const [received] = told.upstream.received;
    expect(received && valuesOf(received, 'x-user-id')).toEqual(['orders-service']);
    expect(received && valuesOf(received, 'x-auth-method')).toEqual(['oidc']);
  });

  it('is not trusted otherwise: the log says so, and its tokens get 503', async () => {
    const { status, headers, body } = await untold.ask(bearer());
    expect(status).toBe(503);
    expect(headers['retry-after']).toMatch(/^\d+$/);
    expect(JSON.parse(body)).toMatchObject({ code: 'agent_undecided' });
    const log = await untold.gateway.wrote(/the key set could not be fetched/);
    const line = log.split('\n').find((each) => each.includes('the key set could not be fetched')) ?? '{}';
    expect(JSON.parse(line)).toMatchObject({
      level: 'warn',
      url: `${issuer}/jwks`,
      reason: expect.stringMatching(/certificate|UNABLE_TO_VERIFY_LEAF_SIGNATURE/),
      keys: 'absent',
    });
    expect(untold.upstream.received).toEqual([]);
  });
});
