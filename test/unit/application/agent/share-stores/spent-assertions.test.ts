import { describe, expect, it } from 'vitest';
import {
  assertionDeadlineMs,
  RemoteSpentAssertions,
  SharedSpentAssertions,
} from '../../../../../src/application/agent/share-stores/remote-spent-assertions.js';
import { supervisedWorker } from '../../../../support/gateway/supervised-workers.js';
import { ManualClock } from '../../../../support/shared/manual-clock.js';
import { ManualScheduler, settled } from '../../../../support/shared/manual-scheduler.js';

const gateway = () => {
  const clock = new ManualClock();
  const scheduler = new ManualScheduler(clock);
  const shared = new SharedSpentAssertions(clock);
  const startWorker = () => {
    const { supervisor, worker, link } = supervisedWorker(scheduler);
    shared.serve(supervisor);
    return { memory: new RemoteSpentAssertions(worker, clock), link };
  };
  return { clock, scheduler, startWorker };
};

describe('client assertions used by workers', () => {
  it('are accepted by only one worker, concurrently or later, even after it died', async () => {
    const { startWorker } = gateway();
    const workers = [startWorker(), startWorker(), startWorker()];
    const answers = await Promise.all(workers.map(({ memory }) => memory.of('auth').take('desk', 'jti-1')));
    expect(answers.toSorted()).toEqual(['first', 'seen', 'seen']);
    for (const { link } of workers) link.close();
    const replacement = startWorker().memory.of('auth');
    expect(replacement.has('desk', 'jti-1')).toBe(false);
    expect(await replacement.take('desk', 'jti-1')).toBe('seen');
    // Known here by now: it is refused before it takes anything of the client's rate.
    expect(replacement.has('desk', 'jti-1')).toBe(true);
  });

  it('are separate per agent and client', async () => {
    const { startWorker } = gateway();
    const [one, other] = [startWorker().memory, startWorker().memory];
    expect(await one.of('auth').take('desk', 'jti')).toBe('first');
    expect(await other.of('partner-auth').take('desk', 'jti')).toBe('first');
    expect(await other.of('auth').take('shop', 'jti')).toBe('first');
    expect(await other.of(null).take('desk', 'jti')).toBe('first');
  });

  it('can be used again after a release', async () => {
    const { startWorker } = gateway();
    const [one, other] = [startWorker().memory.of('auth'), startWorker().memory.of('auth')];
    expect(await one.take('desk', 'jti')).toBe('first');
    one.giveBack('desk', 'jti');
    expect(one.has('desk', 'jti')).toBe(false);
    await settled();
    expect(await other.take('desk', 'jti')).toBe('first');
  });

  it("are refused without the supervisor's confirmation", async () => {
    const { scheduler } = gateway();
    const { worker, link } = supervisedWorker(scheduler);
    const memory = new RemoteSpentAssertions(worker, new ManualClock()).of('auth');
    // Nobody listens at the other end of it.
    link.other?.onMessage(() => undefined);
    const taken = memory.take('desk', 'jti');
    await scheduler.advance(assertionDeadlineMs);
    expect(await taken).toBe('unavailable');
    expect(memory.has('desk', 'jti')).toBe(false);
  });
});
