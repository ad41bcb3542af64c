import { describe, expect } from 'vitest';
import { DpopClient } from '../../support/agent/dpop-client.js';
import { LiveOidcProvider } from '../../support/agent/live-oidc-provider.js';
import type { CleanUp } from '../../support/shared/clean-up.js';
import { it } from '../../support/shared/fixtures.js';
import { type GatewayStack, startStack } from '../../support/shared/gateway-stack.js';
import { describeWithPeers } from '../../support/shared/peers.js';
import { type RedisServer, startRedis } from '../../support/shared/redis-server.js';
import { ofEachWorker, startWorkerStack } from '../../support/shared/worker-stack.js';

const provider = new LiveOidcProvider();
let client: DpopClient;

it.beforeAll(async ({ fileCleanUp }) => {
  await provider.start({ kid: 'first', algorithm: 'ES256' });
  fileCleanUp.add(() => provider.stop());
  client = await DpopClient.create();
});

const boundToken = (): Promise<string> => provider.token({ proof: (url) => client.proof({ url, method: 'POST' }) });

const oidc = (): string =>
  `oidc "corp" { enabled #true; issuer "${provider.issuer}"; jwks-url "${provider.jwksUrl}"; audience "api" }`;

const resource = 'https://api.example.com';
const metadata = `resource-metadata { resource "${resource}"; authorization-servers "https://id.example.com" }`;

const twoWorkers = (cleanUp: CleanUp, more: string): Promise<GatewayStack> =>
  startWorkerStack(cleanUp, { transport: 'embedded', agentConfig: `${oidc()}; ${metadata}; ${more}` });

/** The statuses of one request, sent to each worker in turn. */
const sentToEach = async (stack: GatewayStack, headers: Record<string, string>): Promise<readonly number[]> =>
  ofEachWorker(stack, async () => (await stack.ask({ headers })).status);

describe('a proof for one of two workers', () => {
  it.for(['memory', 'sqlite'] as const)(
    'is refused by the other, with proofs in %s',
    async (kind, { cleanUp, folder }) => {
      const path = folder.file('sessions.db');
      const stack = await twoWorkers(cleanUp, kind === 'memory' ? '' : `sessions { store "sqlite"; path "${path}" }`);
      const token = await boundToken();
      const fields = await client.fields(token, { url: `${resource}/` });
      expect(await sentToEach(stack, fields)).toEqual([200, 401]);
      // At once, from as many connections.
      const next = await client.fields(token, { url: `${resource}/` });
      const answers = await Promise.all(Array.from({ length: 20 }, () => stack.ask({ headers: next })));
      expect(answers.filter(({ status }) => status === 200)).toHaveLength(1);
      expect(answers.filter(({ status }) => status === 401)).toHaveLength(19);
      // A host that the client names is not the resource.
      const evil = await client.fields(token, { url: 'http://evil.example/' });
      expect((await stack.ask({ headers: { ...evil, Host: 'evil.example' } })).status).toBe(401);
    },
  );
});

const startOne = (cleanUp: CleanUp, sessions: string): Promise<GatewayStack> =>
  startStack(cleanUp, { transport: 'embedded', agentConfig: `${oidc()}; ${metadata}; ${sessions}` });

const pair = (cleanUp: CleanUp, sessions: string) =>
  Promise.all([startOne(cleanUp, sessions), startOne(cleanUp, sessions)]);

describe('a proof for one of two gateways', () => {
  it('is refused by the other, and after a restart, with one sqlite file', async ({ cleanUp, folder }) => {
    const sessions = `sessions { store "sqlite"; path "${folder.file('sessions.db')}" }`;
    const [one, other] = await pair(cleanUp, sessions);
    const headers = await client.fields(await boundToken(), { url: `${resource}/` });
    expect((await one.ask({ headers })).status).toBe(200);
    expect((await other.ask({ headers })).status).toBe(401);
    await Promise.all([one.gateway.stop(), other.gateway.stop()]);
    const later = await startOne(cleanUp, sessions);
    expect((await later.ask({ headers })).status).toBe(401);
  });
});

describeWithPeers(['redis-server'], 'a proof for one of two gateways with one redis', () => {
  let redis: RedisServer;
  it.beforeAll(async ({ fileCleanUp }) => {
    redis = await startRedis();
    fileCleanUp.add(() => redis.remove());
  });

  it('is refused by the other, and gets 503 while redis is full or away', async ({ cleanUp }) => {
    const [one, other] = await pair(cleanUp, `sessions { store "redis"; url "${redis.url().reveal()}" }`);
    const token = await boundToken();
    const fields = () => client.fields(token, { url: `${resource}/` });
    const headers = await fields();
    expect((await one.ask({ headers })).status).toBe(200);
    expect((await other.ask({ headers })).status).toBe(401);
    await redis.send('CONFIG', 'SET', 'maxmemory', '1');
    const full = await other.ask({ headers: await fields() });
    expect(full.status).toBe(503);
    expect(full.headers['retry-after']).toMatch(/^\d+$/);
    await redis.send('CONFIG', 'SET', 'maxmemory', '0');
    expect((await other.ask({ headers: await fields() })).status).toBe(200);
    await redis.kill();
    expect((await one.ask({ headers: await fields() })).status).toBe(503);
    await expect.poll(() => one.gateway.output()).toContain('the session store cannot be used');
    // Tokens without a proof do not need the store.
    const plain = { Authorization: `Bearer ${await provider.token()}` };
    expect((await one.ask({ headers: plain })).status).toBe(200);
  });
});
