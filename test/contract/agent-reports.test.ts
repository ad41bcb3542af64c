import { afterEach, describe, expect, it } from 'vitest';
import type { AgentOutcome } from '../../src/application/ports/gateway/agent-client.js';
import { type AgentAnswer, allowAnswer } from '../../src/domain/agent-protocol/messages.js';
import type { MetricsReport } from '../../src/domain/agent-protocol/metrics-report.js';
import { Deferred } from '../support/agent/fake-agent-service.js';
import { RecordingReportReader } from '../support/gateway/recording-report-reader.js';
import { chunkEvent, headersEvent, needsMoreAnswer } from '../support/shared/agent-events.js';
import { ShapedAgentService } from '../support/shared/agent-gateway.js';
import { openTransport, transportNames } from '../support/shared/agent-transports.js';
import { eventually } from '../support/shared/eventually.js';
import { OpenTransports } from '../support/shared/open-transports.js';

const codeOf = (outcome: AgentOutcome): string => (outcome.ok ? outcome.value.decision.kind : outcome.error.code);

describe.each(transportNames)('what an agent says of itself, by the %s transport', (name) => {
  const transports = new OpenTransports(name);
  afterEach(() => transports.close());

  it('is acted on: one that is unhealthy is asked nothing, and is asked again once it is well', async () => {
    const service = new ShapedAgentService();
    const { client } = await transports.connect(service);
    expect(codeOf(await client.ask(headersEvent('a')))).toBe('allow');
    service.changeState('unhealthy');
    await eventually(() => client.status().state === 'unhealthy');
    const before = service.events.length;
    for (let index = 0; index < 10; index += 1) {
      expect(codeOf(await client.ask(headersEvent(`u${index}`)))).toBe('unhealthy');
    }
    expect(service.events).toHaveLength(before);
    service.changeState('degraded');
    await eventually(() => client.status().state === 'degraded');
    expect(codeOf(await client.ask(headersEvent('b')))).toBe('allow');
    service.changeState('healthy');
    await eventually(() => client.status().state === 'healthy');
    expect(client.status()).toMatchObject({ inFlight: 0, queueDepth: 0 });
  });

  it('fails at once the calls that wait when it becomes unhealthy, and not those that it has', async () => {
    const service = new ShapedAgentService();
    service.maxConcurrency = 1;
    const held = new Deferred<AgentAnswer>();
    service.answer = () => held.promise;
    const { client } = await transports.connect(service, { timeoutMs: 60_000 }, 1);
    const asked = client.ask(headersEvent('has'));
    await service.received(1);
    const waiting = client.ask(headersEvent('waits'));
    service.changeState('unhealthy');
    expect(codeOf(await waiting)).toBe('unhealthy');
    held.resolve(allowAnswer);
    expect(codeOf(await asked)).toBe('allow');
    expect(client.status()).toMatchObject({ inFlight: 0, queueDepth: 0 });
  });

  it('lets a dialogue that it began come to its end while it is unhealthy', async () => {
    const service = new ShapedAgentService();
    service.answer = (event) => (event.kind === 'request_headers' ? needsMoreAnswer : allowAnswer);
    const { client } = await transports.connect(service);
    await client.ask(headersEvent('d'));
    service.changeState('unhealthy');
    await eventually(() => client.status().state === 'unhealthy');
    expect(codeOf(await client.ask(chunkEvent('d')))).toBe('allow');
  });

  it('is no new call for one that drains', async () => {
    const service = new ShapedAgentService();
    const { client } = await transports.connect(service);
    service.changeState('draining');
    await eventually(() => client.status().state !== 'healthy');
    // Connections that are idle are left, and made anew by an agent that is still there.
    const before = service.events.length;
    expect(codeOf(await client.ask(headersEvent('a')))).toBe('unreachable');
    expect(service.events).toHaveLength(before);
  });

  it('shows its health as it reports it', async () => {
    const service = new ShapedAgentService();
    const { client } = await transports.connect(service);
    service.changeState('degraded');
    await eventually(() => client.status().health?.state === 'degraded');
    expect(client.status().health).toMatchObject({ agentId: 'fake-1', message: null, timestampMs: 5 });
  });

  it('is what it counts, with every name, label and figure', async () => {
    const service = new ShapedAgentService();
    const labels = { route: 'a"b\\c\n', '\u00e9': '' };
    const report: MetricsReport = {
      ...service.report,
      counters: [{ name: 'agent_calls_total', help: 'Calls.', labels, value: 2 ** 40 }],
      gauges: [{ name: 'agent_load', help: null, labels: {}, value: -1.5 }],
      histograms: [
        {
          name: 'agent_seconds',
          help: null,
          labels,
          sum: 0.1,
          count: 3,
          buckets: [
            { le: 0.25, count: 2 },
            { le: Number.POSITIVE_INFINITY, count: 3 },
          ],
        },
      ],
    };
    service.report = report;
    const transport = await openTransport(name, service, { metricsIntervalMs: 10 });
    const reader = new RecordingReportReader();
    transport.client.reportTo(reader);
    transport.client.start();
    try {
      await transport.ready();
      transport.client.reportNow();
      await eventually(() => reader.reports.length > 0);
      expect(reader.reports[0]).toEqual(report);
    } finally {
      await transport.close();
    }
    expect(new Set(reader.endedIds)).toEqual(new Set(['fake-1']));
  });

  it('is which headers it owns, as far as any agent can', async () => {
    const service = new ShapedAgentService();
    service.said = { ownedHeaders: ['X-User-Id', 'Host', 'X-Claim-*', 'Transfer-Encoding'] };
    const { client } = await transports.connect(service);
    const owned = client.capabilities()?.ownedHeaders ?? [];
    expect(owned).toEqual(expect.arrayContaining(['X-User-Id', 'X-Claim-*']));
    // An embedded agent is one of ours, and never says so.
    if (name !== 'embedded') expect(owned).toHaveLength(2);
  });

  it('is in force when one configuration after the other is taken, refused and taken again', async () => {
    const service = new ShapedAgentService();
    const { client } = await transports.connect(service, { config: { colour: 'first' } });
    const inForce = (): unknown => service.configs.at(-1)?.['colour'];
    for (const colour of ['green', 'red']) {
      expect((await client.configure({ colour })).ok).toBe(true);
      await eventually(() => inForce() === colour);
      expect(client.status().refusal).toBeNull();
      await client.configure({ refuse: `not after ${colour}` });
      await eventually(() => client.status().refusal?.includes(`not after ${colour}`) === true);
      expect(inForce()).toBe(colour);
      expect(codeOf(await client.ask(headersEvent(`with ${colour}`)))).toBe('allow');
    }
    expect((await client.configure({ colour: 'blue' })).ok).toBe(true);
    await eventually(() => inForce() === 'blue' && client.status().refusal === null);
  });
});

const remoteNames = transportNames.filter((name) => name !== 'embedded');

describe.each(remoteNames)('an agent that another one takes the place of, by the %s transport', (name) => {
  const transports = new OpenTransports(name);
  afterEach(() => transports.close());

  it('keeps the calls that it has, and those that come go to the other one', async () => {
    const old = new ShapedAgentService();
    const held = new Deferred<AgentAnswer>();
    old.answer = (event) => (event.correlationId === 'kept' ? held.promise : allowAnswer);
    const next = new ShapedAgentService();
    const { client, handOver } = await transports.connect(old, { timeoutMs: 60_000 }, 3);
    const kept = client.ask(headersEvent('kept'));
    await old.received(1);
    await handOver(next);
    let asked = 0;
    await eventually(() => old.disconnects === 2 && client.status().connections >= 3);
    while (next.events.length < 20) {
      asked += 1;
      expect(codeOf(await client.ask(headersEvent(`n${asked}`)))).toBe('allow');
    }
    expect(old.events).toHaveLength(1);
    held.resolve({ ...allowAnswer, requestHeaders: [{ kind: 'set', name: 'X-By', value: 'old' }] });
    expect(await kept).toMatchObject({ ok: true, value: { requestHeaders: [{ value: 'old' }] } });
    // Its connection comes back too, to the other one.
    await eventually(() => old.disconnects === 3);
    await eventually(() => client.status().connections === 3);
    expect(client.status()).toMatchObject({ inFlight: 0, queueDepth: 0 });
  });

  it('keeps the body that it was promised', async () => {
    const old = new ShapedAgentService();
    old.answer = (event) => (event.kind === 'request_headers' ? needsMoreAnswer : allowAnswer);
    const next = new ShapedAgentService();
    const { client, handOver } = await transports.connect(old, { timeoutMs: 60_000 }, 2);
    await client.ask(headersEvent('d'));
    await handOver(next);
    await eventually(() => old.disconnects === 1 && client.status().connections >= 2);
    expect(codeOf(await client.ask(headersEvent('new')))).toBe('allow');
    expect(codeOf(await client.ask(chunkEvent('d')))).toBe('allow');
    expect(old.events.map(({ kind }) => kind)).toEqual(['request_headers', 'request_body_chunk']);
    expect(next.events).toHaveLength(1);
  });
});
