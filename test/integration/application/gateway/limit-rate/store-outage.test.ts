import { setTimeout as sleep } from 'node:timers/promises';
import { expect } from 'vitest';
import { MemoryRateLimitStore } from '../../../../../src/adapters/outbound/memory-rate-limit-store/memory-rate-limit-store.js';
import { SystemClock } from '../../../../../src/adapters/outbound/node-clock/system-clock.js';
import { NodeScheduler } from '../../../../../src/adapters/outbound/node-scheduler/node-scheduler.js';
import { RedisRateLimitStore } from '../../../../../src/adapters/outbound/redis-rate-limit-store/redis-rate-limit-store.js';
import type { RateLimiter } from '../../../../../src/application/gateway/limit-rate/rate-limiter.js';
import { RateLimiterPool } from '../../../../../src/application/gateway/limit-rate/rate-limiter-pool.js';
import type { OnStoreFailure } from '../../../../../src/domain/gateway/configuration/rate-limit-options.js';
import { it } from '../../../../support/shared/fixtures.js';
import { describeWithPeers } from '../../../../support/shared/peers.js';
import { RecordingLogger } from '../../../../support/shared/recording-logger.js';
import { startRedis } from '../../../../support/shared/redis-server.js';

describeWithPeers(['redis-server'], 'rates counted in a Redis server', () => {
  const take = async (limiter: RateLimiter, times: number): Promise<string[]> => {
    const charges = [{ space: 'client', key: '203.0.113.7', limit: { requestsPerSecond: 0.000_1, burst: 5 } }];
    const kinds: string[] = [];
    for (let index = 0; index < times; index += 1) {
      const judgement = await limiter.take(charges);
      kinds.push(judgement.kind === 'undecided' ? `let through: ${judgement.isAllowed}` : judgement.kind);
    }
    return kinds;
  };
  const times = (count: number, kind: string): string[] => new Array<string>(count).fill(kind);

  it.for<[OnStoreFailure, string[]]>([
    ['local', [...times(5, 'taken'), ...times(5, 'refused')]],
    ['allow', times(10, 'let through: true')],
    ['deny', times(10, 'let through: false')],
  ])(
    'follow on-store-failure "%s" while it is down, and continue when it returns',
    async ([onFailure, away], { cleanUp }) => {
      const redis = await startRedis({ isDurable: true });
      cleanUp.add(redis.remove);
      const clock = new SystemClock();
      const logger = new RecordingLogger();
      const limiters = new RateLimiterPool({
        clock,
        logger,
        scheduler: new NodeScheduler(),
        memory: new MemoryRateLimitStore(clock),
        openShared: (url) => RedisRateLimitStore.open(url, { answerMs: 10_000 }),
      });
      const { limiter, release } = await limiters.use({ kind: 'redis', url: redis.url(), onFailure });
      cleanUp.add(release);
      expect(await take(limiter, 4)).toEqual(times(4, 'taken'));
      expect(limiters.isStoreUp()).toBe(true);
      await redis.kill();
      expect(await take(limiter, 10)).toEqual(away);
      expect(limiters.isStoreUp()).toBe(false);
      await redis.start();
      while (logger.lines.length < 2) {
        await limiter.check();
        await sleep(20);
      }
      expect(limiters.isStoreUp()).toBe(true);
      expect(await take(limiter, 2)).toEqual(['taken', 'refused']);
      expect(logger.lines.map(({ level, message }) => `${level} ${message}`)).toEqual([
        'warn Rate limit store is unavailable',
        'info Rate limit store is available again',
      ]);
    },
  );
});
