import { expect } from 'vitest';
import type { CleanUp } from '../shared/clean-up.js';
import { type GatewayStack, startStack } from '../shared/gateway-stack.js';
import { call } from '../shared/http-call.js';
import { type RedisServer, startRedis } from '../shared/redis-server.js';
import { LiveLoginProvider, loginClientSecret } from './live-login-provider.js';
import { headersOf, loginBlock, loginWithTokens, untilEnded } from './login-with-tokens.js';

/** Two gateways of two workers each, with one session store. */
const twoGateways = async (cleanUp: CleanUp, redis: RedisServer) => {
  const provider = new LiveLoginProvider();
  await provider.start();
  cleanUp.add(() => provider.stop());
  provider.givesRefreshTokens = true;
  provider.accessSecs = (issued) => (issued === 1 ? 2 : 3_600);
  let origin = '';
  const config = (): string => `
    forward-credentials #true
    sessions { store "redis"; url "${redis.url().reveal()}" }
    ${loginBlock(provider, origin, 'forward-access-token #true')}`;
  const plan = {
    transport: 'embedded',
    agentMembers: 'events "request_headers" "request_body_chunk"; timeout-ms 20000',
    env: { GATEWAY_WORKER_THREADS: '2', RUST_LOG: 'trace' },
    blocks: 'limits { max-connections-per-client 1000 }',
  } as const;
  const first = await startStack(cleanUp, {
    ...plan,
    agentConfig: (port) => {
      origin = `http://127.0.0.1:${port}`;
      provider.register({ redirectUris: [`${origin}/oidc/callback/corp`] });
      return config();
    },
  });
  const second = await startStack(cleanUp, { ...plan, agentConfig: config });
  return { provider, first, second };
};

/** Everything that Redis holds, as text. */
const dump = async (redis: RedisServer): Promise<string> => {
  const keys = (await redis.send('KEYS', '*')) as readonly string[];
  const contents: unknown[] = [];
  for (const key of keys) {
    const type = await redis.send('TYPE', key);
    if (type === 'hash') contents.push(key, await redis.send('HGETALL', key));
    else if (type === 'zset') contents.push(key, await redis.send('ZRANGE', key, '0', '-1'));
    else contents.push(key, await redis.send('GET', key));
  }
  return JSON.stringify(contents);
};

/** Expects no token of the provider in a text. */
export const expectNoToken = (text: string, provider: LiveLoginProvider): void => {
  expect(provider.issuedTexts.length).toBeGreaterThan(2);
  for (const token of provider.issuedTexts) expect(text.includes(token)).toBe(false);
  expect(text.includes(loginClientSecret)).toBe(false);
};

/** Refreshes that the gateway has counted; a gateway that has done none may not have the metric. */
const refreshed = async (stack: GatewayStack): Promise<number> => {
  const lines = (await stack.adminText('/metrics')).split('\n');
  const series = lines.filter((line) => line.startsWith('gateway_agent_oidc_refreshes_total{'));
  return series.reduce((sum, line) => sum + Number(line.slice(line.lastIndexOf(' '))), 0);
};

/** That many requests at once, with a session whose access token has ended: one refresh, whose token all of them get. */
export const expectOneRefresh = async (cleanUp: CleanUp, count: number): Promise<void> => {
  const redis = await startRedis();
  cleanUp.add(redis.remove);
  const { provider, first, second } = await twoGateways(cleanUp, redis);
  const { cookie, signedOnMs } = await loginWithTokens(first, provider);
  await untilEnded(signedOnMs, 2);
  const answers = await Promise.all(
    Array.from({ length: count }, (_, index) =>
      call((index % 2 === 0 ? first : second).port, {
        path: `/app/${index}`,
        headers: { cookie, accept: 'application/json', authorization: 'Bearer of-the-client' },
      }),
    ),
  );
  expect(answers.filter(({ status }) => status === 200)).toHaveLength(count);
  // The code, and one refresh.
  expect(provider.paths.filter((path) => path === '/token')).toHaveLength(2);
  const token = provider.issued[1]?.['access_token'];
  const received = [...first.upstream.received, ...second.upstream.received];
  expect(received).toHaveLength(count);
  expect(new Set(received.map(({ rawHeaders }) => headersOf(rawHeaders)['authorization']))).toEqual(
    new Set([`Bearer ${token}`]),
  );
  expectNoToken(await dump(redis), provider);
  for (const { gateway } of [first, second]) expectNoToken(gateway.output(), provider);
  await expect.poll(async () => (await refreshed(first)) + (await refreshed(second)), { timeout: 20_000 }).toBe(1);
};
