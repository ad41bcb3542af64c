import { describe, expect } from 'vitest';
import { NodeHealthProber } from '../../../../../src/adapters/outbound/health-probes/node-health-prober.js';
import { SystemClock } from '../../../../../src/adapters/outbound/node-clock/system-clock.js';
import { CryptoRandom } from '../../../../../src/adapters/outbound/node-random/crypto-random.js';
import { NodeScheduler } from '../../../../../src/adapters/outbound/node-scheduler/node-scheduler.js';
import { HealthChecker } from '../../../../../src/application/gateway/check-health/health-checker.js';
import type { CheckedTarget } from '../../../../../src/application/gateway/check-health/watched-targets.js';
import type { HealthCheck } from '../../../../../src/domain/gateway/configuration/upstream-options.js';
import { initialHealth } from '../../../../../src/domain/gateway/health/target-health.js';
import { FaultyUpstream } from '../../../../support/gateway/faulty-upstream.js';
import { eventually } from '../../../../support/shared/eventually.js';
import { it } from '../../../../support/shared/fixtures.js';
import { RecordingLogger } from '../../../../support/shared/recording-logger.js';

const check: HealthCheck = {
  probe: { kind: 'http', path: '/', expectedStatuses: [200], host: null },
  intervalMs: 20,
  timeoutMs: 1_000,
  healthyThreshold: 2,
  unhealthyThreshold: 2,
};

describe('the health checker, with a real upstream', () => {
  it('reports when the upstream fails, dies and returns, while another stays healthy', async ({ cleanUp }) => {
    const upstreams = [new FaultyUpstream('one'), new FaultyUpstream('other')] as const;
    for (const upstream of upstreams) {
      await upstream.start();
      cleanUp.add(() => upstream.stop());
    }
    const logger = new RecordingLogger();
    const health = [initialHealth, initialHealth];
    const targets = upstreams.map(
      ({ port, address }, index): CheckedTarget => ({
        name: address,
        target: { address: { host: '127.0.0.1', port }, authority: address, tls: null },
        health: () => health[index] ?? initialHealth,
        update: (next) => {
          health[index] = next;
        },
      }),
    );
    const parts = { prober: new NodeHealthProber(), clock: new SystemClock(), random: new CryptoRandom() };
    const checker = new HealthChecker('api', check, { ...parts, scheduler: new NodeScheduler(), logger });
    checker.watch(targets);
    checker.start();
    cleanUp.add(() => checker.stop());
    const [one] = upstreams;
    await eventually(() => health.every(({ checked }) => checked));
    one.become('failing');
    await eventually(() => health[0]?.lastError === 'status 500');
    await one.kill();
    await eventually(() => health[0]?.lastError === 'connection refused');
    one.become('well');
    await one.start();
    await eventually(() => health[0]?.healthy === true);
    checker.stop();
    await eventually(() => upstreams.every(({ connections }) => connections === 0));
    const fields = { upstream: 'api', target: one.address };
    expect(logger.lines).toEqual([
      { level: 'warn', message: 'Target is unhealthy', fields: { ...fields, error: 'status 500' } },
      { level: 'info', message: 'Target is healthy again', fields },
    ]);
    expect(health[1]?.healthy).toBe(true);
  });
});
