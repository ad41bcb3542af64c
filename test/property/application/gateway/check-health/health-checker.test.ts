import fc from 'fast-check';
import { expect, it } from 'vitest';
import { HealthChecker, maximumChecks } from '../../../../../src/application/gateway/check-health/health-checker.js';
import { HeldProber, RecordedHealth } from '../../../../support/gateway/health-fakes.js';
import { tcpAddress } from '../../../../support/gateway/tcp-address.js';
import { ManualClock } from '../../../../support/shared/manual-clock.js';
import { ManualScheduler, settled } from '../../../../support/shared/manual-scheduler.js';
import { RecordingLogger } from '../../../../support/shared/recording-logger.js';

const check = {
  probe: { kind: 'tcp' },
  intervalMs: 1_000,
  timeoutMs: 1_000,
  healthyThreshold: 1,
  unhealthyThreshold: 1,
} as const;

type Step =
  | { readonly kind: 'watch'; readonly hosts: readonly number[] }
  | { readonly kind: 'end'; readonly count: number }
  | { readonly kind: 'wait'; readonly ms: number }
  | { readonly kind: 'stop' | 'start' };

const host = fc.integer({ min: 0, max: maximumChecks + 7 });
const step: fc.Arbitrary<Step> = fc.oneof(
  {
    weight: 3,
    arbitrary: fc.record({ kind: fc.constant('watch' as const), hosts: fc.array(host, { maxLength: 50 }) }),
  },
  { weight: 3, arbitrary: fc.record({ kind: fc.constant('end' as const), count: fc.nat({ max: 50 }) }) },
  { weight: 3, arbitrary: fc.record({ kind: fc.constant('wait' as const), ms: fc.nat({ max: 3_000 }) }) },
  { weight: 1, arbitrary: fc.record({ kind: fc.constantFrom('stop' as const, 'start' as const) }) },
);

it('never overlaps checks of one target nor exceeds the limit, skips no target, and leaves no state', async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.array(step, { maxLength: 25 }),
      fc.double({ min: 0, max: 0.99, noNaN: true }),
      async (steps, fraction) => {
        const clock = new ManualClock();
        const scheduler = new ManualScheduler(clock);
        const prober = new HeldProber();
        const random = { fraction: () => fraction };
        const checker = new HealthChecker('api', check, {
          prober,
          clock,
          scheduler,
          random,
          logger: new RecordingLogger(),
        });
        checker.start();
        for (const next of steps) {
          if (next.kind === 'watch') checker.watch(next.hosts.map((number) => new RecordedHealth(`10.0.0.${number}`)));
          else if (next.kind === 'end') for (let ended = 0; ended < next.count; ended += 1) prober.endFirst(null);
          else if (next.kind === 'wait') await scheduler.advance(next.ms);
          else checker[next.kind]();
          await settled();
          const hosts = prober.underWay.map(({ target }) => tcpAddress(target.address).host);
          expect(hosts.length).toBeLessThanOrEqual(maximumChecks);
          expect(new Set(hosts).size).toBe(hosts.length);
        }
        checker.start();
        const last = Array.from({ length: maximumChecks + 8 }, (_, number) => `10.0.0.${number}`);
        checker.watch(last.map((name) => new RecordedHealth(name)));
        const before = prober.begun.length;
        const underWay = prober.underWay.map(({ target }) => tcpAddress(target.address).host);
        const endAll = async (): Promise<void> => {
          while (prober.underWay.length > 0) {
            prober.endFirst(null);
            await settled();
          }
        };
        await endAll();
        await scheduler.advance(1_200);
        await endAll();
        expect(new Set([...underWay, ...prober.begun.slice(before)])).toEqual(new Set(last));
        checker.stop();
        await endAll();
        expect(scheduler.waiting).toBe(0);
      },
    ),
    { numRuns: 100 },
  );
});
