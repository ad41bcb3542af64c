import { describe, expect, it } from 'vitest';
import { GuardedAgentClient } from '../../../../../src/application/gateway/ask-agents/guarded-agent-client.js';
import { AgentMetrics } from '../../../../../src/application/gateway/ask-agents/reports/agent-metrics.js';
import { AgentRegistry } from '../../../../../src/application/gateway/run-gateway/agent-registry.js';
import type { AgentClient, AgentClientLimits } from '../../../../../src/application/ports/gateway/agent-client.js';
import type {
  AgentConfiguration,
  AgentTransport,
} from '../../../../../src/domain/gateway/configuration/gateway-configuration.js';
import { type FakeAgentPool, fakePool } from '../../../../support/gateway/fake-agent-pool.js';
import { testAgent } from '../../../../support/gateway/in-process-gateway.js';
import { headersEvent } from '../../../../support/shared/agent-events.js';
import { ManualClock } from '../../../../support/shared/manual-clock.js';
import { settled } from '../../../../support/shared/manual-scheduler.js';
import { RecordingLogger } from '../../../../support/shared/recording-logger.js';

type GrpcTransport = Extract<AgentTransport, { kind: 'grpc' }>;

const grpc = (changes: Partial<GrpcTransport> = {}): GrpcTransport => ({
  kind: 'grpc',
  address: { kind: 'tcp', host: '127.0.0.1', port: 50_051 },
  owner: null,
  tls: null,
  ...changes,
});

const transports = {
  socket: { kind: 'unix_socket', path: '/run/auth.sock', owner: null },
  grpc: grpc(),
} as const satisfies Record<string, AgentTransport>;

const limits: AgentClientLimits = { maxQueueDepth: 10, maxResponseBytes: 10_240 };

/** A registry over pooled clients, whose agents the test simulates. */
const start = () => {
  const made: { readonly client: AgentClient; readonly pool: FakeAgentPool; readonly agent: AgentConfiguration }[] = [];
  const logger = new RecordingLogger();
  const create = (agent: AgentConfiguration, { maxQueueDepth, maxResponseBytes }: AgentClientLimits): AgentClient => {
    const { config, connections, timeoutMs, circuitBreaker: breaker, events } = agent;
    const pool = fakePool({ config, connections, timeoutMs, maxQueueDepth });
    const client = new GuardedAgentClient(pool.client, { breaker, maxResponseBytes, events }, pool);
    made.push({ client, pool, agent });
    return client;
  };
  const registry = new AgentRegistry(create, new AgentMetrics(new Set(), new ManualClock(), logger), logger);
  const load = async (agent: AgentConfiguration, given = limits): Promise<readonly AgentClient[]> => {
    const prepared = await registry.prepare([agent], given);
    if (!prepared.ok) throw new Error(prepared.error);
    const dropped = prepared.value.commit();
    await settled();
    return dropped;
  };
  const nth = (index: number) => {
    const found = made[index];
    if (found === undefined) throw new Error(`there is no client ${index}`);
    return found;
  };
  return { made, load, nth, registry };
};

const agentBy = (transport: AgentTransport, changes: Partial<AgentConfiguration> = {}): AgentConfiguration => ({
  ...testAgent('auth'),
  transport,
  connections: 1,
  config: { v: 1 },
  ...changes,
});

describe.each(Object.entries(transports))('an agent over %s', (_name, transport) => {
  const agent = (changes: Partial<AgentConfiguration> = {}) => agentBy(transport, changes);

  it('keeps its client over a reload, which delivers the new configuration', async () => {
    const { made, load, nth } = start();
    await load(agent());
    nth(0).pool.connection(0).ready();
    expect(await load(agent())).toEqual([]);
    await load(agent({ config: { v: 2 } }));
    expect(made).toHaveLength(1);
    expect(
      nth(0)
        .pool.connection(0)
        .configures.map(({ config }) => config),
    ).toEqual([{ v: 1 }]);
    nth(0).pool.connection(0).configures[0]?.settle({ ok: true, value: undefined });
    await settled();
    expect(
      nth(0)
        .pool.connection(0)
        .configures.map(({ config }) => config),
    ).toEqual([{ v: 1 }, { v: 2 }]);
  });

  it.each<[string, Partial<AgentConfiguration>, AgentClientLimits]>([
    ['the number of connections', { connections: 3 }, limits],
    ['the breaker', { circuitBreaker: { failureThreshold: 1, openMs: 1_000, probes: 1 } }, limits],
    ['the timeout', { timeoutMs: 77 }, limits],
    ['the events', { events: ['request_headers'] }, limits],
    ['the queue depth', {}, { ...limits, maxQueueDepth: 9 }],
    ['the maximum answer size', {}, { ...limits, maxResponseBytes: 99 }],
  ])('loses no call if only %s changes', async (_what, changes, given) => {
    const { made, load, nth } = start();
    await load(agent());
    const [before] = [nth(0)];
    before.pool.connection(0).ready();
    const inFlight = before.client.ask(headersEvent('in-flight'));
    expect(await load(agent(changes), given)).toEqual([before.client]);
    expect(made).toHaveLength(2);
    const after = nth(1);
    expect(after.agent).toEqual(agent(changes));
    expect(after.pool.connector.connections.map(({ config }) => config)).toEqual(
      Array.from({ length: changes.connections ?? 1 }, () => ({ v: 1 })),
    );
    // A request from before the reload continues with the old client, and a new one waits for the new
    // client's first connection.
    const late = before.client.ask(headersEvent('late'));
    const early = after.client.ask(headersEvent('early'));
    expect(after.client.status().queueDepth).toBe(1);
    const stopped = before.client.stop(60_000);
    before.pool.connection(0).answer('late');
    before.pool.connection(0).answer('in-flight');
    for (const connection of after.pool.connector.connections) connection.ready();
    for (const connection of after.pool.connector.connections) {
      for (const id of connection.sentIds) connection.answer(id);
    }
    expect((await Promise.all([inFlight, late, early])).map(({ ok }) => ok)).toEqual([true, true, true]);
    await stopped;
    expect(before.pool.scheduler.waiting).toBe(0);
    // The old connections are closed.
    await before.pool.scheduler.advance(60_000);
    expect([before.pool.connector.standing, before.pool.connector.connections.length]).toEqual([[], 1]);
  });

  it('finishes the first attempt of the old client for calls that wait for it', async () => {
    const { load, nth } = start();
    await load(agent());
    const waiting = nth(0).client.ask(headersEvent('waiting'));
    await load(agent({ connections: 2 }));
    nth(0).pool.connection(0).ready();
    nth(0).pool.connection(0).answer('waiting');
    expect((await waiting).ok).toBe(true);
  });

  it('ends that attempt if it would deliver an outdated configuration', async () => {
    const { load, nth } = start();
    await load(agent());
    const waiting = nth(0).client.ask(headersEvent('waiting'));
    await load(agent({ connections: 2, config: { v: 2 } }));
    expect(await waiting).toMatchObject({ ok: false, error: { code: 'unreachable' } });
    expect(nth(0).pool.connector.standing).toEqual([]);
  });

  it('gets the new configuration on the old connections if its client is replaced', async () => {
    const { load, nth } = start();
    await load(agent());
    nth(0).pool.connection(0).ready();
    await load(agent({ connections: 2, config: { v: 2 } }));
    expect(
      nth(0)
        .pool.connection(0)
        .configures.map(({ config }) => config),
    ).toEqual([{ v: 2 }]);
  });
});

describe('an agent over gRPC', () => {
  const tls = { caCertFile: '/etc/ca.pem', certificate: null, serverName: null };

  it.each<[string, GrpcTransport, boolean]>([
    ['TLS', grpc({ tls }), true],
    ['the required server name', grpc({ tls: { ...tls, serverName: 'other.test' } }), true],
    ['its port', grpc({ address: { kind: 'tcp', host: '127.0.0.1', port: 50_052 } }), false],
    ['its socket kind', grpc({ address: { kind: 'unix', path: '/run/auth.sock' } }), false],
  ])('gets another client if %s changes', async (_what, transport, isSamePlace) => {
    const { made, load, nth } = start();
    await load(agentBy(grpc()));
    nth(0).pool.connection(0).ready();
    const asked = nth(0).client.ask(headersEvent('in-flight'));
    expect(await load(agentBy(transport, { config: { v: 2 } }))).toEqual([nth(0).client]);
    expect(made).toHaveLength(2);
    // The old connections reach another agent, so they get no configuration.
    expect(nth(0).pool.connection(0).configures).toHaveLength(isSamePlace ? 1 : 0);
    expect(nth(1).pool.connection(0).config).toEqual({ v: 2 });
    nth(0).pool.connection(0).answer('in-flight');
    expect((await asked).ok).toBe(true);
  });

  it('is not at the same place as a socket with the same path', async () => {
    const { load, nth } = start();
    await load(agentBy({ kind: 'unix_socket', path: '/run/auth.sock', owner: null }));
    nth(0).pool.connection(0).ready();
    await load(agentBy(grpc({ address: { kind: 'unix', path: '/run/auth.sock' } }), { config: { v: 2 } }));
    expect(nth(0).pool.connection(0).configures).toEqual([]);
  });
});
