import { expect, it } from 'vitest';
import { AgentEmbeddedClient } from '../../../../../src/adapters/outbound/agent-embedded-client/agent-embedded-client.js';
import { FakeAgentService } from '../../../../support/agent/fake-agent-service.js';
import { RecordingReportReader } from '../../../../support/gateway/recording-report-reader.js';
import { ManualClock } from '../../../../support/shared/manual-clock.js';
import { ManualScheduler } from '../../../../support/shared/manual-scheduler.js';
import { reportedValue } from '../../../../support/shared/metrics-reports.js';
import { RecordingLogger } from '../../../../support/shared/recording-logger.js';

const make = () => {
  const service = new FakeAgentService();
  const clock = new ManualClock();
  const settings = { name: 'auth', timeoutMs: 1_000, maxQueueDepth: 1, config: null, proxyId: 'p', proxyVersion: '1' };
  const client = new AgentEmbeddedClient(settings, service, clock, new ManualScheduler(clock), new RecordingLogger());
  const reader = new RecordingReportReader();
  client.reportTo(reader);
  return { service, client, reader };
};

it('an embedded agent is stopped with its client, once and after its last call', async () => {
  const { service, client } = make();
  await client.configure(null);
  expect(service.stops).toBe(0);
  await client.stop(0);
  await client.stop(0);
  expect(service.stops).toBe(1);
});

it('an embedded agent reports when it is asked, and to its end what it counts, not how it is', async () => {
  const { service, client, reader } = make();
  const gauges = [reportedValue(3, 'sessions')];
  const count = (value: number): void => {
    service.report = { ...service.report, counters: [reportedValue(value)], gauges };
  };
  const taken = () => reader.reports.splice(0).map(({ counters, gauges: kept }) => [counters[0]?.value, kept.length]);
  count(1);
  client.reportNow();
  expect(taken()).toEqual([]);
  await client.configure(null);
  client.start();
  client.reportNow();
  count(2);
  client.retire();
  count(3);
  await client.stop(0);
  client.reportNow();
  expect(taken()).toEqual([
    [1, 1],
    [2, 0],
    [3, 0],
  ]);
  expect(reader.endedIds).toEqual(['fake-1']);
});

it('an embedded agent that never came into force leaves nothing in the metrics', async () => {
  const { client, reader } = make();
  await client.configure(null);
  await client.stop(0);
  expect(reader.reports).toEqual([]);
});
