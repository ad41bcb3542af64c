import { describe, expect, it } from 'vitest';
import { ExpireSessions } from '../../../../../src/application/agent/sessions/expire-sessions.js';
import type { StoreUse } from '../../../../../src/application/agent/sessions/store-state.js';
import type { Stored } from '../../../../../src/application/ports/agent/session-store.js';
import { err, ok } from '../../../../../src/domain/shared/result.js';
import { FakeSessionStore } from '../../../../support/agent/fake-session-store.js';
import { sessionOf } from '../../../../support/agent/remembered-sessions.js';
import { ManualClock } from '../../../../support/shared/manual-clock.js';
import { ManualScheduler, settled } from '../../../../support/shared/manual-scheduler.js';
import { RecordingLogger } from '../../../../support/shared/recording-logger.js';

/** So many that are over; each step takes some of them. */
class FakeExpiring {
  left = 0;
  isDown = false;
  readonly steps: number[] = [];
  atOnce = 0;
  mostAtOnce = 0;

  async removeExpired(_nowMs: number, limit: number): Stored<number> {
    this.atOnce += 1;
    this.mostAtOnce = Math.max(this.mostAtOnce, this.atOnce);
    await settled();
    this.atOnce -= 1;
    if (this.isDown) return err({ reason: 'the file is locked' });
    const removed = Math.min(this.left, limit);
    this.left -= removed;
    this.steps.push(removed);
    return ok(removed);
  }
}

const storeOf = (entries: FakeExpiring) => ({
  insert: async () => ok(undefined),
  find: async () => ok(null),
  take: async () => ok(null),
  removeExpired: entries.removeExpired.bind(entries),
});

const interval = 300_000;

const made = (idleMs: number | null = null) => {
  const clock = new ManualClock();
  const scheduler = new ManualScheduler(clock);
  const logger = new RecordingLogger();
  const sessions = new FakeSessionStore();
  const replays = new FakeExpiring();
  const requests = new FakeExpiring();
  const forms = new FakeExpiring();
  const remembered: string[] = [];
  const failing = new Set<StoreUse>();
  const remember = async (key: string) => {
    remembered.push(key);
    return ok('first' as const);
  };
  const stores = {
    sessions,
    replays: { has: async () => ok(false), remember, removeExpired: replays.removeExpired.bind(replays) },
    requests: storeOf(requests),
    forms: storeOf(forms),
  };
  const state = { fails: (use: StoreUse) => failing.has(use) };
  const expiry = new ExpireSessions({ stores, state, clock, scheduler, logger, intervalMs: interval, idleMs });
  return { clock, scheduler, logger, sessions, replays, requests, forms, failing, remembered, expiry };
};

describe('ExpireSessions', () => {
  it('removes exactly the expired sessions at every interval, and logs their number', async () => {
    const { clock, scheduler, logger, sessions, replays, requests, forms, expiry } = made();
    const nowMs = clock.wallMs();
    for (const name of ['ann', 'bob']) {
      const session = sessionOf(name, nowMs, { expiresMs: nowMs + 1_000 });
      sessions.sessions.set(session.idHash, session);
    }
    const lasting = sessionOf('eve', nowMs);
    sessions.sessions.set(lasting.idHash, lasting);
    replays.left = 3;
    requests.left = 4;
    forms.left = 5;
    expiry.start();
    await scheduler.advance(interval - 1);
    expect(sessions.sessions.size).toBe(3);
    await scheduler.advance(1);
    await scheduler.advance(1_000);
    await settled();
    expect([...sessions.sessions.values()]).toEqual([lasting]);
    expect(logger.lines).toEqual([
      { level: 'info', message: 'expired entries removed', fields: { sessions: 2, replays: 3, requests: 4, forms: 5 } },
    ]);
    await scheduler.advance(3 * interval);
    expect(logger.lines).toHaveLength(1);
  });

  it('keeps sessions whose last use may not be written yet', async () => {
    const { clock, sessions, expiry } = made(60_000);
    const session = sessionOf('ann', clock.wallMs());
    sessions.sessions.set(session.idHash, session);
    clock.advance(180_000);
    await expiry.run();
    expect(sessions.sessions.size).toBe(1);
    clock.advance(1);
    await expiry.run();
    expect(sessions.sessions.size).toBe(0);
  });

  it('works in steps, with pauses for other work', async () => {
    const { scheduler, replays, expiry } = made();
    replays.left = 1_250;
    const run = expiry.run();
    await scheduler.advance(0);
    await settled();
    expect(replays.steps).toEqual([500]);
    await scheduler.advance(19);
    expect(replays.steps).toEqual([500]);
    await scheduler.advance(1);
    await settled();
    await scheduler.advance(20);
    await run;
    expect(replays.steps).toEqual([500, 500, 250]);
  });

  it('never runs twice concurrently, for any duration', async () => {
    const { scheduler, replays, expiry } = made();
    replays.left = 500 * 100_000;
    expiry.start();
    const first = expiry.run();
    expect(expiry.run()).toBe(first);
    await scheduler.advance(5 * 20);
    await expiry.stop();
    expect(replays.mostAtOnce).toBe(1);
  });

  it('continues with the others after a failure, and retries', async () => {
    const { scheduler, logger, replays, requests, expiry } = made();
    replays.isDown = true;
    requests.left = 2;
    expiry.start();
    for (let times = 0; times < 3; times += 1) {
      await scheduler.advance(interval);
      await settled();
      await settled();
    }
    expect(requests.left).toBe(0);
    replays.isDown = false;
    replays.left = 1;
    await scheduler.advance(interval);
    await settled();
    await settled();
    expect(replays.left).toBe(0);
    expect(logger.lines.map(({ level, message }) => `${level} ${message}`)).toEqual([
      'info expired entries removed',
      'info expired entries removed',
    ]);
  });

  it('retries whether a failed store can write', async () => {
    const { failing, remembered, expiry } = made();
    failing.add('read').add('remove');
    await expiry.run();
    expect(remembered).toEqual([]);
    failing.add('keep');
    await expiry.run();
    expect(remembered).toHaveLength(1);
  });

  it('ends with the current step, and leaves no timer', async () => {
    const { scheduler, replays, expiry } = made();
    replays.left = 5_000;
    expiry.start();
    const run = expiry.run();
    await settled();
    await settled();
    await expiry.stop();
    await run;
    expect(replays.steps.length).toBeLessThan(3);
    expect(scheduler.waiting).toBe(0);
    expiry.start();
    await expiry.run();
    expect(scheduler.waiting).toBe(0);
    expect(replays.atOnce).toBe(0);
  });
});
