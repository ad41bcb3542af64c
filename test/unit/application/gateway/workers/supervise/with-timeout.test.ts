import { describe, expect, it } from 'vitest';
import { withTimeout } from '../../../../../../src/application/gateway/workers/supervise/with-timeout.js';
import { ManualClock } from '../../../../../support/shared/manual-clock.js';
import { ManualScheduler } from '../../../../../support/shared/manual-scheduler.js';

const setUp = () => new ManualScheduler(new ManualClock());

describe('withTimeout', () => {
  it('ends when the promise resolves, and leaves no timer', async () => {
    const scheduler = setUp();
    await withTimeout(Promise.resolve('done'), 1_000, scheduler);
    expect(scheduler.waiting).toBe(0);
  });

  it('ends at the deadline', async () => {
    const scheduler = setUp();
    let isOver = false;
    const waiting = withTimeout(new Promise(() => undefined), 1_000, scheduler).then(() => {
      isOver = true;
    });
    await scheduler.advance(999);
    expect(isOver).toBe(false);
    await scheduler.advance(1);
    await waiting;
    expect(isOver).toBe(true);
  });

  it('passes a rejection on to its caller, and leaves no timer', async () => {
    const scheduler = setUp();
    await expect(withTimeout(Promise.reject(new Error('no worker')), 1_000, scheduler)).rejects.toThrow('no worker');
    expect(scheduler.waiting).toBe(0);
  });

  it('ignores a rejection after the deadline', async () => {
    const scheduler = setUp();
    let fail = (_error: Error): void => undefined;
    const what = new Promise<void>((_resolve, reject) => {
      fail = reject;
    });
    const waiting = withTimeout(what, 1_000, scheduler);
    await scheduler.advance(1_000);
    fail(new Error('too late'));
    await expect(waiting).resolves.toBeUndefined();
  });
});
