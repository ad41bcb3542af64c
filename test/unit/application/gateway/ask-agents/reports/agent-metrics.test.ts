import { expect, it } from 'vitest';
import {
  AgentMetrics,
  droppedLineMs,
} from '../../../../../../src/application/gateway/ask-agents/reports/agent-metrics.js';
import { ManualClock } from '../../../../../support/shared/manual-clock.js';
import { metricsReport, reportedValue, seriesLines } from '../../../../../support/shared/metrics-reports.js';
import { RecordingLogger } from '../../../../../support/shared/recording-logger.js';

const make = () => {
  const clock = new ManualClock();
  const logger = new RecordingLogger();
  return { clock, logger, metrics: new AgentMetrics(new Set(['gateway_agent_own']), clock, logger) };
};
const bad = metricsReport({
  counters: [reportedValue(1, 'SECRET name'), reportedValue(1, 'own'), reportedValue(1, 'a')],
});

it('logs dropped metrics at intervals for each agent, without names that the agent chose', () => {
  const { clock, logger, metrics } = make();
  metrics.keep(new Set(['auth', 'waf']));
  for (let round = 0; round < 3; round += 1) {
    metrics.readerOf('auth', 'external').reported(bad);
    metrics.readerOf('waf', 'external').reported(bad);
    clock.advance(1_000);
  }
  const line = (agent: string, untold = 0) => ({
    level: 'warn',
    message: 'Agent reported metrics that the gateway drops',
    fields: { agent, count: 2, reason: 'its name is not well-formed', untold },
  });
  expect(logger.lines).toEqual([line('auth'), line('waf')]);
  clock.advance(droppedLineMs);
  metrics.readerOf('auth', 'external').reported(bad);
  expect(logger.lines.slice(2)).toEqual([line('auth', 2)]);
  expect(metrics.dropped()).toEqual([
    { agent: 'auth', count: 8 },
    { agent: 'waf', count: 6 },
  ]);
});

it('takes nothing from an agent that is not configured, not even its end', () => {
  const { logger, metrics } = make();
  const reader = metrics.readerOf('auth', 'external');
  reader.reported(bad);
  metrics.keep(new Set(['auth']));
  reader.reported(metricsReport({ counters: [reportedValue(3)] }));
  expect(seriesLines(metrics.families())).toEqual(['things_total auth {} 3']);
  metrics.keep(new Set());
  reader.reported(bad);
  reader.ended('one');
  expect(metrics.families()).toEqual([]);
  expect(logger.lines).toEqual([]);
});

it('distinguishes an agent that reports late from one that is gone', () => {
  const { clock, metrics } = make();
  metrics.keep(new Set(['auth']));
  metrics.readerOf('auth', 'external').reported(metricsReport({ gauges: [reportedValue(3, 'g')] }));
  clock.advance(30_000);
  expect(metrics.families()).toHaveLength(1);
  clock.advance(1);
  expect(metrics.families()).toEqual([]);
});

it('takes nothing through a reader of a removed agent, even after an agent of this name is added', () => {
  const { metrics } = make();
  const says = (agentId: string, value: number) => metricsReport({ agentId, counters: [reportedValue(value)] });
  const before = metrics.readerOf('auth', 'embedded');
  metrics.keep(new Set(['auth']));
  const unheard = metrics.readerOf('auth', 'embedded');
  before.reported(says('old', 1_000));
  metrics.keep(new Set());
  const after = metrics.readerOf('auth', 'embedded');
  metrics.keep(new Set(['auth']));
  after.reported(says('new', 5));
  before.reported(says('old', 1_001));
  unheard.reported(says('unheard', 7));
  before.ended('new');
  expect(seriesLines(metrics.families())).toEqual(['things_total auth {} 5']);
  metrics.keep(new Set(['auth']));
  after.reported(says('new', 6));
  expect(seriesLines(metrics.families())).toEqual(['things_total auth {} 6']);
});
