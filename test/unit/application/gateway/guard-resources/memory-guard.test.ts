import { describe, expect, it } from 'vitest';
import { MemoryGuard } from '../../../../../src/application/gateway/guard-resources/memory-guard.js';
import type { ProcessFigures } from '../../../../../src/application/ports/gateway/process-figures.js';
import type { LimitViolation } from '../../../../../src/domain/gateway/limits/limit-violation.js';
import { ManualClock } from '../../../../support/shared/manual-clock.js';
import { ManualScheduler } from '../../../../support/shared/manual-scheduler.js';
import { RecordingLogger } from '../../../../support/shared/recording-logger.js';

const setUp = () => {
  const clock = new ManualClock();
  const scheduler = new ManualScheduler(clock);
  const logger = new RecordingLogger();
  const memory = { residentBytes: 500, othersBytes: 0, reclaims: 0 };
  const told: (number | null)[] = [];
  const figures: ProcessFigures = {
    pid: 1,
    memory: () => ({ residentBytes: 0, heapUsedBytes: 0, heapTotalBytes: 0, externalBytes: 0 }),
    residentBytes: () => memory.residentBytes,
    availableBytes: () => 2_000,
    eventLoopDelay: () => ({ meanMs: 0, p50Ms: 0, p99Ms: 0, maxMs: 0, count: 1, sumMs: 1 }),
  };
  const reclaimer = {
    reclaim: () => {
      memory.reclaims += 1;
    },
  };
  const report = (violation: LimitViolation | null) => void told.push(violation?.actual ?? null);
  const othersBytes = () => memory.othersBytes;
  const guard = new MemoryGuard({ figures, othersBytes, reclaimer, scheduler, clock, logger, report });
  return { guard, memory, told, logger, scheduler };
};

const inBytes = { maxMemoryBytes: 1_000, maxMemoryPercent: null };

describe('the memory guard', () => {
  it('is short of memory from above the limit until below 90 % of it', async () => {
    const { guard, memory, told, logger, scheduler } = setUp();
    guard.limit(inBytes);
    const over = [1_000, 1_001, 900, 899, 1_000].map((residentBytes) => async () => {
      memory.residentBytes = residentBytes;
      await scheduler.advance(250);
      return guard.violation()?.actual ?? null;
    });
    const seen: (number | null)[] = [];
    for (const look of over) seen.push(await look());
    expect(seen).toEqual([null, 1_001, 900, null, null]);
    expect(told).toEqual([1_001, 900, null]);
    expect(logger.lines).toEqual([
      {
        level: 'warn',
        message: 'the gateway is short of memory',
        fields: {
          limit: 1_000,
          limit_name: 'max-memory-bytes',
          actual: 1_001,
          client_ip: null,
          trace_id: null,
          resident_bytes: 1_001,
        },
      },
      { level: 'info', message: 'the gateway has memory again', fields: { resident_bytes: 899 } },
    ]);
  });

  it('warns every 10 s while memory is short, and asks for a collection every 5 s', async () => {
    const { guard, memory, logger, scheduler } = setUp();
    memory.residentBytes = 1_500;
    guard.limit(inBytes);
    expect([logger.lines.length, memory.reclaims]).toEqual([1, 1]);
    await scheduler.advance(4_999);
    expect([logger.lines.length, memory.reclaims]).toEqual([1, 1]);
    await scheduler.advance(1);
    expect([logger.lines.length, memory.reclaims]).toEqual([1, 2]);
    await scheduler.advance(5_000);
    expect([logger.lines.length, memory.reclaims]).toEqual([2, 3]);
  });

  it('warns at once of a new shortage, without an additional collection', async () => {
    const { guard, memory, logger, scheduler } = setUp();
    guard.limit(inBytes);
    for (const residentBytes of [1_500, 100, 1_500]) {
      memory.residentBytes = residentBytes;
      await scheduler.advance(250);
    }
    expect(logger.lines.map(({ level }) => level)).toEqual(['warn', 'info', 'warn']);
    expect(memory.reclaims).toBe(1);
  });

  it('includes the memory of other processes of the gateway', async () => {
    const { guard, memory, logger, scheduler } = setUp();
    memory.othersBytes = 501;
    guard.limit(inBytes);
    expect(guard.violation()?.actual).toBe(1_001);
    expect(logger.lines[0]?.fields).toMatchObject({ actual: 1_001, resident_bytes: 1_001 });
    memory.othersBytes = 300;
    await scheduler.advance(250);
    expect(guard.violation()).toBeNull();
  });

  it('supports a limit in percent of the available memory', () => {
    const { guard, memory } = setUp();
    memory.residentBytes = 1_501;
    guard.limit({ maxMemoryBytes: 1_600, maxMemoryPercent: 75 });
    expect(guard.violation()).toEqual({
      code: 'memory_limit_reached',
      name: 'max-memory-percent',
      limit: 75,
      actual: 75.05,
    });
    expect(guard.status()).toEqual({ limitBytes: 1_500, isShort: true });
  });

  it('applies a reload: a higher limit ends the shortage, and no limit ends the checks', async () => {
    const { guard, memory, told, scheduler } = setUp();
    memory.residentBytes = 1_500;
    guard.limit(inBytes);
    guard.limit({ maxMemoryBytes: 2_000, maxMemoryPercent: null });
    expect([guard.violation(), told.at(-1)]).toEqual([null, null]);
    expect(scheduler.waiting).toBe(1);
    guard.limit(inBytes);
    guard.limit({ maxMemoryBytes: null, maxMemoryPercent: null });
    expect([guard.violation(), guard.status(), told.at(-1), scheduler.waiting]).toEqual([null, null, null, 0]);
    memory.residentBytes = 10_000;
    await scheduler.advance(1_000);
    expect(guard.violation()).toBeNull();
  });

  it('stops checking when it is stopped', async () => {
    const { guard, memory, told, scheduler } = setUp();
    guard.limit(inBytes);
    guard.stop();
    memory.residentBytes = 1_500;
    await scheduler.advance(1_000);
    expect([told, scheduler.waiting]).toEqual([[], 0]);
  });
});
