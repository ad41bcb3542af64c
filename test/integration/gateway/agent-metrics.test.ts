import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { AgentEmbeddedClient } from '../../../src/adapters/outbound/agent-embedded-client/agent-embedded-client.js';
import { SystemClock } from '../../../src/adapters/outbound/node-clock/system-clock.js';
import { NodeScheduler } from '../../../src/adapters/outbound/node-scheduler/node-scheduler.js';
import { metricsJson } from '../../../src/adapters/wire/agent-frames/agent-message.js';
import type { AgentClient } from '../../../src/application/ports/gateway/agent-client.js';
import type { MetricsReport } from '../../../src/domain/agent-protocol/metrics-report.js';
import { FakeAgentService } from '../../support/agent/fake-agent-service.js';
import {
  type InProcessGateway,
  startInProcess,
  testAgent,
  testConfiguration,
  testRoute,
  testUpstream,
} from '../../support/gateway/in-process-gateway.js';
import { socketClient } from '../../support/shared/agent-transports.js';
import { eventually } from '../../support/shared/eventually.js';
import { untilTrue } from '../../support/shared/gateway-stack.js';
import { metricsReport, reportedHistogram, reportedValue } from '../../support/shared/metrics-reports.js';
import { type RawAgent, type RawPeer, rawAgent, rawHandshakeAnswer } from '../../support/shared/raw-agent-peer.js';
import { RecordingLogger } from '../../support/shared/recording-logger.js';
import { type TemporaryFolder, temporaryFolder } from '../../support/shared/temporary-folder.js';

let gateway: InProcessGateway | null = null;
let folder: TemporaryFolder;
const agents: RawAgent[] = [];

beforeEach(() => {
  folder = temporaryFolder();
});
afterEach(async () => {
  await gateway?.stop();
  gateway = null;
  for (const agent of agents.splice(0)) await agent.close();
  folder.remove();
});

const configured = (...names: readonly string[]) =>
  testConfiguration([testUpstream(1)], { agents: names.map(testAgent), routes: [testRoute({ agents: names })] });

const start = async (createAgent: () => AgentClient): Promise<InProcessGateway> => {
  gateway = await startInProcess(configured('auth'), { createAgent });
  return gateway;
};

/** Lines of the agents' families, without the label of the instance. */
const lines = async (running: InProcessGateway): Promise<readonly string[]> => {
  const text = (await running.metrics()).replaceAll(',instance="test"', '');
  const own =
    /^gateway_agent_(?:latency_seconds_|timeouts_|failures_|failed_open_|state\{|connections\{|in_flight\{|queue_depth\{)/;
  return text.split('\n').filter((line) => line.startsWith('gateway_agent_') && !own.test(line));
};

const until = (running: InProcessGateway, line: string): Promise<void> =>
  untilTrue(`there is ${line}`, async () => (await lines(running)).includes(line));

describe('an agent on a socket', () => {
  const path = (): string => folder.file('agent.sock');

  const listen = async (agentId = 'raw'): Promise<RawAgent> => {
    const { capabilities } = rawHandshakeAnswer;
    const answer = { ...rawHandshakeAnswer, capabilities: { ...capabilities, agent_id: agentId } };
    const agent = await rawAgent(path(), (peer) => {
      void peer.received(0x01).then(() => peer.send(0x02, answer));
    });
    agents.push(agent);
    return agent;
  };

  const connect = async (connections: number) => {
    let client: AgentClient | null = null;
    // As the configuration has no socket, the client is the one of the test.
    const running = await start(() => {
      client = socketClient(path(), { config: null }, { connections }, new RecordingLogger());
      const { configure } = client;
      client.configure = (config) => {
        void configure.call(client, config);
        return Promise.resolve({ ok: true, value: undefined });
      };
      return client;
    });
    await eventually(() => client?.status().connections === connections);
    return { running, client: client as unknown as AgentClient };
  };

  const report = (peer: RawPeer, changes: Partial<MetricsReport>): void =>
    peer.send(0x31, metricsJson(metricsReport({ agentId: 'raw', ...changes })));

  it('is counted once over several connections, and continues over a restart', async () => {
    const first = await listen();
    const { running, client } = await connect(4);
    for (const peer of first.peers) report(peer, { counters: [reportedValue(5)], gauges: [reportedValue(2, 'open')] });
    // What comes after it by the same connections shows that it has been read.
    first.peers.forEach((peer, index) => {
      report(peer, { agentId: `other-${index}`, counters: [reportedValue(1, 'read')] });
    });
    await until(running, 'gateway_agent_read{agent="auth"} 4');
    const counted = 'gateway_agent_things_total{agent="auth"} 5';
    expect(await lines(running)).toEqual(
      expect.arrayContaining([
        counted,
        'gateway_agent_open{agent="auth"} 2',
        'gateway_agent_metrics_dropped_total{agent="auth"} 0',
      ]),
    );
    await first.close();
    await untilTrue('its gauges are gone', async () => !(await running.metrics()).includes('gateway_agent_open'));
    expect(await lines(running)).toContain(counted);
    const second = await listen('raw-2');
    await eventually(() => client.status().connections === 4);
    for (const peer of second.peers) report(peer, { agentId: 'raw-2', counters: [reportedValue(2)] });
    await until(running, 'gateway_agent_things_total{agent="auth"} 7');
  });

  it('cannot flood, forge or decrease metrics, and is logged', async () => {
    const agent = await listen();
    const { running, client } = await connect(1);
    const peer = await agent.peer();
    report(peer, {
      counters: [
        reportedValue(7),
        reportedValue(3),
        reportedValue(-1, 'below'),
        reportedValue(1, 'timeouts_total'),
        reportedValue(1, 'a"} 1\nforged_total 2'),
        reportedValue(1, 'a', { instance: 'forged' }),
        reportedValue(1, 'a', { agent: 'forged' }),
        reportedValue(1, 'a', { x: '\nforged_total 2' }),
      ],
      gauges: [reportedValue(1, 'things_total')],
      histograms: [
        reportedHistogram([5, 3], 1),
        reportedHistogram([1, 2], 1, { name: 'latency_seconds' }),
        reportedHistogram([1, 2], 1, { name: 'good' }),
      ],
    });
    const valued = (value: string): string =>
      `{"agent_id":"raw","timestamp_ms":1,"interval_ms":1,"counters":[{"name":"a","value":${value}}]}`;
    peer.send(0x31, valued('1e999'));
    // What is no JSON ends the connection.
    peer.send(0x31, valued('NaN'));
    await peer.closed();
    await until(running, 'gateway_agent_metrics_dropped_total{agent="auth"} 10');
    expect(await lines(running)).toEqual([
      'gateway_agent_metrics_dropped_total{agent="auth"} 10',
      'gateway_agent_things_total{agent="auth"} 7',
      'gateway_agent_good_bucket{le="1",agent="auth"} 1',
      'gateway_agent_good_bucket{le="+Inf",agent="auth"} 2',
      'gateway_agent_good_sum{agent="auth"} 1',
      'gateway_agent_good_count{agent="auth"} 2',
    ]);
    expect(await running.metrics()).not.toContain('forged');
    const many = Array.from({ length: 10_000 }, (_, index) => reportedValue(1, 'many', { id: `${index}` }));
    const next = await agent.peer();
    await next.received(0x01);
    await eventually(() => client.status().connections === 1);
    report(next, { counters: [reportedValue(1), ...many] });
    await until(running, 'gateway_agent_things_total{agent="auth"} 8');
    const flooded = await lines(running);
    expect(flooded.filter((line) => line.startsWith('gateway_agent_many'))).toHaveLength(507);
    expect(flooded).toContain('gateway_agent_metrics_dropped_total{agent="auth"} 9503');
    for (const [_all, name, value] of (await running.metrics()).matchAll(/^([a-z_]+)(?:\{[^\n]*\})? (\S+)$/gm)) {
      expect(Number.isFinite(Number(value)), name).toBe(true);
    }
    const told = running.logger.lines.filter(
      ({ message }) => message === 'Agent reported metrics that the gateway drops',
    );
    expect(told).toHaveLength(1);
  });
});

describe('an embedded agent', () => {
  it('keeps its counters over reloads, and loses them with its block', async () => {
    const services: FakeAgentService[] = [];
    const running = await start(() => {
      const service = new FakeAgentService();
      service.capabilities = () => ({
        ...FakeAgentService.prototype.capabilities.call(service),
        agentId: `agent-${services.length}`,
      });
      services.push(service);
      return new AgentEmbeddedClient(
        { name: 'auth', timeoutMs: 1_000, maxQueueDepth: 100, config: null, proxyId: 'test', proxyVersion: '0.0.0' },
        service,
        new SystemClock(),
        new NodeScheduler(),
        new RecordingLogger(),
      );
    });
    const says = (index: number, value: number): void => {
      const service = services[index] as FakeAgentService;
      service.report = metricsReport({
        agentId: `agent-${index}`,
        counters: [reportedValue(value)],
        gauges: [reportedValue(2, 'open')],
      });
    };
    const shown = async (): Promise<readonly string[]> => (await lines(running)).slice(1);
    says(0, 10);
    expect(await shown()).toEqual([
      'gateway_agent_things_total{agent="auth"} 10',
      'gateway_agent_open{agent="auth"} 2',
    ]);
    // Nobody asks between this and the reload.
    says(0, 12);
    await running.reload(configured('auth'));
    says(1, 3);
    expect(await shown()).toEqual([
      'gateway_agent_things_total{agent="auth"} 15',
      'gateway_agent_open{agent="auth"} 2',
    ]);
    await eventually(() => services[0]?.stops === 1);
    says(1, 4);
    await running.reload(configured());
    expect(await lines(running)).toEqual([]);
    await eventually(() => services[1]?.stops === 1);
    expect(await lines(running)).toEqual([]);
  });
});
