import { beforeEach, describe, expect, it } from 'vitest';
import { HealthChecker, maximumChecks } from '../../../../../src/application/gateway/check-health/health-checker.js';
import type { HealthCheck } from '../../../../../src/domain/gateway/configuration/upstream-options.js';
import { HeldProber, RecordedHealth } from '../../../../support/gateway/health-fakes.js';
import { tcpAddress } from '../../../../support/gateway/tcp-address.js';
import { ManualClock } from '../../../../support/shared/manual-clock.js';
import { ManualScheduler, settled } from '../../../../support/shared/manual-scheduler.js';
import { RecordingLogger } from '../../../../support/shared/recording-logger.js';

const check: HealthCheck = {
  probe: { kind: 'tcp' },
  intervalMs: 10_000,
  timeoutMs: 5_000,
  healthyThreshold: 2,
  unhealthyThreshold: 2,
};

let clock: ManualClock;
let scheduler: ManualScheduler;
let prober: HeldProber;
let logger: RecordingLogger;
let fraction: number;
let checker: HealthChecker;

beforeEach(() => {
  clock = new ManualClock();
  scheduler = new ManualScheduler(clock);
  prober = new HeldProber();
  logger = new RecordingLogger();
  fraction = 0.5;
  checker = new HealthChecker('api', check, { prober, clock, scheduler, logger, random: { fraction: () => fraction } });
});

const end = async (error: string | null): Promise<void> => {
  prober.endFirst(error);
  await settled();
};

const started = (...targets: readonly RecordedHealth[]): void => {
  checker.watch(targets);
  checker.start();
};

describe('the health checker', () => {
  it('checks every target when it starts, and not before', () => {
    checker.watch([new RecordedHealth('10.0.0.1'), new RecordedHealth('10.0.0.2')]);
    expect(prober.begun).toEqual([]);
    checker.start();
    checker.start();
    expect(prober.begun).toEqual(['10.0.0.1', '10.0.0.2']);
    expect(prober.underWay.map(({ timeoutMs }) => timeoutMs)).toEqual([5_000, 5_000]);
  });

  it('ignores a check for which no file descriptor was free', async () => {
    const target = new RecordedHealth('10.0.0.1');
    started(target);
    const before = target.health();
    for (let turn = 0; turn < 5; turn += 1) {
      await end('too many open files');
      await scheduler.advance(20_000);
    }
    expect(target.health()).toBe(before);
    expect(prober.begun).toHaveLength(6);
    expect(logger.lines).toEqual([]);
  });

  it('spreads the second check over the interval, and jitters later ones', async () => {
    fraction = 0.25;
    started(new RecordedHealth('10.0.0.1'));
    await end(null);
    await scheduler.advance(2_499);
    expect(prober.begun).toHaveLength(1);
    await scheduler.advance(1);
    expect(prober.begun).toHaveLength(2);
    await end(null);
    // Halfway between 90 % of the interval and the interval.
    await scheduler.advance(9_499);
    expect(prober.begun).toHaveLength(2);
    await scheduler.advance(1);
    expect(prober.begun).toHaveLength(3);
  });

  it('measures the interval from the start of a check, and does not overlap checks of one target', async () => {
    started(new RecordedHealth('10.0.0.1'));
    await end(null);
    await scheduler.advance(5_000);
    expect(prober.begun).toHaveLength(2);
    await scheduler.advance(60_000);
    expect(prober.begun).toHaveLength(2);
    await end(null);
    await scheduler.advance(0);
    expect(prober.begun).toHaveLength(3);
    await scheduler.advance(4_000);
    await end(null);
    await scheduler.advance(6_000);
    expect(prober.begun).toHaveLength(4);
  });

  it('logs when a target becomes unhealthy and healthy, and nothing in between', async () => {
    const target = new RecordedHealth('10.0.0.1', 'api.test:80');
    started(target);
    await end('status 503');
    expect(target.current).toMatchObject({ healthy: false, lastError: 'status 503', sinceMs: clock.wallMs() });
    const line = { level: 'warn', message: 'Target is unhealthy' };
    const fields = { upstream: 'api', target: '10.0.0.1:80', name: 'api.test:80' };
    expect(logger.lines).toEqual([{ ...line, fields: { ...fields, error: 'status 503' } }]);
    await scheduler.advance(10_000);
    await end('connection refused');
    expect(target.current.lastError).toBe('connection refused');
    await scheduler.advance(10_000);
    await end(null);
    expect(target.current.healthy).toBe(false);
    expect(logger.lines).toHaveLength(1);
    await scheduler.advance(10_000);
    await end(null);
    expect(target.current).toMatchObject({ healthy: true, lastError: null });
    expect(logger.lines.slice(1)).toEqual([{ level: 'info', message: 'Target is healthy again', fields }]);
  });

  it('checks a new target at once, and stops checking a removed one', async () => {
    const [one, other] = [new RecordedHealth('10.0.0.1'), new RecordedHealth('10.0.0.2')];
    started(one);
    await end(null);
    checker.watch([other]);
    expect(prober.begun).toEqual(['10.0.0.1', '10.0.0.2']);
    await end(null);
    await scheduler.advance(10_000);
    expect(prober.begun.slice(2)).toEqual(['10.0.0.2']);
  });

  it('ignores the check of a target that was removed meanwhile', async () => {
    const target = new RecordedHealth('10.0.0.1');
    started(target);
    checker.watch([]);
    await end('status 503');
    expect(target.current.healthy).toBe(true);
    expect(logger.lines).toEqual([]);
    expect(scheduler.waiting).toBe(0);
  });

  it('continues with a target that was absent only during a check', async () => {
    started(new RecordedHealth('10.0.0.1'));
    checker.watch([]);
    const again = new RecordedHealth('10.0.0.1');
    checker.watch([again]);
    expect(prober.begun).toHaveLength(1);
    await end('status 503');
    expect(again.current.healthy).toBe(false);
    expect(scheduler.waiting).toBe(1);
  });

  it('keeps the schedule of targets that stay', async () => {
    started(new RecordedHealth('10.0.0.1'));
    await end(null);
    await scheduler.advance(4_000);
    const again = new RecordedHealth('10.0.0.1');
    checker.watch([again, new RecordedHealth('10.0.0.1')]);
    expect(prober.begun).toHaveLength(1);
    await scheduler.advance(1_000);
    expect(prober.begun).toHaveLength(2);
  });

  it('limits the number of concurrent checks, and queues the others', async () => {
    const targets = Array.from({ length: maximumChecks + 2 }, (_, index) => new RecordedHealth(`10.0.0.${index}`));
    started(...targets);
    expect(prober.begun).toHaveLength(maximumChecks);
    // A queued target that is removed is not checked.
    checker.watch(targets.filter((_, index) => index !== maximumChecks));
    await end(null);
    expect(prober.begun).toHaveLength(maximumChecks + 1);
    expect(prober.begun.at(-1)).toBe(tcpAddress((targets.at(-1) as RecordedHealth).target.address).host);
  });

  it('leaves no state when it stops, and checks again when it starts', async () => {
    const [one, other] = [new RecordedHealth('10.0.0.1'), new RecordedHealth('10.0.0.2')];
    started(one, other);
    await end(null);
    checker.stop();
    expect(scheduler.waiting).toBe(0);
    await end('status 503');
    expect(other.current.healthy).toBe(true);
    await scheduler.advance(60_000);
    expect(prober.begun).toHaveLength(2);
    started(one, other);
    expect(prober.begun.slice(2)).toEqual(['10.0.0.1', '10.0.0.2']);
  });
});
