import { describe, expect } from 'vitest';
import { it } from '../../support/shared/fixtures.js';
import { type GatewayStack, type StackPlan, startStack } from '../../support/shared/gateway-stack.js';
import { describeWithPeers } from '../../support/shared/peers.js';
import { startRedis } from '../../support/shared/redis-server.js';
import { answersOfEach, startWorkerStack } from '../../support/shared/worker-stack.js';

/** Two routes that share a limit of three requests for each user, and one that has none. */
const plan = (limit: string, more = ''): StackPlan => ({
  transport: 'embedded',
  agentConfig: 'api-keys "key-1:alice" "key-2:127.0.0.1"',
  routes: `route "one" { priority 60; matches { path-prefix "/one" }; upstream "back"; agents "auth"; policies { rate-limit "users" } }
  route "two" { priority 60; matches { path-prefix "/two" }; upstream "back"; agents "auth"; policies { rate-limit "users" } }`,
  blocks: `rate-limit "users" { ${limit} }\n${more}`,
});

const perUser = 'requests-per-second 0.001; burst 3; key "user"';

const ask = async (stack: GatewayStack, path: string, key: string): Promise<number> =>
  (await stack.ask({ path, headers: { 'X-API-Key': key } })).status;

const statuses = async (stack: GatewayStack, key: string, count: number): Promise<readonly number[]> => {
  const all: number[] = [];
  for (let index = 0; index < count; index += 1) all.push(await ask(stack, index % 2 === 0 ? '/one' : '/two', key));
  return all;
};

describe('a named limit of two workers', () => {
  it('holds for each user over both workers and all its routes', async ({ cleanUp }) => {
    const stack = await startWorkerStack(cleanUp, plan(perUser));
    const headers = { 'X-API-Key': 'key-1' };
    const both = await answersOfEach(stack, { path: '/one', headers });
    expect(both.map(({ status }) => status)).toEqual([200, 200]);
    expect((await answersOfEach(stack, { path: '/two', headers })).map(({ status }) => status).sort()).toEqual([
      200, 429,
    ]);
    expect(await ask(stack, '/', 'key-1')).toBe(200);
    // Its user id is the address of the clients.
    expect(await statuses(stack, 'key-2', 4)).toEqual([200, 200, 200, 429]);
  });

  it('keeps its buckets over a reload that changes its rate', async ({ cleanUp }) => {
    const stack = await startWorkerStack(cleanUp, plan(perUser));
    expect(await statuses(stack, 'key-1', 4)).toEqual([200, 200, 200, 429]);
    expect(await statuses(stack, 'key-2', 2)).toEqual([200, 200]);
    stack.rewrite(plan('requests-per-second 0.002; burst 50; key "user"'));
    await stack.reload();
    // An empty bucket stays empty. One with a token keeps it.
    expect(await statuses(stack, 'key-1', 2)).toEqual([429, 429]);
    expect(await statuses(stack, 'key-2', 2)).toEqual([200, 429]);
    stack.rewrite(plan('requests-per-second 0.002; burst 50; key "route"'));
    await stack.reload();
    expect(await statuses(stack, 'key-1', 2)).toEqual([200, 200]);
    expect(await stack.metric('gateway_rate_limiter_keys', 'limit="named"')).toBe(3);
  });
});

describeWithPeers(['redis-server'], 'a named limit of two gateways with Redis', () => {
  it('holds for each user over both, and over their restart', async ({ cleanUp }) => {
    const redis = await startRedis();
    cleanUp.add(redis.remove);
    const store = `limits { rate-limit-store "redis"; rate-limit-store-url "${redis.url().reveal()}" }`;
    const first = await startStack(cleanUp, plan(perUser, store));
    const second = await startStack(cleanUp, plan(perUser, store));
    expect(await statuses(first, 'key-1', 2)).toEqual([200, 200]);
    expect(await statuses(second, 'key-1', 2)).toEqual([200, 429]);
    expect(await statuses(first, 'key-1', 1)).toEqual([429]);
    expect(await statuses(second, 'key-2', 4)).toEqual([200, 200, 200, 429]);
    await first.gateway.stop();
    const third = await startStack(cleanUp, plan(perUser, store));
    expect(await statuses(third, 'key-1', 1)).toEqual([429]);
    const keys = await redis.send('KEYS', '*');
    expect(JSON.stringify(keys)).toContain('portcullis:rate:named users user:');
    expect(JSON.stringify(keys)).not.toContain('alice');
  });
});
