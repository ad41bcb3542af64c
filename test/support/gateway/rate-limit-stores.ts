import { setTimeout as sleep } from 'node:timers/promises';
import { MemoryRateLimitStore } from '../../../src/adapters/outbound/memory-rate-limit-store/memory-rate-limit-store.js';
import { RedisRateLimitStore } from '../../../src/adapters/outbound/redis-rate-limit-store/redis-rate-limit-store.js';
import type { RateLimitStore } from '../../../src/application/ports/shared/rate-limit-store.js';
import { CleanUp } from '../shared/clean-up.js';
import { ManualClock } from '../shared/manual-clock.js';
import { describeWithPeers, type Peer } from '../shared/peers.js';
import { startRedis } from '../shared/redis-server.js';
import { RateWorkers } from './rate-workers.js';

/** Where the buckets of a group of tests are. */
export interface BucketPlace {
  /** Opens the store as another gateway would that was given the same place. */
  open(most?: number): Promise<RateLimitStore>;
  /** Lets the time of the buckets go on. */
  elapse(ms: number): Promise<void>;
  remove(): Promise<void>;
}

interface StoreTechnology {
  readonly name: string;
  readonly peers: readonly Peer[];
  place(): Promise<BucketPlace>;
}

const memory: StoreTechnology = {
  name: 'memory',
  peers: [],
  async place() {
    const clock = new ManualClock();
    return {
      open: async (most) => new MemoryRateLimitStore(clock, most),
      elapse: async (ms) => clock.advance(ms),
      remove: async () => undefined,
    };
  },
};

const leases: StoreTechnology = {
  name: 'leases of a supervisor',
  peers: [],
  async place() {
    const opened: RateWorkers[] = [];
    return {
      async open(most) {
        const workers = new RateWorkers({ ...(most === undefined ? {} : { mostBuckets: most, mostKnown: most }) });
        opened.push(workers);
        const { store } = workers.start();
        return {
          async take(charges) {
            const answer = store.take(charges);
            if (answer instanceof Promise) await workers.advance(0);
            return answer;
          },
          sizes: () => store.sizes(),
          close: () => store.close(),
        };
      },
      async elapse(ms) {
        for (const workers of opened) await workers.advance(ms);
      },
      remove: async () => undefined,
    };
  },
};

const redis: StoreTechnology = {
  name: 'redis',
  peers: ['redis-server'],
  async place() {
    const server = await startRedis();
    const opened = new CleanUp();
    const timeMs = async (): Promise<number> => {
      const [seconds, microseconds] = (await server.send('TIME')) as [string, string];
      return Number(seconds) * 1000 + Number(microseconds) / 1000;
    };
    return {
      async open(most) {
        const store = await RedisRateLimitStore.open(server.url(), {
          answerMs: 10_000,
          ...(most === undefined ? {} : { maxBuckets: most }),
        });
        opened.add(() => store.close());
        return store;
      },
      async elapse(ms) {
        const untilMs = (await timeMs()) + ms + 1;
        for (let nowMs = await timeMs(); nowMs < untilMs; nowMs = await timeMs()) await sleep(untilMs - nowMs);
      },
      async remove() {
        await opened.run();
        await server.remove();
      },
    };
  },
};

/** The same tests for every technology. */
export const describeRateLimitStores = (what: string, tests: (place: () => Promise<BucketPlace>) => void): void => {
  for (const { name, peers, place } of [memory, leases, redis]) {
    describeWithPeers(peers, `${what}, in ${name}`, () => tests(place));
  }
};
