import { describe, expect, it } from 'vitest';
import type {
  RateLimitAnswer,
  RateLimitCharge,
} from '../../../../../../src/application/ports/shared/rate-limit-store.js';
import { type RateWorker, RateWorkers, type RateWorkersOptions } from '../../../../../support/gateway/rate-workers.js';

/** Buckets that gain no token during a test. */
const still = (key: string, burst: number): RateLimitCharge => ({
  space: 'client',
  key,
  limit: { requestsPerSecond: 1e-6, burst },
});

const setUp = (options: RateWorkersOptions = {}) => {
  const gateway = new RateWorkers(options);
  const worker = gateway.start();
  const settle = async (answer: RateLimitAnswer | Promise<RateLimitAnswer>): Promise<RateLimitAnswer> => {
    await gateway.advance(0);
    return answer;
  };
  const takes = async (of: RateWorker, times: number, ...charges: RateLimitCharge[]): Promise<number> => {
    const answers = Array.from({ length: times }, () => of.store.take(charges));
    await gateway.advance(0);
    return (await Promise.all(answers)).filter(({ kind }) => kind === 'taken').length;
  };
  /** Uses a bucket so often that the supervisor lends tokens. */
  const borrow = async (of: RateWorker, charge: RateLimitCharge, uses: number): Promise<void> => {
    await takes(of, uses, charge);
    await takes(of, 1, charge);
  };
  return { gateway, worker, settle, takes, borrow };
};

describe('the tokens of a worker', () => {
  it('are requested in one message per turn', async () => {
    const { worker, takes } = setUp();
    expect(await takes(worker, 50, still('a', 1_000), still('b', 1_000))).toBe(50);
    expect(worker.questions()).toHaveLength(1);
    expect(worker.questions()[0]?.buckets).toHaveLength(2);
  });

  it('are taken synchronously if they were lent, with the number left', async () => {
    const { worker, borrow } = setUp();
    const charge = still('a', 1_000);
    await borrow(worker, charge, 20);
    const asked = worker.questions().length;
    const answers = Array.from({ length: 20 }, () => worker.store.take([charge]));
    // Before the tokens that the last requests fetched arrive.
    const left = answers.map((answer) =>
      !(answer instanceof Promise) && answer.kind === 'taken' ? answer.left[0] : null,
    );
    expect(left).toEqual(Array.from({ length: 20 }, (_, index) => 1_000 - 22 - index));
    expect(worker.questions()).toHaveLength(asked);
    expect(worker.store.take([charge])).toBeInstanceOf(Promise);
  });

  it('are fetched in advance in one message, so that no request waits for them', async () => {
    const { gateway, worker, borrow } = setUp();
    const charge = still('a', 10_000);
    await borrow(worker, charge, 40);
    const asked = worker.questions().length;
    for (let turn = 0; turn < 20; turn += 1) {
      const answers = Array.from({ length: 15 }, () => worker.store.take([charge]));
      expect(answers.filter((answer) => answer instanceof Promise)).toEqual([]);
      await gateway.advance(3);
    }
    const fetches = worker.questions().slice(asked);
    expect(fetches.every(({ requests }) => requests.length === 0)).toBe(true);
    expect(fetches.length).toBeLessThan(20);
  });

  it('are not fetched from a bucket with too few, for any demand', async () => {
    const { gateway, worker, takes } = setUp();
    const charge = { space: 'client', key: 'a', limit: { requestsPerSecond: 100, burst: 200 } };
    await takes(worker, 300, charge);
    const asked = worker.questions().length;
    for (let turn = 0; turn < 100; turn += 1) await takes(worker, 50, charge);
    expect(worker.questions()).toHaveLength(asked);
    for (let turn = 0; turn < 100; turn += 1) {
      await takes(worker, 50, charge);
      await gateway.advance(1);
    }
    // A token arrives every 10 ms, and an account is sent every 50 ms.
    expect(worker.questions().length - asked).toBeLessThanOrEqual(10 + 2);
  });

  it('that are fetched when the supervisor dies are not awaited', async () => {
    const { gateway, worker, borrow } = setUp();
    const charge = still('a', 10_000);
    await borrow(worker, charge, 40);
    await Promise.all(Array.from({ length: 30 }, () => worker.store.take([charge])));
    worker.die();
    await gateway.advance(1_000);
    expect(gateway.scheduler.waiting).toBe(0);
  });

  it('of a rarely used bucket are requested one by one', async () => {
    const { gateway, worker, takes } = setUp();
    for (let time = 0; time < 5; time += 1) {
      expect(await takes(worker, 1, still('a', 1_000))).toBe(1);
      await gateway.advance(120);
    }
    expect(gateway.leases.lentTokens()).toBe(0);
    expect(worker.answers().every(({ answer }) => answer.buckets[0]?.lent === 0)).toBe(true);
  });

  it('return after 100 ms, for other workers', async () => {
    const { gateway, worker, borrow, takes } = setUp();
    const other = gateway.start();
    await borrow(worker, still('a', 160), 20);
    expect(gateway.leases.lentTokens()).toBe(20);
    expect(await takes(other, 200, still('a', 160))).toBe(160 - 21 - 20);
    await gateway.advance(200);
    expect(gateway.leases.lentTokens()).toBe(0);
    expect(await takes(other, 200, still('a', 160))).toBe(20);
    expect(await takes(worker, 200, still('a', 160))).toBe(0);
  });

  it('return when the store closes', async () => {
    const { gateway, worker, borrow } = setUp();
    await borrow(worker, still('a', 160), 20);
    await worker.store.close();
    await gateway.advance(0);
    expect(gateway.leases.lentTokens()).toBe(0);
    expect(gateway.buckets.find('client', 'a')?.tokens).toBeCloseTo(139, 3);
  });

  it('are refused without a question while the bucket is known to be empty', async () => {
    const { gateway, worker, takes, settle } = setUp();
    const charge = { space: 'client', key: 'a', limit: { requestsPerSecond: 10, burst: 2 } };
    expect(await takes(worker, 3, charge)).toBe(2);
    const asked = worker.questions().length;
    expect(await takes(worker, 1_000, charge)).toBe(0);
    expect(worker.store.take([charge])).toMatchObject({ kind: 'refused', refusedBy: 0, waitMs: 100 });
    await gateway.advance(40);
    expect(worker.store.take([charge])).toMatchObject({ kind: 'refused', waitMs: 60 });
    expect(worker.questions().filter(({ requests }) => requests.length > 0)).toHaveLength(asked);
    await gateway.advance(60);
    expect((await settle(worker.store.take([charge]))).kind).toBe('taken');
  });

  it('name the bucket with the longest wait, and the known state of the others', async () => {
    const { worker, takes } = setUp();
    const slow = { space: 'route', key: 'a', limit: { requestsPerSecond: 2, burst: 1 } };
    const quick = { space: 'global', key: 'a', limit: { requestsPerSecond: 5, burst: 1 } };
    await takes(worker, 1, slow);
    await takes(worker, 1, quick);
    await takes(worker, 1, still('b', 9));
    const answer = worker.store.take([quick, still('b', 9), slow, still('new', 4)]);
    expect(answer).toMatchObject({ kind: 'refused', refusedBy: 2, waitMs: 500, left: [0, 8, 0, 4] });
  });

  it('of other buckets are not spent if one bucket refuses, and stay lent', async () => {
    const { gateway, worker, borrow, takes } = setUp();
    await borrow(worker, still('a', 800), 50);
    const other = gateway.start();
    await takes(other, 1, still('empty', 1));
    expect(await takes(worker, 1, still('a', 800), still('empty', 1))).toBe(0);
    const asked = worker.questions().length;
    expect(
      Array.from({ length: 50 }, () => worker.store.take([still('a', 800)])).map((each) => each instanceof Promise),
    ).toEqual(Array.from({ length: 50 }, () => false));
    expect(worker.questions()).toHaveLength(asked);
  });

  it('under an old limit return after a reload', async () => {
    const { gateway, worker, borrow, takes } = setUp();
    await borrow(worker, still('a', 800), 50);
    expect(await takes(worker, 100, still('a', 20))).toBe(20);
    expect(gateway.leases.lentTokens()).toBe(0);
  });

  it('expire if a clock is set back', async () => {
    const { gateway, worker, takes } = setUp();
    expect(await takes(worker, 5, still('a', 2))).toBe(2);
    worker.clock.offsetMs = -3_600_000;
    expect(await takes(worker, 5, still('a', 2))).toBe(0);
    worker.clock.offsetMs = 3_600_000;
    expect(await takes(worker, 5, still('a', 2))).toBe(0);
    await gateway.advance(1_500);
    expect(worker.store.sizes()).toEqual({});
  });

  it('are leased for a bounded number of buckets; without room a request is undecided', async () => {
    const { worker, takes, settle } = setUp({ mostKnown: 3 });
    for (const key of ['a', 'b', 'c', 'd', 'e']) expect(await takes(worker, 1, still(key, 1))).toBe(1);
    // The first account is not yet due; all leases are idle again.
    expect(worker.store.sizes()).toEqual({ client: 3 });
    const four = ['f', 'g', 'h', 'i'].map((key) => worker.store.take([still(key, 1)]));
    expect(four[3]).toEqual({ kind: 'unavailable', detail: 'too many buckets are in use at once' });
    expect(await settle(four[0] as RateLimitAnswer)).toMatchObject({ kind: 'taken' });
    expect(worker.store.sizes()).toEqual({ client: 3 });
  });
});

describe('a supervisor that does not answer', () => {
  const silent = 1e6;

  it('leaves requests undecided after 250 ms, and no token reserved', async () => {
    const delay = { ms: 0 };
    const { gateway, worker, borrow } = setUp({ delayMs: () => delay.ms });
    await borrow(worker, still('lent', 800), 20);
    delay.ms = silent;
    const answer = Promise.resolve(worker.store.take([still('lent', 800), still('new', 5)]));
    await gateway.advance(250);
    expect(await answer).toEqual({ kind: 'unavailable', detail: 'the supervisor did not answer in time' });
    await gateway.advance(silent);
    await gateway.advance(silent);
    expect(gateway.leases.lentTokens()).toBe(0);
    expect(gateway.buckets.find('client', 'lent')?.tokens).toBeCloseTo(800 - 21, 1);
  });

  it('can answer late: the lent tokens are used or returned', async () => {
    const delay = { ms: 0 };
    const { gateway, worker, takes } = setUp({ delayMs: () => delay.ms });
    await takes(worker, 20, still('a', 800));
    delay.ms = 200;
    const answer = worker.store.take([still('a', 800)]);
    await gateway.advance(400);
    expect((await answer).kind).toBe('unavailable');
    delay.ms = 0;
    expect(worker.store.take([still('a', 800)])).toMatchObject({ kind: 'taken' });
    await gateway.advance(200);
    expect(gateway.leases.lentTokens()).toBe(0);
    // The token of the request that timed out is lost.
    expect(gateway.buckets.find('client', 'a')?.tokens).toBeCloseTo(800 - 22, 3);
  });

  it('because it is gone is not awaited', async () => {
    const { worker, settle } = setUp();
    worker.die();
    const gone = { kind: 'unavailable', detail: 'the supervisor is gone' };
    expect(worker.store.take([still('a', 1)])).toEqual(gone);
    expect(worker.store.take([])).toEqual(gone);
    expect(await settle(worker.store.take([still('b', 1)]))).toEqual(gone);
  });

  it('has at most 10 000 waiting requests', async () => {
    const { gateway, worker } = setUp({ delayMs: () => silent });
    const answers = Array.from({ length: 10_001 }, () => worker.store.take([still('a', 10)]));
    expect(answers.slice(0, 10_000).every((answer) => answer instanceof Promise)).toBe(true);
    expect(answers[10_000]).toEqual({ kind: 'unavailable', detail: 'too many requests wait for the supervisor' });
    await gateway.advance(250);
    expect((await Promise.all(answers)).every(({ kind }) => kind === 'unavailable')).toBe(true);
  });
});
