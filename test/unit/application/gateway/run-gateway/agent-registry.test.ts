import { beforeEach, describe, expect, it } from 'vitest';
import { AgentMetrics } from '../../../../../src/application/gateway/ask-agents/reports/agent-metrics.js';
import { AgentRegistry } from '../../../../../src/application/gateway/run-gateway/agent-registry.js';
import type { AgentReportReader } from '../../../../../src/application/ports/gateway/agent-client.js';
import type { AgentConfiguration } from '../../../../../src/domain/gateway/configuration/gateway-configuration.js';
import { err, ok } from '../../../../../src/domain/shared/result.js';
import { Secret } from '../../../../../src/domain/shared/secret.js';
import { FakeAgentClient } from '../../../../support/gateway/fake-agent-client.js';
import { testAgent } from '../../../../support/gateway/in-process-gateway.js';
import { ManualClock } from '../../../../support/shared/manual-clock.js';
import { metricsReport, reportedValue, seriesLines } from '../../../../support/shared/metrics-reports.js';
import { RecordingLogger } from '../../../../support/shared/recording-logger.js';

const socketAgent = (changes: Partial<AgentConfiguration> = {}): AgentConfiguration => ({
  ...testAgent('auth'),
  transport: { kind: 'unix_socket', path: '/run/auth.sock', owner: null },
  config: { v: 1 },
  ...changes,
});

let made: FakeAgentClient[];
let logger: RecordingLogger;
let registry: AgentRegistry;

beforeEach(() => {
  made = [];
  logger = new RecordingLogger();
  registry = new AgentRegistry(
    ({ name }) => {
      const client = new FakeAgentClient(name);
      made.push(client);
      return client;
    },
    new AgentMetrics(new Set(), new ManualClock(), logger),
    logger,
  );
});

/** Puts these agents in force, and waits for the answers to their configurations. */
const load = async (agents: readonly AgentConfiguration[], maxQueueDepth = 100) => {
  const prepared = await registry.prepare(agents, { maxQueueDepth, maxResponseBytes: 10_240 });
  if (!prepared.ok) throw new Error(prepared.error);
  const dropped = prepared.value.commit();
  await new Promise((resolve) => setImmediate(resolve));
  return dropped;
};

const said = () => logger.lines.map(({ level, message }) => `${level} ${message}`);
const took = 'info the agent took its configuration';

describe('an agent that a reload keeps', () => {
  it('gets its configuration with each reload, changed or not', async () => {
    await load([socketAgent()]);
    await load([socketAgent()]);
    await load([socketAgent({ config: { v: 2 } })]);
    expect(made).toHaveLength(1);
    expect(made[0]?.calls).toEqual(['start', 'configure {"v":1}', 'configure {"v":2}']);
    expect(said()).toEqual([took, took]);
  });

  it('is replaced if its admin address or token changes, and kept if they stay', async () => {
    const admin = (token: string, port = 1) => ({ address: { host: '127.0.0.1', port }, token: new Secret(token) });
    await load([socketAgent({ admin: admin('one') })]);
    await load([socketAgent({ admin: admin('one') })]);
    expect(made).toHaveLength(1);
    await load([socketAgent({ admin: admin('two') })]);
    await load([socketAgent({ admin: admin('two', 2) })]);
    await load([socketAgent()]);
    expect(made).toHaveLength(4);
  });

  it('gets a refused configuration again with the next reload', async () => {
    await load([socketAgent()]);
    const [client] = made as [FakeAgentClient];
    client.outcome = err({ kind: 'refused', reason: 'x'.repeat(5_000) });
    await load([socketAgent({ config: { v: 2 } })]);
    client.outcome = ok(undefined);
    await load([socketAgent({ config: { v: 2 } })]);
    await load([socketAgent({ config: { v: 2 } })]);
    expect(client.calls.slice(1)).toEqual(['configure {"v":2}', 'configure {"v":2}', 'configure {"v":2}']);
    expect(said()).toEqual([
      'error the agent refused its configuration and keeps the previous one, with the files as it read them',
      took,
      took,
    ]);
    expect(logger.lines[0]?.fields['reason']).toHaveLength(500);
  });

  it('is logged as sent if its transport has no reply', async () => {
    await load([socketAgent()]);
    (made[0] as FakeAgentClient).outcome = ok('sent');
    await load([socketAgent({ config: { v: 2 } })]);
    expect(said()).toEqual(['info the agent was sent its configuration']);
    expect(logger.lines[0]?.fields).toEqual({ agent: 'auth', outcome: 'sent' });
  });

  it('is not logged as refusing if it did not answer', async () => {
    await load([socketAgent()]);
    (made[0] as FakeAgentClient).outcome = err({ kind: 'no_answer', reason: 'away' });
    await load([socketAgent({ config: { v: 2 } })]);
    expect(said()).toEqual(['warn the agent did not answer: it gets the configuration when it reconnects']);
  });
});

describe('an agent that a reload replaces', () => {
  it('is retired before the new client starts, and gets the new configuration', async () => {
    await load([socketAgent()]);
    const dropped = await load([socketAgent({ timeoutMs: 5, config: { v: 2 } })]);
    const [before, after] = made as [FakeAgentClient, FakeAgentClient];
    expect(dropped).toEqual([before]);
    expect(before.calls).toEqual(['start', 'configure {"v":2}', 'retire false true']);
    expect(after.calls).toEqual(['start']);
  });

  it('may finish its first attempt if the new client delivers the same configuration', async () => {
    await load([socketAgent()]);
    await load([socketAgent({ timeoutMs: 5 })]);
    await load([socketAgent({ timeoutMs: 5 })], 7);
    expect(made.map(({ calls }) => calls.at(-1))).toEqual(['retire true true', 'retire true true', 'start']);
  });

  it('gets no configuration if the new client reaches another agent, or there is none', async () => {
    await load([socketAgent()]);
    await load([
      socketAgent({ transport: { kind: 'unix_socket', path: '/run/b.sock', owner: null }, config: { v: 2 } }),
    ]);
    await load([]);
    expect(made.map(({ calls }) => calls)).toEqual([
      ['start', 'retire false false'],
      ['start', 'retire false false'],
    ]);
  });
});

it.each([
  ['in order for an embedded agent', testAgent('auth'), 2],
  ['once per second for any other agent', socketAgent(), 1],
])('reads reports %s', async (_how, agent, value) => {
  await registry
    .prepare([agent], { maxQueueDepth: 100, maxResponseBytes: 10_240 })
    .then((prepared) => prepared.ok && prepared.value.commit());
  const { reader } = made[0] as FakeAgentClient;
  const says = (timestampMs: number, count: number): void =>
    (reader as AgentReportReader).reported(metricsReport({ timestampMs, counters: [reportedValue(count)] }));
  says(2, 1);
  says(1, 2);
  expect(seriesLines(registry.metrics.families())).toEqual([`things_total auth {} ${value}`]);
});

describe('the header names that agents declare', () => {
  const names = () => registry.declaredHeaders.all();

  it('are those of the last handshake, also while the agent is away and after its client was replaced', async () => {
    await load([socketAgent()]);
    expect(names()).toEqual([]);
    made[0]?.declare(['X-Tenant']);
    expect(names()).toEqual(['X-Tenant']);
    await load([socketAgent({ timeoutMs: 7 })]);
    expect(made).toHaveLength(2);
    expect(names()).toEqual(['X-Tenant']);
    made[1]?.declare(['X-Team']);
    expect(names()).toEqual(['X-Team']);
  });

  it('come only from the client in force', async () => {
    await load([socketAgent()]);
    made[0]?.declare(['X-Tenant']);
    const prepared = await registry.prepare([socketAgent({ timeoutMs: 7 })], { maxQueueDepth: 1, maxResponseBytes: 1 });
    made[1]?.declare(['X-Team']);
    expect(names()).toEqual(['X-Tenant']);
    if (prepared.ok) prepared.value.commit();
    expect(names()).toEqual(['X-Team']);
    made[0]?.declare(['X-Late']);
    expect(names()).toEqual(['X-Team']);
  });

  it('are forgotten with the agent', async () => {
    await load([socketAgent(), socketAgent({ name: 'other' })]);
    made[0]?.declare(['X-Tenant']);
    made[1]?.declare(['X-Team']);
    await load([socketAgent({ name: 'other' })]);
    expect(names()).toEqual(['X-Team']);
  });
});
