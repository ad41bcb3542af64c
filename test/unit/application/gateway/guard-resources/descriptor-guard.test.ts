import { beforeEach, describe, expect, it } from 'vitest';
import { DescriptorGuard } from '../../../../../src/application/gateway/guard-resources/descriptor-guard.js';
import { ManualClock } from '../../../../support/shared/manual-clock.js';
import { ManualScheduler } from '../../../../support/shared/manual-scheduler.js';
import { RecordingLogger } from '../../../../support/shared/recording-logger.js';

let limit: number | null;
let isFull: boolean;
let looks: number;
let counted: number;
let logger: RecordingLogger;
let scheduler: ManualScheduler;
let guard: DescriptorGuard;

beforeEach(() => {
  limit = 100;
  isFull = false;
  looks = 0;
  counted = 0;
  logger = new RecordingLogger();
  const clock = new ManualClock();
  scheduler = new ManualScheduler(clock);
  guard = new DescriptorGuard({
    figures: {
      limit: () => limit,
      areExhausted: () => {
        looks += 1;
        return isFull;
      },
    },
    workers: 1,
    scheduler,
    clock,
    logger,
    metrics: {
      descriptorsExhausted: () => {
        counted += 1;
      },
    },
  });
});

const lines = (): readonly string[] => logger.lines.map(({ level }) => level);

describe('the guard of file descriptors', () => {
  it('logs nothing while descriptors are free', async () => {
    guard.start();
    await scheduler.advance(60_000);
    expect([lines(), counted]).toEqual([[], 0]);
  });

  it('counts each check without a free one, and logs a line every ten seconds', async () => {
    guard.start();
    isFull = true;
    await scheduler.advance(30_500);
    expect(counted).toBe(30);
    expect(lines()).toEqual(['error', 'error', 'error']);
    expect(logger.lines[1]).toMatchObject({ fields: { limit: 100, times: 10 } });
  });

  it('logs once that some are free again, after that has lasted', async () => {
    guard.start();
    isFull = true;
    await scheduler.advance(1_000);
    isFull = false;
    await scheduler.advance(9_000);
    expect(lines()).toEqual(['error']);
    await scheduler.advance(20_000);
    expect(lines()).toEqual(['error', 'info']);
  });

  it('checks after a connection only while there are many', () => {
    guard.start();
    guard.noteConnection(10);
    expect(looks).toBe(0);
    isFull = true;
    guard.noteConnection(30);
    expect([looks, counted, lines()]).toEqual([1, 1, ['error']]);
  });

  it('checks after no connection if the limit is unknown', () => {
    limit = null;
    guard.start();
    guard.noteConnection(1_000_000);
    expect(looks).toBe(0);
  });

  it('counts failed connections to upstreams, without a line for each', () => {
    for (let turn = 0; turn < 100; turn += 1) guard.noteExhausted();
    expect([counted, lines()]).toEqual([100, ['error']]);
  });

  it('stops checking when it is stopped', async () => {
    guard.start();
    guard.start();
    guard.stop();
    await scheduler.advance(10_000);
    expect([looks, scheduler.waiting]).toEqual([0, 0]);
  });
});
