import { describe, expect, it } from 'vitest';
import {
  allow,
  blockAnswer,
  challenge,
  needBody,
  redirect,
} from '../../../../../src/application/agent/agent-kit/agent-answers.js';
import type { AgentDefinition } from '../../../../../src/application/agent/agent-kit/agent-definition.js';
import { DefinedAgent } from '../../../../../src/application/agent/agent-kit/defined-agent.js';
import { allowAnswer, type RequestBodyChunkEvent } from '../../../../../src/domain/agent-protocol/messages.js';
import { requestEvent } from '../../../../support/agent/test-agent.js';
import { ManualClock } from '../../../../support/shared/manual-clock.js';
import { RecordingLogger } from '../../../../support/shared/recording-logger.js';

const traits = {
  agentId: 'kit-1',
  ownedHeaders: ['X-Verdict'],
  maxConcurrency: 50,
  maxBodySize: 1_000,
  healthIntervalMs: 5_000,
  metricsIntervalMs: 10_000,
};

const made = (methods: Partial<AgentDefinition>) => {
  const logger = new RecordingLogger();
  const clock = new ManualClock();
  const agent = new DefinedAgent({ name: 'kit', version: '1.0.0', ...methods }, traits, { clock, logger });
  return { agent, logger, clock };
};

const chunk = (chunkIndex: number, isLast = false): RequestBodyChunkEvent => ({
  kind: 'request_body_chunk',
  correlationId: 'call-1',
  data: Buffer.from('abc'),
  isLast,
  totalSize: 6,
  chunkIndex,
  bytesReceived: 3 * (chunkIndex + 1),
});

const connection = Symbol('connection');

const giver = (proxyId: string) => ({ proxyId, proxyVersion: '1', connection: Symbol(proxyId) });

describe('an agent built from methods', () => {
  it('subscribes to the events that have a method', () => {
    const { agent } = made({ requestHeaders: () => allow(), requestComplete: () => {} });
    expect(agent.capabilities().supportedEvents).toEqual(['request_headers', 'request_complete', 'configure']);
    expect(agent.capabilities().limits).toMatchObject({ maxConcurrency: 50, maxBodySize: 1_000 });
    expect(agent.capabilities().ownedHeaders).toEqual(['X-Verdict']);
  });

  it('passes the request to its method as the gateway forwards it', async () => {
    const seen: unknown[] = [];
    const { agent } = made({
      requestHeaders: (request) => {
        seen.push(request.id, request.method, request.path, request.query, request.headers.get('X-One'));
        seen.push(request.headers.all('x-one'), request.headers.get('missing'), request.metadata.clientIp);
        return allow();
      },
    });
    await agent.decide({ ...requestEvent(['x-one', '1', 'x-one', '2']), uri: '/a?b=c?d' }, connection);
    expect(seen).toEqual(['call-1', 'GET', '/a', 'b=c?d', '1', ['1', '2'], null, '192.0.2.7']);
  });

  it('returns the decision of its method with all operations in order', async () => {
    const answers = [
      allow().setRequestHeader('X-A', '1').addRequestHeader('X-A', '2').removeRequestHeader('X-B'),
      allow()
        .setResponseHeader('X-C', '3')
        .addResponseHeader('X-C', '4')
        .removeResponseHeader('X-D')
        .tag('t')
        .because('r'),
      blockAnswer(403, 'no', { 'X-E': '5' }),
      redirect('/login'),
      challenge('Bearer', { realm: 'x' }),
      needBody(),
    ];
    const { agent } = made({ requestHeaders: () => answers.shift() ?? allow() });
    const ask = () => agent.decide(requestEvent([]), connection);
    expect((await ask()).requestHeaders).toEqual([
      { kind: 'set', name: 'X-A', value: '1' },
      { kind: 'add', name: 'X-A', value: '2' },
      { kind: 'remove', name: 'X-B' },
    ]);
    const second = await ask();
    expect(second.responseHeaders.map(({ kind }) => kind)).toEqual(['set', 'add', 'remove']);
    expect(second.audit).toMatchObject({ tags: ['t'], reasonCodes: ['r'] });
    expect((await ask()).decision).toEqual({ kind: 'block', status: 403, body: 'no', headers: ['X-E', '5'] });
    expect((await ask()).decision).toEqual({ kind: 'redirect', url: '/login', status: 302 });
    expect((await ask()).decision).toEqual({ kind: 'challenge', challengeType: 'Bearer', params: { realm: 'x' } });
    expect(await ask()).toMatchObject({ decision: { kind: 'allow' }, needsMore: true });
    expect(await ask()).toEqual(allowAnswer);
  });

  it('never mutates an answer that another request may share', async () => {
    const base = allow();
    base.setRequestHeader('X-User', 'alice');
    expect(base.message.requestHeaders).toEqual([]);
    expect(allow().message.requestHeaders).toEqual([]);
  });

  it('puts a chunk mutation only where the wire format has it', async () => {
    const { agent, logger } = made({
      requestHeaders: () => needBody().replaceChunk(new Uint8Array(1)),
      requestBodyChunk: ({ isLast, data }) => (isLast ? allow() : needBody()).replaceChunk(data.subarray(1)),
    });
    const answer = await agent.decide(chunk(1), connection);
    expect(answer.requestBodyMutation).toEqual({ chunkIndex: 1, data: Buffer.from('bc') });
    expect(answer.responseBodyMutation).toBeNull();
    expect((await agent.decide(requestEvent([]), connection)).decision).toMatchObject({ kind: 'block', status: 500 });
    expect(logger.lines.some(({ level }) => level === 'error')).toBe(true);
  });

  it.each([
    [
      'throws',
      () => {
        throw new Error('broken');
      },
    ],
    ['rejects', () => Promise.reject(new Error('broken'))],
  ] as const)('blocks if its method %s, and never allows', async (_how, requestHeaders) => {
    const { agent } = made({ requestHeaders });
    expect((await agent.decide(requestEvent([]), connection)).decision).toMatchObject({ kind: 'block', status: 500 });
    const { counters } = agent.metrics();
    expect(counters).toContainEqual(
      expect.objectContaining({ name: 'event_errors_total', labels: { event: 'request_headers' }, value: 1 }),
    );
  });

  it('accepts one configuration, and a different one only from the same gateway', async () => {
    const taken: unknown[] = [];
    const { agent } = made({
      configure: (config) => {
        if (config?.['refuse'] === true) return 'I do not like it';
        taken.push(config);
        return undefined;
      },
    });
    const first = giver('one');
    expect(await agent.configure({ a: 1 }, first, 'handshake')).toEqual({ ok: true, value: undefined });
    expect(await agent.configure({ a: 1 }, giver('two'), 'handshake')).toEqual({ ok: true, value: undefined });
    expect((await agent.configure({ a: 2 }, giver('two'), 'handshake')).ok).toBe(false);
    expect(await agent.configure({ refuse: true }, first, 'change')).toEqual({ ok: false, error: 'I do not like it' });
    expect((await agent.configure({ a: 3 }, first, 'change')).ok).toBe(true);
    expect(taken).toEqual([{ a: 1 }, { a: 3 }]);
  });

  it("accepts another gateway's configuration after the first gateway has left", async () => {
    const { agent } = made({});
    const first = giver('one');
    await agent.configure({ a: 1 }, first, 'handshake');
    agent.disconnected(first.connection);
    expect((await agent.configure({ a: 2 }, giver('two'), 'handshake')).ok).toBe(true);
  });

  it('reports draining immediately, over any other state', () => {
    const { agent } = made({ health: () => ({ state: 'degraded', message: 'slow' }) });
    const told: string[] = [];
    agent.onHealthChange(({ state }) => told.push(state));
    expect(agent.health()).toMatchObject({ state: 'degraded', message: 'slow', validForMs: 10_000 });
    agent.drain();
    expect(told).toEqual(['draining']);
  });

  it('is unhealthy if its health method fails', () => {
    const { agent } = made({
      health: () => {
        throw new Error('broken');
      },
    });
    expect(agent.health().state).toBe('unhealthy');
  });

  it('gets notice of everything it can forget: cancelled events, and open events of a closed connection', async () => {
    const forgotten: string[] = [];
    const { agent } = made({
      requestHeaders: ({ id }) => (id === 'done' ? allow() : needBody()),
      cancelled: (id, reason) => {
        forgotten.push(`${id} ${reason}`);
      },
    });
    const other = Symbol('other');
    await agent.decide(requestEvent([], 'done'), connection);
    await agent.decide(requestEvent([], 'cancelled'), connection);
    await agent.decide(requestEvent([], 'open'), connection);
    await agent.decide(requestEvent([], 'elsewhere'), other);
    agent.cancel('cancelled', 'timeout', connection);
    agent.disconnected(connection);
    agent.disconnected(connection);
    expect(forgotten).toEqual(['cancelled timeout', 'open client_disconnect']);
  });

  it.each([
    [
      'throws',
      () => {
        throw new Error('broken');
      },
    ],
    ['gives a promise', async () => ({ counters: [], gauges: [] })],
    ['gives half of it', () => ({ gauges: [] })],
  ])("reports only the kit's counters if the agent %s in its metrics method", (_how, metrics) => {
    const { agent, logger } = made({ metrics: metrics as never });
    expect(agent.metrics()).toMatchObject({ counters: [], gauges: [] });
    expect(logger.lines.some(({ level }) => level === 'error')).toBe(true);
  });

  it.each([
    ['nothing', () => undefined],
    ['nothing later', async () => undefined],
    ['true', () => true],
    ['what only looks like an answer', () => ({ message: allowAnswer, chunk: null })],
  ])('blocks if its method returns %s', async (_what, requestHeaders) => {
    const { agent } = made({ requestHeaders: requestHeaders as never });
    expect((await agent.decide(requestEvent([]), connection)).decision).toMatchObject({ kind: 'block', status: 500 });
  });

  it("reports the agent's counters and the kit's counters", async () => {
    const { agent } = made({
      requestHeaders: () => blockAnswer(403),
      metrics: () => ({ counters: [{ name: 'mine_total', help: null, labels: {}, value: 7 }], gauges: [] }),
    });
    await agent.decide(requestEvent([]), connection);
    const { counters, histograms } = agent.metrics();
    expect(counters.map(({ name, value }) => [name, value])).toEqual([
      ['events_total', 1],
      ['decisions_total', 1],
      ['mine_total', 7],
    ]);
    expect(histograms[0]).toMatchObject({ name: 'event_duration_seconds', count: 1 });
    expect(agent.health().load).toMatchObject({ requestsProcessed: 1, requestsRejected: 1, inFlight: 0 });
  });
});
