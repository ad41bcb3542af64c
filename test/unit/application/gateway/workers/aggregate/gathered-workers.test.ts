import { describe, expect, it } from 'vitest';
import {
  adoptDrainedTargets,
  answerGathering,
} from '../../../../../../src/application/gateway/workers/aggregate/answer-gathering.js';
import type { ProcessGauges } from '../../../../../../src/application/ports/gateway/gateway-metrics.js';
import type { TargetStatus } from '../../../../../../src/application/ports/gateway/gateway-state.js';
import { GatheredGateway, type TestWorker } from '../../../../../support/gateway/gathered-gateway.js';
import { settled } from '../../../../../support/shared/manual-scheduler.js';
import { metricsReport, reportedValue } from '../../../../../support/shared/metrics-reports.js';

const target: TargetStatus = {
  address: '10.0.0.1:80',
  name: null,
  healthy: true,
  drained: false,
  weight: 1,
  breaker: null,
  activeConnections: 1,
  totalRequests: 2,
  failedRequests: 0,
  lastError: null,
  unhealthySinceMs: null,
};

const linesOf = async ({ whole }: TestWorker, name: string): Promise<readonly string[]> => {
  const text = (await whole.metrics())?.text ?? '';
  return text.split('\n').filter((line) => line.startsWith(`${name}{`) || line.startsWith(`${name}_`));
};

describe('the metrics', () => {
  it('cover all workers, whichever is asked', async () => {
    const gateway = new GatheredGateway();
    const [one, other] = [gateway.join(1), gateway.join(2)];
    one.metrics.route('api').finished(200, 0.002);
    other.metrics.route('api').finished(200, 0.002);
    other.metrics.route('web').finished(404, 30);
    for (const asked of [one, other]) {
      expect(await linesOf(asked, 'gateway_requests_total')).toEqual([
        'gateway_requests_total{status="200",route="api",instance="edge"} 2',
        'gateway_requests_total{status="404",route="web",instance="edge"} 1',
      ]);
      const durations = await linesOf(asked, 'gateway_request_duration_seconds');
      expect(durations).toContain('gateway_request_duration_seconds_bucket{le="0.0025",route="api",instance="edge"} 2');
      expect(durations).toContain('gateway_request_duration_seconds_count{route="web",instance="edge"} 1');
      expect(durations).toContain('gateway_request_duration_seconds_sum{route="web",instance="edge"} 30');
    }
  });

  it('have the gauges of all workers, and those of each', async () => {
    const gateway = new GatheredGateway();
    const [one, other] = [gateway.join(1), gateway.join(2)];
    one.state.listenerConnections = [{ listener: 'main', open: 3 }];
    other.state.listenerConnections = [{ listener: 'main', open: 4 }];
    const pool = { upstream: 'api', target: '10.0.0.1:80', size: 5, idle: 2, waiting: 0 };
    one.state.poolFigures = [pool];
    other.state.poolFigures = [{ ...pool, size: 1 }];
    expect(await linesOf(one, 'gateway_open_connections')).toEqual(['gateway_open_connections{instance="edge"} 7']);
    expect(await linesOf(one, 'gateway_connection_pool_size')).toEqual([
      'gateway_connection_pool_size{upstream="api",target="10.0.0.1:80",instance="edge"} 6',
    ]);
    // Two workers and the supervisor.
    expect(await linesOf(one, 'gateway_memory_usage_bytes')).toEqual([
      'gateway_memory_usage_bytes{instance="edge"} 2007',
    ]);
    expect(await linesOf(one, 'gateway_worker_memory_usage_bytes')).toEqual([
      'gateway_worker_memory_usage_bytes{worker="1",instance="edge"} 1000',
      'gateway_worker_memory_usage_bytes{worker="2",instance="edge"} 1000',
    ]);
    expect(await linesOf(one, 'gateway_worker_event_loop_delay_seconds')).toContain(
      'gateway_worker_event_loop_delay_seconds{worker="2",quantile="0.99",instance="edge"} 0.002',
    );
  });

  it('do not fall when a worker dies, and continue with its replacement', async () => {
    const gateway = new GatheredGateway();
    const [one, other] = [gateway.join(1), gateway.join(2)];
    for (let request = 0; request < 5; request += 1) other.metrics.route('api').finished(200, 0.1);
    one.metrics.route('api').finished(200, 0.1);
    const total = (count: number) => [`gateway_requests_total{status="200",route="api",instance="edge"} ${count}`];
    expect(await linesOf(one, 'gateway_requests_total')).toEqual(total(6));
    gateway.kill(other);
    expect(await linesOf(one, 'gateway_requests_total')).toEqual(total(6));
    expect(await linesOf(one, 'gateway_worker_up')).toEqual([
      'gateway_worker_up{worker="1",instance="edge"} 1',
      'gateway_worker_up{worker="2",instance="edge"} 0',
    ]);
    const next = gateway.join(2);
    next.metrics.route('api').finished(200, 0.1);
    expect(await linesOf(one, 'gateway_requests_total')).toEqual(total(7));
    gateway.kill(next);
    gateway.kill(gateway.join(2));
    expect(await linesOf(one, 'gateway_requests_total')).toEqual(total(7));
    expect(await linesOf(one, 'gateway_worker_restarts_total')).toEqual([
      'gateway_worker_restarts_total{worker="1",instance="edge"} 0',
      'gateway_worker_restarts_total{worker="2",instance="edge"} 2',
    ]);
  });

  it('of a worker that dies are kept from its last answer', async () => {
    const gateway = new GatheredGateway();
    gateway.gathered.start();
    const [one, other] = [gateway.join(1), gateway.join(2)];
    other.metrics.route('api').finished(200, 0.1);
    await gateway.scheduler.advance(5_000);
    gateway.kill(other);
    expect(await linesOf(one, 'gateway_requests_total')).toEqual([
      'gateway_requests_total{status="200",route="api",instance="edge"} 1',
    ]);
    gateway.gathered.stop();
    expect(gateway.scheduler.waiting).toBe(0);
  });

  it('include the lost audit records of workers and of the supervisor', async () => {
    const gateway = new GatheredGateway();
    const workers = [gateway.join(1), gateway.join(2)];
    const ofWorker = { droppedAccessLines: () => 0, droppedAuditRecords: () => 2, droppedAgentSeries: () => [] };
    for (const { metrics } of workers) metrics.observe(ofWorker as unknown as ProcessGauges);
    gateway.droppedAuditRecords = 3;
    expect(await linesOf(workers[0] as TestWorker, 'gateway_audit_dropped_total')).toEqual([
      'gateway_audit_dropped_total{instance="edge"} 7',
    ]);
  });

  it('count a reload once for all workers', async () => {
    const gateway = new GatheredGateway();
    const [one, other] = [gateway.join(1), gateway.join(2)];
    for (const { metrics } of [one, other]) metrics.configurationReloaded('success');
    gateway.gathered.reloaded('success');
    gateway.gathered.reloaded('failure');
    expect(await linesOf(one, 'gateway_config_reloads_total')).toEqual([
      'gateway_config_reloads_total{result="failure",instance="edge"} 1',
      'gateway_config_reloads_total{result="success",instance="edge"} 1',
    ]);
  });
});

describe('the reports of agents', () => {
  const report = (agentId: string, value: number, timestampMs = 0) =>
    metricsReport({ agentId, timestampMs, counters: [reportedValue(value, 'decisions_total')] });
  const decisions = (asked: TestWorker) => linesOf(asked, 'gateway_agent_decisions_total');
  const total = (value: number) => [`gateway_agent_decisions_total{agent="auth",instance="edge"} ${value}`];

  const joined = (): [GatheredGateway, TestWorker, TestWorker] => {
    const gateway = new GatheredGateway();
    const workers = [gateway.join(1), gateway.join(2)] as const;
    for (const { agentReports } of workers) agentReports.keep(new Set(['auth']));
    return [gateway, ...workers];
  };

  it('count once for an agent that is connected to every worker', async () => {
    const [gateway, one, other] = joined();
    for (const { agentReports } of [one, other]) agentReports.readerOf('auth', 'external').reported(report('a', 10));
    expect(await decisions(one)).toEqual(total(10));
    gateway.clock.advance(2_000);
    one.agentReports.readerOf('auth', 'external').reported(report('a', 12, 2_000));
    expect(await decisions(other)).toEqual(total(12));
    // One worker has lost the agent, the other has not.
    one.agentReports.readerOf('auth', 'external').ended('a');
    await decisions(one);
    gateway.clock.advance(2_000);
    other.agentReports.readerOf('auth', 'external').reported(report('a', 15, 4_000));
    expect(await decisions(one)).toEqual(total(15));
  });

  it('are summed for embedded agents, and stay when a worker ends', async () => {
    const [gateway, one, other] = joined();
    one.state.report = () => one.agentReports.readerOf('auth', 'embedded').reported(report('in-1', 3));
    other.state.report = () => other.agentReports.readerOf('auth', 'embedded').reported(report('in-2', 4));
    expect(await decisions(one)).toEqual(total(7));
    expect(await decisions(one)).toEqual(total(7));
    gateway.kill(other);
    expect(await decisions(one)).toEqual(total(7));
    const next = gateway.join(2);
    next.agentReports.keep(new Set(['auth']));
    next.state.report = () => next.agentReports.readerOf('auth', 'embedded').reported(report('in-3', 5));
    expect(await decisions(one)).toEqual(total(12));
  });

  it('count the last totals of a replaced agent once, for repeated reports of its end', async () => {
    const [, one, other] = joined();
    const reader = one.agentReports.readerOf('auth', 'embedded');
    reader.reported(report('old', 3));
    reader.ended('old');
    for (let scrape = 0; scrape < 5; scrape += 1) expect(await decisions(other)).toEqual(total(3));
    expect(one.agentReports.handOver()).toEqual([]);
  });

  it('are removed when no worker has the agent', async () => {
    const [, one, other] = joined();
    one.agentReports.readerOf('auth', 'external').reported(report('a', 1));
    expect(await decisions(one)).toEqual(total(1));
    one.agentReports.keep(new Set());
    expect(await decisions(one)).toEqual(total(1));
    other.agentReports.keep(new Set());
    expect(await decisions(one)).toEqual([]);
  });
});

describe('a snapshot', () => {
  it("sums the figures, names missing workers, and adds the supervisor's state", async () => {
    const gateway = new GatheredGateway();
    const [one, other] = [gateway.join(1), gateway.join(2)];
    one.state.upstreamStatuses = [{ name: 'api', targets: [target] }];
    other.state.upstreamStatuses = [{ name: 'api', targets: [{ ...target, healthy: false, lastError: 'refused' }] }];
    gateway.keys = { client: 12 };
    gateway.phase = 'draining';
    const silent = gateway.join(3, false);
    const snapshot = await one.whole.snapshot();
    expect(snapshot).toMatchObject({
      phase: 'draining',
      rateLimiterKeys: { client: 12 },
      missingWorkers: [3],
      isPartial: false,
      supervisor: { pid: 99 },
      reloads: { count: 0 },
    });
    expect(snapshot.workers.map(({ id }) => id)).toEqual([1, 2]);
    expect(snapshot.upstreams[0]?.targets).toMatchObject([{ healthy: false, totalRequests: 4, lastError: 'refused' }]);
    expect(silent.link.isClosed).toBe(false);
  });

  it('arrives in time without a worker that hangs', async () => {
    const gateway = new GatheredGateway();
    const one = gateway.join(1);
    const hanging = gateway.join(2);
    hanging.supervisor.answer({ name: 'worker-snapshot' }, () => new Promise(() => undefined));
    const asked = one.whole.snapshot();
    await settled();
    await gateway.scheduler.advance(500);
    expect((await asked).missingWorkers).toEqual([2]);
  });

  it('is that of one worker, and marked so, if the supervisor does not answer', async () => {
    const gateway = new GatheredGateway();
    const one = gateway.join(1);
    one.attended.channel.answer({ name: 'gateway-snapshot' }, () => new Promise(() => undefined));
    const asked = one.whole.snapshot();
    await settled();
    await gateway.scheduler.advance(3_000);
    expect(await asked).toMatchObject({ isPartial: true, workers: [{ id: 1 }] });
    one.link.close();
    expect(await one.whole.snapshot()).toMatchObject({ isPartial: true });
    expect(await one.whole.metrics()).toBeNull();
    expect(await one.whole.drainTarget('api', '10.0.0.1:80', true)).toBe('no_answer');
    expect(await one.whole.reload()).toEqual({ kind: 'no_answer' });
  });

  it('is one round for concurrent questions', async () => {
    const gateway = new GatheredGateway();
    const [one, other] = [gateway.join(1), gateway.join(2)];
    await Promise.all(Array.from({ length: 100 }, () => Promise.all([one.whole.snapshot(), other.whole.snapshot()])));
    const questions = one.link.sent.filter(({ topic, isAnswer }) => topic === 'worker-snapshot' && !isAnswer);
    expect(questions.length).toBeLessThanOrEqual(4);
  });
});

describe('a target', () => {
  const wishes = ({ state }: TestWorker) => state.wishes;

  it('is drained in all workers, also later ones', async () => {
    const gateway = new GatheredGateway();
    const [one, other] = [gateway.join(1), gateway.join(2)];
    for (const { state } of [one, other]) state.upstreamStatuses = [{ name: 'api', targets: [target] }];
    expect(await one.whole.drainTarget('api', '10.0.0.1:80', true)).toEqual({ drained: true, drainedBy: null });
    for (const worker of [one, other]) expect(wishes(worker)).toEqual([['api', '10.0.0.1:80', true]]);
    const next = gateway.join(3);
    next.state.upstreamStatuses = [{ name: 'api', targets: [target] }];
    await adoptDrainedTargets(next.supervisor, next.state);
    expect(wishes(next)).toEqual([['api', '10.0.0.1:80', true]]);
    await next.whole.drainTarget('api', '10.0.0.1:80', false);
    expect(gateway.gathered.drainedTargets()).toEqual([]);
  });

  it('is not drained by a program that was replaced', async () => {
    const gateway = new GatheredGateway();
    const one = gateway.join(1);
    one.state.upstreamStatuses = [{ name: 'api', targets: [target] }];
    await one.whole.drainTarget('api', '10.0.0.1:80', true);
    const undrained = gateway.gathered.drainTarget({ upstream: 'api', address: '10.0.0.1:80', drained: false });
    // The successor takes over while the command is on its way to the workers.
    gateway.phase = 'replaced';
    expect(await undrained).toBe('replaced');
    expect(gateway.gathered.drainedTargets()).toHaveLength(1);
    const before = wishes(one).length;
    for (const drained of [true, false]) {
      expect(await one.whole.drainTarget('api', '10.0.0.1:80', drained)).toBe('replaced');
    }
    expect(wishes(one).length).toBe(before);
  });

  it('that is unknown is not kept', async () => {
    const gateway = new GatheredGateway();
    const one = gateway.join(1);
    one.state.upstreamStatuses = [{ name: 'api', targets: [target] }];
    expect(await one.whole.drainTarget('api', '10.0.0.9:80', true)).toBe('no_target');
    expect(await one.whole.drainTarget('web', '10.0.0.9:80', true)).toBe('no_upstream');
    expect(gateway.gathered.drainedTargets()).toEqual([]);
  });

  it('that a starting worker could not drain is drained when it can', async () => {
    const gateway = new GatheredGateway();
    const one = gateway.join(1);
    one.state.upstreamStatuses = [{ name: 'api', targets: [target] }];
    const starting = gateway.join(2, false);
    starting.state.upstreamStatuses = [{ name: 'api', targets: [target] }];
    const drained = one.whole.drainTarget('api', '10.0.0.1:80', true);
    answerGathering(starting.supervisor, starting);
    await adoptDrainedTargets(starting.supervisor, starting.state);
    await drained;
    expect(wishes(starting).length).toBeGreaterThan(0);
  });

  it('that the previous program had drained stays drained', async () => {
    const gateway = new GatheredGateway([{ upstream: 'api', address: '10.0.0.1:80' }]);
    const one = gateway.join(1);
    one.state.upstreamStatuses = [{ name: 'api', targets: [target] }];
    await adoptDrainedTargets(one.supervisor, one.state);
    expect(wishes(one)).toEqual([['api', '10.0.0.1:80', true]]);
    // Host names are case-insensitive.
    await one.whole.drainTarget('api', '10.0.0.1:80', false);
    expect(gateway.gathered.drainedTargets()).toEqual([]);
  });
});

it('the supervisor reloads and returns the outcome', async () => {
  const gateway = new GatheredGateway();
  const one = gateway.join(1);
  gateway.reloadOutcome = { kind: 'refused', problems: ['gateway.kdl:1:1: error: no'] };
  expect(await one.whole.reload()).toEqual(gateway.reloadOutcome);
});

it('a slow reload returns `under_way`, not `no_answer`', async () => {
  const gateway = new GatheredGateway();
  const one = gateway.join(1);
  gateway.reloads = () => new Promise(() => undefined);
  const asked = one.whole.reload();
  await settled();
  await gateway.scheduler.advance(60_000);
  expect(await asked).toEqual({ kind: 'under_way' });
});
