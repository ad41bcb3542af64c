import fc from 'fast-check';
import { expect, it } from 'vitest';
import type {
  RateLimitAnswer,
  RateLimitCharge,
} from '../../../../../../src/application/ports/shared/rate-limit-store.js';
import type { RateLimit } from '../../../../../../src/domain/shared/token-bucket.js';
import { type RateWorker, RateWorkers } from '../../../../../support/gateway/rate-workers.js';

/** Most of these buckets are full again after the lease time. */
const limits: fc.Arbitrary<RateLimit> = fc
  .record({
    fillingMs: fc.oneof(
      { weight: 4, arbitrary: fc.integer({ min: 5, max: 150 }) },
      fc.integer({ min: 150, max: 60_000 }),
    ),
    burst: fc.oneof({ weight: 4, arbitrary: fc.integer({ min: 8, max: 80 }) }, fc.integer({ min: 1, max: 8 })),
  })
  .map(({ fillingMs, burst }) => ({ requestsPerSecond: (burst * 1000) / fillingMs, burst }));

/** A sequence of pseudo-random numbers from a seed. */
const drawn = (seed: number, below: number): (() => number) => {
  let state = seed;
  return () => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return (state / 2 ** 32) * below;
  };
};

/**
 * The tokens left of a limit after admissions at these moments; negative if there were too many between any
 * two of them.
 */
const leastLeft = (moments: readonly number[], { requestsPerSecond, burst }: RateLimit): number => {
  let [tokens, atMs, least] = [burst, 0, burst];
  for (const moment of [...moments].sort((one, other) => one - other)) {
    tokens = Math.min(burst, tokens + ((moment - atMs) * requestsPerSecond) / 1000) - 1;
    atMs = moment;
    least = Math.min(least, tokens);
  }
  return least;
};

/** The moments at which the supervisor gave tokens to requests of a worker. */
const givenTo = (worker: RateWorker): readonly number[] =>
  worker.answers().flatMap(({ answer, atMs }) => answer.requests.filter((each) => each === null).map(() => atMs));

const steps = fc.array(
  fc.record({
    act: fc.oneof(
      { weight: 8, arbitrary: fc.constant('take' as const) },
      { weight: 3, arbitrary: fc.constant('flood' as const) },
      { weight: 1, arbitrary: fc.constantFrom('die' as const, 'move clock' as const, 'pause' as const) },
    ),
    worker: fc.nat(2),
    times: fc.integer({ min: 1, max: 12 }),
    thenMs: fc.oneof(fc.constant(0), fc.integer({ min: 1, max: 80 })),
  }),
  { minLength: 10, maxLength: 50 },
);

it('all workers together never admit more than burst and rate permit, in any interval', async () => {
  const slowest = fc.constantFrom(1, 10, 400);
  const property = fc.asyncProperty(limits, steps, fc.nat(), slowest, async (limit, acts, seed, slowestMs) => {
    const gateway = new RateWorkers({ delayMs: drawn(seed, slowestMs) });
    const workers = [gateway.start(), gateway.start(), gateway.start()];
    const everyone = [...workers];
    const moments: number[] = [];
    const take = (worker: RateWorker, times: number): void => {
      for (let time = 0; time < times; time += 1) {
        const answer = worker.store.take([{ space: 'client', key: 'a', limit }]);
        if (!(answer instanceof Promise) && answer.kind === 'taken') moments.push(gateway.clock.monotonicMs());
      }
    };
    for (const { act, worker: index, times, thenMs } of acts) {
      const worker = workers[index] as RateWorker;
      if (act === 'take') take(worker, times);
      else if (act === 'flood') for (const each of workers) take(each, limit.burst);
      else if (act === 'move clock') worker.clock.offsetMs += (times - 6) * 1_000;
      else if (act === 'pause') await gateway.advance(times * 20);
      else {
        worker.die();
        workers[index] = gateway.start();
        everyone.push(workers[index] as RateWorker);
      }
      await gateway.advance(thenMs);
    }
    moments.push(...everyone.flatMap(givenTo));
    expect(leastLeft(moments, limit)).toBeGreaterThan(-1e-6);
    expect(gateway.faults).toEqual([]);
  });
  await fc.assert(property, { numRuns: 60 });
});

it('continuous demand gets at least 95 % of the rate, with one worker or several', async () => {
  const demand = fc.record({
    // The default burst is ten times the rate; this test uses far less.
    requestsPerSecond: fc.integer({ min: 20, max: 8_000 }),
    burstMs: fc.oneof(fc.integer({ min: 20, max: 50 }), fc.integer({ min: 50, max: 1_000 })),
    workers: fc.integer({ min: 1, max: 4 }),
    seed: fc.nat(),
  });
  const property = fc.asyncProperty(demand, async ({ requestsPerSecond, burstMs, workers: count, seed }) => {
    const limit = { requestsPerSecond, burst: Math.max(2, Math.ceil((requestsPerSecond * burstMs) / 1000)) };
    const gateway = new RateWorkers({ delayMs: drawn(seed, 3) });
    const workers = Array.from({ length: count }, () => gateway.start());
    const stepMs = burstMs < 50 ? 2 : 4;
    const each = Math.ceil((limit.burst / 50 + (requestsPerSecond * stepMs) / 1000) / count) + 1;
    const forMs = burstMs < 50 ? 300 : 600;
    let had = 0;
    const count1 = (answer: RateLimitAnswer): void => {
      if (answer.kind === 'taken') had += 1;
    };
    for (let atMs = 0; atMs < forMs; atMs += stepMs) {
      for (const { store } of workers) {
        for (let time = 0; time < each; time += 1) {
          const answer = store.take([{ space: 'global', key: '', limit }]);
          if (answer instanceof Promise) void answer.then(count1);
          else count1(answer);
        }
      }
      await gateway.advance(stepMs);
    }
    await gateway.advance(10);
    const most = limit.burst + (requestsPerSecond * (forMs + 10)) / 1000;
    expect(had).toBeLessThanOrEqual(most);
    // One more for a partial token.
    expect(had).toBeGreaterThanOrEqual(0.95 * (limit.burst + (requestsPerSecond * (forMs - stepMs)) / 1000) - 1);
  });
  await fc.assert(property, { numRuns: 12 });
});

it('steady demand below the rate never waits for the supervisor, except at the beginning', async () => {
  const use = fc.record({
    perMs: fc.integer({ min: 1, max: 8 }),
    workers: fc.integer({ min: 1, max: 4 }),
    slowestMs: fc.constantFrom(0, 1, 5),
    seed: fc.nat(),
  });
  const property = fc.asyncProperty(use, async ({ perMs, workers: count, slowestMs, seed }) => {
    const limit = { requestsPerSecond: perMs * count * 2_000, burst: perMs * count * 2_000 };
    const gateway = new RateWorkers({ delayMs: drawn(seed, slowestMs) });
    const workers = Array.from({ length: count }, () => gateway.start());
    for (let atMs = 0; atMs < 400; atMs += 1) {
      const answers = workers.flatMap(({ store }) =>
        Array.from({ length: perMs }, () => store.take([{ space: 'global', key: '', limit }])),
      );
      if (atMs >= 100) expect(answers.filter((answer) => answer instanceof Promise)).toEqual([]);
      await gateway.advance(1);
    }
    expect(gateway.faults).toEqual([]);
  });
  await fc.assert(property, { numRuns: 8 });
});

it('a request takes a token of every bucket or of none, and no token is left reserved', async () => {
  const keys = fc.subarray(['a', 'b', 'c'], { minLength: 1 });
  const requests = fc.array(
    fc.record({ keys, worker: fc.nat(2), times: fc.integer({ min: 1, max: 12 }), thenMs: fc.nat(60) }),
    {
      minLength: 5,
      maxLength: 40,
    },
  );
  const bursts = fc.tuple(
    fc.integer({ min: 1, max: 400 }),
    fc.integer({ min: 1, max: 100 }),
    fc.integer({ min: 1, max: 20 }),
  );
  const property = fc.asyncProperty(requests, bursts, fc.nat(), async (asked, [a, b, c], seed) => {
    const gateway = new RateWorkers({ delayMs: drawn(seed, 20) });
    const workers = [gateway.start(), gateway.start(), gateway.start()];
    const burstOf: Readonly<Record<string, number>> = { a, b, c };
    // The buckets gain no token during the test.
    const charge = (key: string): RateLimitCharge => ({
      space: `space of ${key}`,
      key,
      limit: { requestsPerSecond: 1e-9, burst: burstOf[key] as number },
    });
    const spent: Record<string, number> = { a: 0, b: 0, c: 0 };
    const settled: Promise<void>[] = [];
    for (const { keys: of, worker, times, thenMs } of asked) {
      for (let time = 0; time < times; time += 1) {
        const answer = Promise.resolve((workers[worker] as RateWorker).store.take(of.map(charge)));
        settled.push(
          answer.then(({ kind }) => {
            expect(kind).not.toBe('unavailable');
            if (kind === 'taken') for (const key of of) spent[key] = (spent[key] as number) + 1;
          }),
        );
      }
      await gateway.advance(thenMs);
    }
    await gateway.advance(2_500);
    await Promise.all(settled);
    for (const key of ['a', 'b', 'c']) {
      const left = gateway.buckets.find(`space of ${key}`, key)?.tokens ?? burstOf[key];
      expect(left).toBeCloseTo((burstOf[key] as number) - (spent[key] as number), 5);
    }
    expect(gateway.leases.lentTokens()).toBe(0);
    expect(workers.map(({ store }) => store.sizes())).toEqual([{}, {}, {}]);
    expect(gateway.scheduler.waiting).toBe(0);
  });
  await fc.assert(property, { numRuns: 60 });
});
