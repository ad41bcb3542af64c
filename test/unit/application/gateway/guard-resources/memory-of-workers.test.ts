import { describe, expect, it } from 'vitest';
import { MemoryOfWorkers } from '../../../../../src/application/gateway/guard-resources/memory-of-workers.js';
import { MemoryReports } from '../../../../../src/application/gateway/guard-resources/memory-reports.js';
import { WorkerChannel } from '../../../../../src/application/shared/worker-channel/worker-channel.js';
import { linkedPair } from '../../../../support/gateway/linked-pair.js';
import { ManualClock } from '../../../../support/shared/manual-clock.js';
import { ManualScheduler } from '../../../../support/shared/manual-scheduler.js';

const setUp = () => {
  const scheduler = new ManualScheduler(new ManualClock());
  const supervisor = { bytes: 10 };
  const all = new MemoryOfWorkers({ residentBytes: () => supervisor.bytes });
  const start = (bytes: number, isGuarded = true) => {
    const [there, here] = linkedPair();
    const correspond = (link: typeof there) =>
      new WorkerChannel(link, scheduler, (_topic, error) => {
        throw error;
      });
    const leave = all.join(correspond(there));
    const held = { bytes, isGuarded };
    const figures = { residentBytes: () => held.bytes };
    const reports = new MemoryReports({ supervisor: correspond(here), figures, scheduler });
    reports.start(() => held.isGuarded);
    return {
      held,
      reports,
      told: () => here.sent.length,
      die: () => {
        there.close();
        leave();
      },
    };
  };
  return { scheduler, supervisor, all, start };
};

describe('the memory of all workers', () => {
  it('is known to each of them, without its own share, within 250 ms', async () => {
    const { scheduler, supervisor, all, start } = setUp();
    const [one, two] = [start(100), start(200)];
    await scheduler.advance(250);
    expect([one.reports.othersBytes(), two.reports.othersBytes(), all.totalBytes()]).toEqual([210, 110, 310]);
    supervisor.bytes = 20;
    one.held.bytes = 150;
    await scheduler.advance(250);
    expect([one.reports.othersBytes(), two.reports.othersBytes(), all.totalBytes()]).toEqual([220, 170, 370]);
  });

  it('no longer includes a worker as soon as it has died', async () => {
    const { scheduler, all, start } = setUp();
    const [one, two] = [start(100), start(200)];
    await scheduler.advance(250);
    two.die();
    await scheduler.advance(0);
    expect([one.reports.othersBytes(), all.totalBytes()]).toEqual([10, 110]);
    await scheduler.advance(1_000);
    expect(scheduler.waiting).toBe(1);
    one.die();
    await scheduler.advance(1_000);
    expect([all.totalBytes(), scheduler.waiting]).toEqual([10, 0]);
  });

  it('is reported only once per second while it has no limit', async () => {
    const { scheduler, start } = setUp();
    const { told, held } = start(100, false);
    await scheduler.advance(999);
    expect(told()).toBe(1);
    await scheduler.advance(1);
    expect(told()).toBe(2);
    held.isGuarded = true;
    await scheduler.advance(1_000);
    expect(told()).toBe(3);
    await scheduler.advance(1_000);
    expect(told()).toBe(7);
  });

  it('is not reported after a worker stops', async () => {
    const { scheduler, start } = setUp();
    const { told, reports } = start(100);
    reports.stop();
    await scheduler.advance(1_000);
    expect([told(), scheduler.waiting]).toEqual([1, 0]);
  });
});
