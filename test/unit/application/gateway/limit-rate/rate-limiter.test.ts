import { describe, expect, it } from 'vitest';
import { RateLimiter, type StoreFailureMode } from '../../../../../src/application/gateway/limit-rate/rate-limiter.js';
import type { RateLimitAnswer, RateLimitCharge } from '../../../../../src/application/ports/shared/rate-limit-store.js';
import { FakeRateLimitStore } from '../../../../support/gateway/fake-rate-limit-store.js';
import { ManualClock } from '../../../../support/shared/manual-clock.js';
import { RecordingLogger } from '../../../../support/shared/recording-logger.js';

const charges: readonly RateLimitCharge[] = [
  { space: 'client', key: '203.0.113.7', limit: { requestsPerSecond: 1, burst: 10 } },
];
const taken: RateLimitAnswer = { kind: 'taken', left: [9] };
const unavailable: RateLimitAnswer = { kind: 'unavailable', detail: 'connection refused' };
const away = { level: 'warn', message: 'Rate limit store is unavailable' };
const back = { level: 'info', message: 'Rate limit store is available again', fields: {} };

const limiterWith = (withoutStore: StoreFailureMode = { kind: 'deny' }) => {
  const store = new FakeRateLimitStore();
  const clock = new ManualClock();
  const logger = new RecordingLogger();
  return { store, clock, logger, limiter: new RateLimiter(store, withoutStore, { clock, logger }) };
};

describe('a rate limiter', () => {
  it('returns the answer of the store, synchronously if the store does', async () => {
    const { limiter, store, logger } = limiterWith();
    store.answer = () => taken;
    expect(limiter.take(charges)).toEqual(taken);
    store.answer = async () => ({ kind: 'refused', refusedBy: 0, waitMs: 5, left: [0] });
    expect(await limiter.take(charges)).toEqual({ kind: 'refused', refusedBy: 0, waitMs: 5, left: [0] });
    expect(store.taken).toEqual([charges, charges]);
    expect(logger.lines).toEqual([]);
  });

  it.each([
    ['allow', true],
    ['deny', false],
  ] as const)('obeys on-store-failure "%s" while the store is unavailable', async (kind, isAllowed) => {
    const { limiter, store, logger } = limiterWith({ kind });
    store.answer = async () => unavailable;
    expect(await limiter.take(charges)).toEqual({ kind: 'undecided', isAllowed });
    const fields = { reason: 'connection refused', on_store_failure: kind };
    expect(logger.lines).toEqual([{ ...away, fields }]);
  });

  it('decides by local buckets while the store is unavailable', async () => {
    const local = new FakeRateLimitStore();
    local.answer = () => ({ kind: 'refused', refusedBy: 0, waitMs: 7, left: [0] });
    const { limiter, store } = limiterWith({ kind: 'local', store: local });
    store.answer = async () => unavailable;
    const refused = { kind: 'refused', refusedBy: 0, waitMs: 7, left: [0] };
    expect(await limiter.take(charges)).toEqual(refused);
    expect(limiter.take(charges)).toEqual(refused);
    expect(local.taken).toEqual([charges, charges]);
  });

  it('lets one request per second probe an unavailable store, and no other one wait for it', async () => {
    const { limiter, store, clock } = limiterWith({ kind: 'allow' });
    store.answer = async () => unavailable;
    await limiter.take(charges);
    for (let request = 0; request < 5; request += 1) expect(limiter.take(charges)).not.toBeInstanceOf(Promise);
    expect(store.taken).toHaveLength(1);
    clock.advance(1_000);
    const probe = limiter.take(charges);
    expect(limiter.take(charges)).toEqual({ kind: 'undecided', isAllowed: true });
    expect(await probe).toEqual({ kind: 'undecided', isAllowed: true });
    expect(store.taken).toHaveLength(2);
    clock.advance(999);
    expect(limiter.take(charges)).not.toBeInstanceOf(Promise);
  });

  it('logs one line when the store becomes unavailable and one when it is available again', async () => {
    const { limiter, store, clock, logger } = limiterWith({ kind: 'allow' });
    store.answer = async () => unavailable;
    await Promise.all(Array.from({ length: 50 }, () => limiter.take(charges)));
    for (let second = 0; second < 5; second += 1) {
      clock.advance(1_000);
      await limiter.take(charges);
    }
    expect(logger.lines).toHaveLength(1);
    store.answer = async () => taken;
    clock.advance(1_000);
    expect(await limiter.take(charges)).toEqual(taken);
    expect(await limiter.take(charges)).toEqual(taken);
    expect(logger.lines).toEqual([expect.objectContaining(away), back]);
  });

  it('ignores an answer to a question from before the store became unavailable', async () => {
    const { limiter, store, clock, logger } = limiterWith({ kind: 'allow' });
    const answers: ((answer: RateLimitAnswer) => void)[] = [];
    store.answer = () => new Promise((resolve) => answers.push(resolve));
    const early = limiter.take(charges);
    const failing = limiter.take(charges);
    answers[1]?.(unavailable);
    await failing;
    answers[0]?.(taken);
    expect(await early).toEqual(taken);
    expect(limiter.take(charges)).not.toBeInstanceOf(Promise);
    expect(logger.lines).toHaveLength(1);
    clock.advance(1_000);
    expect(limiter.take(charges)).toBeInstanceOf(Promise);
  });

  it('reports an unavailable store as soon as it is checked', async () => {
    const { limiter, store, logger } = limiterWith();
    store.answer = async () => unavailable;
    await limiter.check();
    expect(store.taken).toEqual([[]]);
    expect(logger.lines).toEqual([expect.objectContaining(away)]);
  });
});
