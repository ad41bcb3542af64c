import { expect } from 'vitest';
import { RedisRateLimitStore } from '../../../../../src/adapters/outbound/redis-rate-limit-store/redis-rate-limit-store.js';
import type { RateLimitCharge } from '../../../../../src/application/ports/shared/rate-limit-store.js';
import type { CleanUp } from '../../../../support/shared/clean-up.js';
import { it } from '../../../../support/shared/fixtures.js';
import { describeWithPeers } from '../../../../support/shared/peers.js';
import { type RedisServer, startRedis } from '../../../../support/shared/redis-server.js';

describeWithPeers(['redis-server'], 'buckets in a Redis server', () => {
  let redis: RedisServer;
  it.beforeAll(async ({ fileCleanUp: cleanUp }) => {
    redis = await startRedis();
    cleanUp.add(redis.remove);
  });

  const open = async (cleanUp: CleanUp, maxBuckets = 100_000): Promise<RedisRateLimitStore> => {
    // A machine that does other things at the same time is no server that hangs.
    const store = await RedisRateLimitStore.open(redis.url(), { maxBuckets, answerMs: 10_000 });
    cleanUp.add(() => store.close());
    return store;
  };
  const charge = (key: string, burst: number, requestsPerSecond = 0.001): RateLimitCharge => ({
    space: 'client',
    key,
    limit: { requestsPerSecond, burst },
  });

  it('give two gateways together exactly the burst of 1 000 concurrent requests', async ({ cleanUp }) => {
    const [one, other] = [await open(cleanUp), await open(cleanUp)];
    const both = [charge('shared', 300), { ...charge('', 400), space: 'global' }];
    const answers = await Promise.all(
      Array.from({ length: 1_000 }, (_, index) => (index % 2 === 0 ? one : other).take(both)),
    );
    const kinds = answers.map(({ kind }) => kind);
    expect(kinds.filter((kind) => kind === 'taken')).toHaveLength(300);
    expect(kinds.filter((kind) => kind === 'refused')).toHaveLength(700);
    expect(await one.take([both[1] as RateLimitCharge])).toMatchObject({
      kind: 'taken',
      left: [expect.closeTo(99, 0)],
    });
  });

  it('exist until they are full', async ({ cleanUp }) => {
    const store = await open(cleanUp);
    await store.take([charge('slow', 10, 0.01), charge('quick', 2, 1_000)]);
    const left = Number(await redis.send('PTTL', 'portcullis:rate:client:slow'));
    // One token of ten is missing: it comes within 100 s.
    expect(left).toBeGreaterThan(90_000);
    expect(left).toBeLessThanOrEqual(100_000);
    await expect.poll(() => redis.send('EXISTS', 'portcullis:rate:client:quick')).toBe(0);
  });

  it('leave no key when all of them are full', async ({ cleanUp }) => {
    const store = await open(cleanUp);
    await redis.send('FLUSHALL');
    const quick = Array.from({ length: 50 }, (_, index) => charge(`quick ${index}`, 2, 200));
    await store.take(quick);
    await expect.poll(() => redis.send('DBSIZE')).toBe(0);
  });

  it('are bounded per space, expired ones included', async ({ cleanUp }) => {
    const store = await open(cleanUp, 100);
    await redis.send('FLUSHALL');
    for (let round = 0; round < 5; round += 1) {
      const keys = Array.from({ length: 100 }, (_, index) => `${round} ${index}`);
      await Promise.all(keys.map((key) => store.take([charge(key, 1)])));
    }
    expect(await redis.send('DBSIZE')).toBe(101);
    expect(await redis.send('ZCARD', 'portcullis:rate:client')).toBe(100);
  });

  it('survive a script flush', async ({ cleanUp }) => {
    const store = await open(cleanUp);
    expect((await store.take([charge('kept', 1)])).kind).toBe('taken');
    await redis.send('SCRIPT', 'FLUSH');
    expect((await store.take([charge('kept', 1)])).kind).toBe('refused');
  });

  it('that are overwritten count as full', async ({ cleanUp }) => {
    const store = await open(cleanUp);
    await redis.send('SET', 'portcullis:rate:client:odd', 'nan 12 ;');
    expect((await store.take([charge('odd', 1)])).kind).toBe('taken');
    expect((await store.take([charge('odd', 1)])).kind).toBe('refused');
  });

  it('of another type are unavailable', async ({ cleanUp }) => {
    const store = await open(cleanUp);
    await redis.send('RPUSH', 'portcullis:rate:client:list', 'a');
    expect(await store.take([charge('list', 1)])).toEqual({
      kind: 'unavailable',
      detail: 'redis: it has unexpected values under the keys of rate limits',
    });
  });

  it('recover soon when the server clock is set back by a year', async ({ cleanUp }) => {
    const store = await open(cleanUp);
    const [seconds] = (await redis.send('TIME')) as [string, string];
    const inAYearMs = (Number(seconds) + 31_536_000) * 1000;
    await redis.send('SET', 'portcullis:rate:client:ahead', `0 ${inAYearMs}`);
    const answer = await store.take([charge('ahead', 10, 1)]);
    if (answer.kind !== 'refused') throw new Error(answer.kind);
    expect(answer.waitMs).toBe(11_000);
  });
});
