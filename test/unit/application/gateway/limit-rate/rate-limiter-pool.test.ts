import { describe, expect, it } from 'vitest';
import { RateLimiterPool, storeCheckMs } from '../../../../../src/application/gateway/limit-rate/rate-limiter-pool.js';
import type {
  OnStoreFailure,
  RateLimitStoreOptions,
} from '../../../../../src/domain/gateway/configuration/rate-limit-options.js';
import { Secret } from '../../../../../src/domain/shared/secret.js';
import { FakeRateLimitStore } from '../../../../support/gateway/fake-rate-limit-store.js';
import { ManualClock } from '../../../../support/shared/manual-clock.js';
import { ManualScheduler } from '../../../../support/shared/manual-scheduler.js';
import { RecordingLogger } from '../../../../support/shared/recording-logger.js';

const redis = (url: string, onFailure: OnStoreFailure = 'local'): RateLimitStoreOptions => ({
  kind: 'redis',
  url: new Secret(url),
  onFailure,
});

const limiters = () => {
  const memory = new FakeRateLimitStore();
  const opened: { readonly url: string; readonly store: FakeRateLimitStore }[] = [];
  const logger = new RecordingLogger();
  const clock = new ManualClock();
  const scheduler = new ManualScheduler(clock);
  const all = new RateLimiterPool({
    clock,
    logger,
    memory,
    scheduler,
    openShared: async (url) => {
      const store = new FakeRateLimitStore();
      opened.push({ url: url.reveal(), store });
      return store;
    },
  });
  return { all, memory, opened, logger, scheduler };
};

describe('the limiters of configurations', () => {
  it('share the one that uses memory, which stays when none is in use', async () => {
    const { all, memory, opened } = limiters();
    const first = await all.use({ kind: 'memory' });
    const second = await all.use({ kind: 'memory' });
    expect(second.limiter).toBe(first.limiter);
    await first.limiter.take([]);
    await first.release();
    await second.release();
    expect([memory.taken.length, memory.closed, opened.length]).toEqual([1, 0, 0]);
  });

  it('share a store while one of them with the same options is in use', async () => {
    const { all, opened } = limiters();
    const [before, after] = await Promise.all([all.use(redis('redis://a')), all.use(redis('redis://a'))]);
    expect(after.limiter).toBe(before.limiter);
    expect(opened).toHaveLength(1);
    await before.release();
    expect(opened[0]?.store.closed).toBe(0);
    await after.release();
    expect(opened[0]?.store.closed).toBe(1);
    const anew = await all.use(redis('redis://a'));
    expect(anew.limiter).not.toBe(before.limiter);
    expect(opened).toHaveLength(2);
  });

  it('are separate if the store or the failure mode differs', async () => {
    const { all, opened } = limiters();
    const options = [redis('redis://a'), redis('redis://b'), redis('redis://a', 'deny'), redis('redis://a', 'allow')];
    const used = await Promise.all(options.map((each) => all.use(each)));
    expect(new Set(used.map(({ limiter }) => limiter)).size).toBe(4);
    expect(opened.map(({ url }) => url)).toEqual(['redis://a', 'redis://b', 'redis://a', 'redis://a']);
  });

  it('log an unreachable store at once, and decide by memory then', async () => {
    const memory = new FakeRateLimitStore();
    const shared = new FakeRateLimitStore();
    shared.answer = () => ({ kind: 'unavailable', detail: 'no such host' });
    const logger = new RecordingLogger();
    const all = new RateLimiterPool({
      clock: new ManualClock(),
      scheduler: new ManualScheduler(new ManualClock()),
      logger,
      memory,
      openShared: async () => shared,
    });
    const { limiter } = await all.use(redis('redis://:hunter2@a'));
    const fields = { reason: 'no such host', on_store_failure: 'local' };
    expect(logger.lines).toEqual([{ level: 'warn', message: 'Rate limit store is unavailable', fields }]);
    const charges = [{ space: 'client', key: 'a', limit: { requestsPerSecond: 1, burst: 1 } }];
    expect(limiter.take(charges)).toEqual({ kind: 'taken', left: [1] });
    expect(memory.taken).toContainEqual(charges);
  });

  it('use the given failure mode while a shared memory is unavailable', async () => {
    const memory = new FakeRateLimitStore();
    memory.answer = () => ({ kind: 'unavailable', detail: 'the supervisor did not answer in time' });
    const own = new FakeRateLimitStore();
    const logger = new RecordingLogger();
    const openShared = async () => new FakeRateLimitStore();
    const withoutMemory = { kind: 'local', store: own } as const;
    const all = new RateLimiterPool({
      clock: new ManualClock(),
      scheduler: new ManualScheduler(new ManualClock()),
      logger,
      memory,
      memoryFailureMode: withoutMemory,
      openShared,
    });
    const { limiter } = await all.use({ kind: 'memory' });
    const charges = [{ space: 'client', key: 'a', limit: { requestsPerSecond: 1, burst: 1 } }];
    const judgements = [await limiter.take(charges), await limiter.take(charges)];
    expect(judgements.map(({ kind }) => kind)).toEqual(['taken', 'taken']);
    expect([memory.taken.length, own.taken.length]).toEqual([1, 2]);
    const fields = { reason: 'the supervisor did not answer in time', on_store_failure: 'local' };
    expect(logger.lines).toEqual([{ level: 'warn', message: 'Rate limit store is unavailable', fields }]);
  });

  it('report whether every shared store in use answers, without requests', async () => {
    const { all, opened, scheduler } = limiters();
    expect(all.isStoreUp()).toBe(true);
    const used = await all.use(redis('redis://a'));
    expect(all.isStoreUp()).toBe(true);
    const answers = opened[0]?.store as FakeRateLimitStore;
    answers.answer = () => ({ kind: 'unavailable', detail: 'it is down' });
    await scheduler.advance(storeCheckMs);
    expect(all.isStoreUp()).toBe(false);
    answers.answer = () => ({ kind: 'taken', left: [] });
    await scheduler.advance(storeCheckMs);
    expect(all.isStoreUp()).toBe(true);
    answers.answer = () => ({ kind: 'unavailable', detail: 'it is down' });
    await scheduler.advance(storeCheckMs);
    await used.release();
    expect(all.isStoreUp()).toBe(true);
    const asked = answers.taken.length;
    await scheduler.advance(10 * storeCheckMs);
    expect(answers.taken).toHaveLength(asked);
  });

  it('report the number of buckets in memory per kind of limit', () => {
    const { all, memory } = limiters();
    memory.held = { global: 1, client: 7, 'route-policy a': 2, 'route-policy a b': 3, 'route a': 1 };
    expect(all.heldBuckets()).toEqual({ global: 1, client: 7, 'route-policy': 5, route: 1 });
  });
});
