import { beforeEach, describe, expect, it } from 'vitest';
import { FloodLog, RefusalLog } from '../../../../../src/application/gateway/admit/flood-log.js';
import type { LimitViolation } from '../../../../../src/domain/gateway/limits/limit-violation.js';
import { ManualClock } from '../../../../support/shared/manual-clock.js';
import { ManualScheduler } from '../../../../support/shared/manual-scheduler.js';
import { RecordingLogger } from '../../../../support/shared/recording-logger.js';

const violation = (name: string): LimitViolation => ({ code: 'connection_limit_reached', name, limit: 10, actual: 11 });

let logger: RecordingLogger;
let scheduler: ManualScheduler;
let log: RefusalLog;
beforeEach(() => {
  logger = new RecordingLogger();
  scheduler = new ManualScheduler(new ManualClock());
  log = new RefusalLog(new FloodLog(logger, scheduler));
});

const flood = (name: string, count: number): void => {
  for (let index = 0; index < count; index += 1) log.refused(violation(name), '192.0.2.1', `id-${index}`);
};

describe('the log of refused connections', () => {
  it('has one complete line each while they are few', async () => {
    flood('max-total-connections', 1);
    await scheduler.advance(10_000);
    expect(logger.lines).toEqual([
      {
        level: 'warn',
        message: 'Too many connections',
        fields: {
          error_type: 'connection_limit_reached',
          limit: 10,
          limit_name: 'max-total-connections',
          actual: 11,
          client_ip: '192.0.2.1',
          trace_id: 'id-0',
        },
      },
    ]);
  });

  it('has five lines and a count per limit in a flood', async () => {
    flood('max-total-connections', 1_000);
    flood('max-connections-per-client', 7);
    expect(logger.lines).toHaveLength(10);
    await scheduler.advance(1_000);
    expect(logger.lines.slice(10).map(({ level, fields }) => ({ level, ...fields }))).toEqual([
      {
        level: 'warn',
        error_type: 'connection_limit_reached',
        limit: 10,
        limit_name: 'max-total-connections',
        left_out: 995,
      },
      {
        level: 'warn',
        error_type: 'connection_limit_reached',
        limit: 10,
        limit_name: 'max-connections-per-client',
        left_out: 2,
      },
    ]);
  });

  it('has lines again in the next second, and keeps no state of a kind without refusals', async () => {
    flood('max-total-connections', 6);
    await scheduler.advance(1_000);
    flood('max-total-connections', 1);
    expect(logger.lines).toHaveLength(7);
    await scheduler.advance(1_000);
    expect(logger.lines).toHaveLength(7);
    expect(scheduler.waiting).toBe(0);
  });
});
