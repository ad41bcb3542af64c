import { once } from 'node:events';
import { type AddressInfo, createServer, type Socket } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { expect } from 'vitest';
import {
  type RedisRateLimitOptions,
  RedisRateLimitStore,
} from '../../../../../src/adapters/outbound/redis-rate-limit-store/redis-rate-limit-store.js';
import type { RateLimitAnswer } from '../../../../../src/application/ports/shared/rate-limit-store.js';
import { Secret } from '../../../../../src/domain/shared/secret.js';
import type { CleanUp } from '../../../../support/shared/clean-up.js';
import { it } from '../../../../support/shared/fixtures.js';
import { freePort } from '../../../../support/shared/free-port.js';
import { describeWithPeers } from '../../../../support/shared/peers.js';
import { type RedisPlan, type RedisServer, startRedis } from '../../../../support/shared/redis-server.js';

const charges = [{ space: 'client', key: 'a', limit: { requestsPerSecond: 0.001, burst: 1_000 } }];

/** A machine that does other things at the same time is no server that hangs. */
const patient = { answerMs: 10_000 };

const opened = async (
  cleanUp: CleanUp,
  url: Secret,
  settings: Partial<RedisRateLimitOptions> = patient,
): Promise<RedisRateLimitStore> => {
  const store = await RedisRateLimitStore.open(url, settings);
  cleanUp.add(() => store.close());
  return store;
};

const detailOf = (answer: RateLimitAnswer): string => {
  if (answer.kind !== 'unavailable') throw new Error(answer.kind);
  return answer.detail;
};

/** Resolves once the store can be asked; the test's own time-out is the deadline. */
const reachable = async (store: RedisRateLimitStore): Promise<void> => {
  while ((await store.take([])).kind === 'unavailable') await sleep(5);
};

/** A server that takes connections and does what the test says with them. */
const serverWith = async (cleanUp: CleanUp, take: (socket: Socket) => void): Promise<Secret> => {
  const server = createServer((socket) => {
    socket.on('error', () => undefined);
    cleanUp.add(() => void socket.destroy());
    take(socket);
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  cleanUp.add(() => void server.close());
  return new Secret(`redis://:hunter2@127.0.0.1:${(server.address() as AddressInfo).port}/0`);
};

it('a Redis store reports at once that nothing listens', async ({ cleanUp }) => {
  const store = await opened(cleanUp, new Secret(`redis://:hunter2@127.0.0.1:${await freePort()}`));
  expect(detailOf(await store.take(charges))).toBe('redis: connection refused');
});

it('a Redis store with an invalid URL is unavailable, and does not print it', async ({ cleanUp }) => {
  const store = await opened(cleanUp, new Secret('redis://hunter2:hunter2@['));
  expect(detailOf(await store.take(charges))).toBe('redis: rate-limit-store-url is invalid');
});

it.for<[string, (socket: Socket) => void]>([
  ['closes the connection', (socket) => socket.end()],
  ['resets the connection', (socket) => socket.resetAndDestroy()],
  ['speaks another protocol', (socket) => socket.write('HTTP/1.1 400 Bad Request\r\n\r\n')],
  ['repeats the password in an error', (socket) => socket.on('data', () => socket.write('-ERR hunter2 is wrong\r\n'))],
])('a Redis store is unavailable if the server %s, and does not print the password', async ([_, take], { cleanUp }) => {
  const store = await opened(cleanUp, await serverWith(cleanUp, take), { connectMs: 200 });
  const detail = detailOf(await store.take(charges));
  expect(detail).toMatch(/^redis: /);
  expect(detail).not.toContain('hunter2');
});

describeWithPeers(['redis-server'], 'buckets in a failing Redis server', () => {
  const started = async (
    cleanUp: CleanUp,
    plan: RedisPlan = {},
  ): Promise<{ redis: RedisServer; store: RedisRateLimitStore }> => {
    const redis = await startRedis(plan);
    cleanUp.add(redis.remove);
    return { redis, store: await opened(cleanUp, redis.url()) };
  };

  it('return with the server', async ({ cleanUp }) => {
    const { redis, store } = await started(cleanUp, { isDurable: true });
    expect((await store.take(charges)).kind).toBe('taken');
    await redis.kill();
    expect((await store.take(charges)).kind).toBe('unavailable');
    await redis.start();
    await reachable(store);
    const answer = await store.take(charges);
    expect(answer.kind === 'taken' && Math.floor((answer.left[0] ?? 0) + 1e-3)).toBe(998);
  });

  it('become available if the server starts later', async ({ cleanUp }) => {
    const port = await freePort();
    const store = await opened(cleanUp, new Secret(`redis://127.0.0.1:${port}`));
    expect((await store.take(charges)).kind).toBe('unavailable');
    const redis = await startRedis({ port });
    cleanUp.add(redis.remove);
    await reachable(store);
    expect((await store.take(charges)).kind).toBe('taken');
  });

  it('do not delay every request when the server hangs, and return when it continues', async ({ cleanUp }) => {
    const redis = await startRedis();
    cleanUp.add(redis.remove);
    const store = await opened(cleanUp, redis.url(), {});
    await reachable(store);
    redis.hang();
    const answers = await Promise.all(Array.from({ length: 200 }, () => store.take(charges)));
    expect(new Set(answers.map(detailOf))).toEqual(
      new Set(['redis: it gave no answer within 250 ms', 'redis: connection lost']),
    );
    // Nothing is sent any more, so this is answered without a time-out.
    expect(detailOf(await store.take(charges))).toBe('redis: it gave no answer within 250 ms');
    redis.goOn();
    await reachable(store);
    expect((await store.take(charges)).kind).toBe('taken');
  });

  it('need the right password, which no answer contains', async ({ cleanUp }) => {
    const redis = await startRedis({ password: 'p@ss:word/#?' });
    cleanUp.add(redis.remove);
    expect((await (await opened(cleanUp, redis.url())).take(charges)).kind).toBe('taken');
    const wrong = await opened(cleanUp, new Secret(`redis://:hunter2@127.0.0.1:${redis.port}`));
    expect(detailOf(await wrong.take(charges))).toBe(
      'redis: it refused the user or the password in rate-limit-store-url',
    );
    const none = await opened(cleanUp, new Secret(`redis://127.0.0.1:${redis.port}`));
    expect(detailOf(await none.take(charges))).toBe('redis: it requires a password: add one to rate-limit-store-url');
  });

  it('are in the database of the URL', async ({ cleanUp }) => {
    const { redis } = await started(cleanUp);
    const store = await opened(cleanUp, redis.url(3));
    await store.take(charges);
    expect(await redis.send('DBSIZE')).toBe(0);
    await redis.send('SWAPDB', '0', '3');
    expect(await redis.send('KEYS', '*')).toHaveLength(2);
  });

  it('are not used after the store closes', async ({ cleanUp }) => {
    const { store } = await started(cleanUp);
    await store.close();
    expect(detailOf(await store.take(charges))).toBe('redis: the connection is closed');
    await store.close();
  });
});
