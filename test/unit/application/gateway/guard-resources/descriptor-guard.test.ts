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
  it('is silent while some are free', async () => {
    guard.start();
    await scheduler.advance(60_000);
    expect([lines(), counted]).toEqual([[], 0]);
  });

  it('counts each look that finds none, and writes a line each ten seconds', async () => {
    guard.start();
    isFull = true;
    await scheduler.advance(30_500);
    expect(counted).toBe(30);
    expect(lines()).toEqual(['error', 'error', 'error']);
    expect(logger.lines[1]).toMatchObject({ fields: { limit: 100, times: 10 } });
  });

  it('says once that some are free again, when that has lasted', async () => {
    guard.start();
    isFull = true;
    await scheduler.advance(1_000);
    isFull = false;
    await scheduler.advance(9_000);
    expect(lines()).toEqual(['error']);
    await scheduler.advance(20_000);
    expect(lines()).toEqual(['error', 'info']);
  });

  it('looks after a connection only where there are many', () => {
    guard.start();
    guard.noteConnection(10);
    expect(looks).toBe(0);
    isFull = true;
    guard.noteConnection(30);
    expect([looks, counted, lines()]).toEqual([1, 1, ['error']]);
  });

  it('looks after no connection where the limit is unknown', () => {
    limit = null;
    guard.start();
    guard.noteConnection(1_000_000);
    expect(looks).toBe(0);
  });

  it('counts connections to upstreams that could not be opened, without a line for each', () => {
    for (let turn = 0; turn < 100; turn += 1) guard.noteExhausted();
    expect([counted, lines()]).toEqual([100, ['error']]);
  });

  it('looks no more once it has stopped', async () => {
    guard.start();
    guard.start();
    guard.stop();
    await scheduler.advance(10_000);
    expect([looks, scheduler.waiting]).toEqual([0, 0]);
  });
});
