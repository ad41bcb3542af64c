import { describe, expect, it } from 'vitest';
import { MemoryRateLimitStore } from '../../../../../../src/adapters/outbound/memory-rate-limit-store/memory-rate-limit-store.js';
import { RateLeaseServer } from '../../../../../../src/application/gateway/workers/share-rates/rate-lease-server.js';
import {
  type BucketRequest,
  type RateAnswer,
  type RateQuestion,
  rateAnswers,
  rateQuestions,
} from '../../../../../../src/application/gateway/workers/share-rates/rate-messages.js';
import { WorkerChannel } from '../../../../../../src/application/shared/worker-channel/worker-channel.js';
import { linkedPair } from '../../../../../support/gateway/linked-pair.js';
import { ManualClock } from '../../../../../support/shared/manual-clock.js';
import { ManualScheduler, settled } from '../../../../../support/shared/manual-scheduler.js';

const setUp = () => {
  const clock = new ManualClock();
  const scheduler = new ManualScheduler(clock);
  const buckets = new MemoryRateLimitStore(clock);
  const leases = new RateLeaseServer(buckets, clock);
  const join = () => {
    const [there, here] = linkedPair();
    const fault = (_topic: string, error: unknown): never => {
      throw error;
    };
    const worker = new WorkerChannel(here, scheduler, fault);
    const answers: RateAnswer[] = [];
    worker.hear(rateAnswers, (answer) => answers.push(answer));
    const leave = leases.join(new WorkerChannel(there, scheduler, fault));
    const ask = async (question: RateQuestion): Promise<RateAnswer | null> => {
      worker.tell(rateQuestions, question);
      await settled();
      return answers.pop() ?? null;
    };
    return { ask, leave };
  };
  return { clock, buckets, leases, join };
};

const limit = { requestsPerSecond: 1, burst: 80 };
const bucket = (more: Partial<BucketRequest> = {}): BucketRequest => ({
  space: 'client',
  key: 'a',
  limit,
  spent: 0,
  returned: 0,
  wished: 0,
  ...more,
});
const question = (buckets: readonly BucketRequest[], requests: RateQuestion['requests'] = [[0]]): RateQuestion => ({
  number: 7,
  buckets,
  requests,
});
const account = (...buckets: readonly BucketRequest[]): RateQuestion => ({ number: 0, buckets, requests: [] });

describe('the rate lease server', () => {
  it('decides the requests of a question in order, and returns the state of the buckets', async () => {
    const { ask } = setUp().join();
    const one = bucket({ key: 'one', limit: { requestsPerSecond: 2, burst: 1 } });
    expect(await ask(question([bucket(), one], [[0, 1], [0, 1], [0]]))).toEqual({
      number: 7,
      requests: [null, { refusedBy: 1, waitMs: 500 }, null],
      buckets: [
        { left: 78, lent: 0, holdMs: 0 },
        { left: 0, lent: 0, holdMs: 500 },
      ],
    });
  });

  it('lends requested tokens, and takes accounts without an answer', async () => {
    const { join, leases, buckets } = setUp();
    const { ask } = join();
    expect((await ask(question([bucket({ wished: 10 })])))?.buckets).toEqual([{ left: 69, lent: 10, holdMs: 0 }]);
    expect(leases.lentTokens()).toBe(10);
    expect(await ask(account(bucket({ spent: 4, returned: 6 })))).toBeNull();
    expect([leases.lentTokens(), buckets.find('client', 'a')?.tokens]).toEqual([0, 75]);
  });

  it('caps returned tokens at the number that was lent', async () => {
    const { join, leases, buckets } = setUp();
    const [honest, other] = [join(), join()];
    await honest.ask(question([bucket({ wished: 10 })]));
    await other.ask(account(bucket({ returned: 50, spent: 50 })));
    expect([leases.lentTokens(), buckets.find('client', 'a')?.tokens]).toEqual([10, 69]);
  });

  it('counts the tokens of a dead worker as spent, and ignores its later messages', async () => {
    const { clock, join, leases, buckets } = setUp();
    const [dead, other] = [join(), join()];
    await dead.ask(question([bucket({ wished: 10 })]));
    clock.advance(100_000);
    dead.leave();
    expect([leases.lentTokens(), buckets.find('client', 'a')?.tokens]).toEqual([0, 70]);
    clock.advance(3_000);
    expect((await other.ask(question([bucket()])))?.buckets[0]?.left).toBe(72);
    expect(await dead.ask(question([bucket({ wished: 10 })]))).toBeNull();
    expect(leases.lentTokens()).toBe(0);
  });

  it('holds no bucket without lent tokens, and counts those with them', async () => {
    const { join, leases } = setUp();
    const { ask } = join();
    for (let index = 0; index < 50; index += 1) {
      await ask(question([bucket({ key: `${index}`, wished: 2 })]));
      await ask(account(bucket({ key: `${index}`, returned: 1, spent: 1 })));
    }
    expect(leases.lentTokens()).toBe(0);
    expect(leases.sizes()).toEqual({ client: 50 });
  });
});
