import { expect, it } from 'vitest';
import { UpstreamCounters } from '../../../../../src/adapters/outbound/prometheus-metrics/upstream-counters.js';
import {
  exhaustionLineMs,
  PoolExhaustion,
} from '../../../../../src/application/gateway/choose-upstream/pool-exhaustion.js';
import { ManualClock } from '../../../../support/shared/manual-clock.js';
import { RecordingLogger } from '../../../../support/shared/recording-logger.js';

it('counts every request that finds a pool full, and logs one line per minute', () => {
  const [clock, logger, counters] = [new ManualClock(), new RecordingLogger(), new UpstreamCounters()];
  const exhaustion = new PoolExhaustion({ name: 'api', maxConnections: 3 }, { counters, clock, logger });
  for (let count = 0; count < 5; count += 1) exhaustion.note('127.0.0.1:80');
  expect(counters.exhaustions).toBe(5);
  expect(logger.lines).toMatchObject([
    { level: 'warn', fields: { upstream: 'api', target: '127.0.0.1:80', limit: 3, requests_left_out: 0 } },
  ]);
  clock.advance(exhaustionLineMs);
  exhaustion.note('127.0.0.1:81');
  expect(logger.lines).toHaveLength(2);
  expect(logger.lines[1]).toMatchObject({ fields: { target: '127.0.0.1:81', requests_left_out: 4 } });
});
