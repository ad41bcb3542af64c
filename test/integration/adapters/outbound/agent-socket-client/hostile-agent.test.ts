import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { PooledAgentClient } from '../../../../../src/application/gateway/ask-agents/pooled-agent-client.js';
import type { AgentOutcome } from '../../../../../src/application/ports/gateway/agent-client.js';
import { RecordingReportReader } from '../../../../support/gateway/recording-report-reader.js';
import { chunkEvent, headersEvent } from '../../../../support/shared/agent-events.js';
import { socketClient } from '../../../../support/shared/agent-transports.js';
import { eventually } from '../../../../support/shared/eventually.js';
import {
  type RawAgent,
  type RawPeer,
  rawAgent,
  rawFrame,
  rawHandshakeAnswer,
} from '../../../../support/shared/raw-agent-peer.js';
import { RecordingLogger } from '../../../../support/shared/recording-logger.js';
import { type TemporaryFolder, temporaryFolder } from '../../../../support/shared/temporary-folder.js';

const codeOf = (outcome: AgentOutcome): string => (outcome.ok ? outcome.value.decision.kind : outcome.error.code);

const answerFor = (id: string, members: object = { decision: 'allow' }): object => ({
  version: 2,
  audit: { custom: { correlation_id: id } },
  ...members,
});

describe('a PooledAgentClient over a socket and an agent that misbehaves', () => {
  let folder: TemporaryFolder;
  let path: string;
  let logger: RecordingLogger;
  const agents: RawAgent[] = [];
  const clients: PooledAgentClient[] = [];

  beforeEach(() => {
    folder = temporaryFolder();
    path = folder.file('agent.sock');
    logger = new RecordingLogger();
  });

  afterEach(async () => {
    for (const client of clients.splice(0)) await client.stop(0);
    for (const agent of agents.splice(0)) await agent.close();
    folder.remove();
  });

  const listen = async (greet?: (peer: RawPeer) => void): Promise<RawAgent> => {
    const agent = await rawAgent(path, greet);
    agents.push(agent);
    return agent;
  };

  const start = (...parts: Parameters<typeof socketClient> extends [string, ...infer Rest] ? Rest : never) => {
    const [settings, options] = parts;
    const client = socketClient(path, { timeoutMs: 10_000, ...settings }, { connections: 1, ...options }, logger);
    clients.push(client);
    client.start();
    return client;
  };

  const connected = async (
    settings: Parameters<typeof socketClient>[1] = {},
    options: Parameters<typeof socketClient>[2] = {},
  ): Promise<{ client: PooledAgentClient; peer: RawPeer }> => {
    const agent = agents[0] ?? (await listen());
    const client = start(settings, options);
    await eventually(() => client.status().connections === 1);
    return { client, peer: await agent.peer() };
  };

  it('sends the frames of the protocol, octet for octet', async () => {
    const { client, peer } = await connected({ config: { a: 'é' } });
    const [handshake] = await peer.received(0x01);
    expect(handshake?.payload).toBe(
      '{"supported_versions":[2],"proxy_id":"gateway-1","proxy_version":"0.1.0","config":{"a":"é"},"supported_encodings":["json"]}',
    );
    const asked = client.ask(headersEvent('one', { headers: ['a', '1', 'b', '\u00ff', 'a', '2'] }));
    const [headers] = await peer.received(0x10);
    expect(JSON.parse(headers?.payload ?? '')).toEqual({
      correlation_id: 'one',
      metadata: {
        correlation_id: 'one',
        request_id: '4f1c0a52-6f6e-4a44-9a38-0c8bb01ec0ff',
        client_ip: '192.0.2.7',
        client_port: 40000,
        server_name: null,
        protocol: 'HTTP/1.1',
        tls_version: null,
        tls_cipher: null,
        route_id: 'api',
        upstream_id: null,
        timestamp: '2023-11-14T22:13:20.123Z',
        traceparent: null,
      },
      method: 'GET',
      uri: '/a?b=c',
      headers: { a: ['1', '2'], b: ['ÿ'] },
    });
    peer.send(0x20, answerFor('one', { decision: 'allow', needs_more: true }));
    expect(codeOf(await asked)).toBe('allow');
    const chunk = client.ask(chunkEvent('one', { data: Buffer.from('hi!?'), totalSize: 4, bytesReceived: 4 }));
    const [body] = await peer.received(0x11);
    expect(body?.payload).toBe(
      '{"correlation_id":"one","data":"aGkhPw==","is_last":true,"total_size":4,"chunk_index":0,"bytes_received":4}',
    );
    client.cancel('one', 'upstream_error');
    expect(codeOf(await chunk)).toBe('cancelled');
    const [cancel] = await peer.received(0x40);
    expect(JSON.parse(cancel?.payload ?? '')).toEqual({
      correlation_id: 'one',
      reason: 3,
      timestamp_ms: expect.any(Number),
    });
  });

  it.each<[string, object]>([
    ['a word', { decision: 'allow' }],
    ['an object', { decision: { allow: {} } }],
  ])('reads an allow that is %s', async (_case, members) => {
    const { client, peer } = await connected();
    const asked = client.ask(headersEvent('x'));
    await peer.received(0x10);
    peer.send(0x20, answerFor('x', members));
    expect(codeOf(await asked)).toBe('allow');
  });

  it('matches an answer by its top-level id if the audit has none', async () => {
    const { client, peer } = await connected();
    const asked = client.ask(headersEvent('x'));
    await peer.received(0x10);
    peer.send(0x20, { correlation_id: 'x', version: 2, decision: { block: { status: 403 } }, audit: {} });
    expect(codeOf(await asked)).toBe('block');
  });

  it.each<[string, object]>([
    ['no decision', {}],
    ['a null decision', { decision: null }],
    ['an unknown word', { decision: 'deny' }],
    ['an unknown object', { decision: { permit: {} } }],
    ['an empty object', { decision: {} }],
    ['two decisions', { decision: { allow: {}, block: { status: 403 } } }],
    ['an allow that is no object', { decision: { allow: null } }],
    ['a list', { decision: ['allow'] }],
    ['a true', { decision: true }],
    ['a block without status', { decision: { block: {} } }],
    ['a status in words', { decision: { block: { status: '403' } } }],
    ['a block with a header list', { decision: { block: { status: 403, headers: [['a', 'b']] } } }],
    ['a redirect without url', { decision: { redirect: { status: 302 } } }],
    ['an operation of no kind', { decision: 'allow', request_headers: [{ replace: { name: 'a', value: 'b' } }] }],
    [
      'an operation of two kinds',
      { decision: 'allow', request_headers: [{ set: { name: 'a', value: 'b' }, remove: { name: 'a' } }] },
    ],
    ['operations that are none', { decision: 'allow', request_headers: { set: { name: 'a', value: 'b' } } }],
    ['a value that is a number', { decision: 'allow', response_headers: [{ set: { name: 'a', value: 1 } }] }],
    ['needs_more in words', { decision: 'allow', needs_more: 'false' }],
    ['another version', { decision: 'allow', version: 3 }],
    ['a body to be replaced', { decision: 'allow', request_body_mutation: { data: 'QQ==', chunk_index: 0 } }],
    ['a body to be dropped', { decision: 'allow', request_body_mutation: { data: '', chunk_index: 0 } }],
    ['a frame to be dropped', { decision: 'allow', websocket_decision: 'drop' }],
  ])('rejects %s as an answer, and keeps the connection', async (_case, members) => {
    const { client, peer } = await connected();
    const [bad, good] = [client.ask(headersEvent('bad')), client.ask(headersEvent('good'))];
    await peer.received(0x10, 2);
    peer.send(0x20, answerFor('bad', members));
    expect(codeOf(await bad)).toBe('malformed_answer');
    peer.send(0x20, answerFor('good'));
    expect(codeOf(await good)).toBe('allow');
  });

  it.each<[string, Buffer]>([
    ['a frame of length zero', Buffer.from([0, 0, 0, 0])],
    ['a frame over the maximum', Buffer.from([0x01, 0x00, 0x00, 0x01, 0x20])],
    ['the largest length there is', Buffer.from([0xff, 0xff, 0xff, 0xff])],
    ['an unknown type', rawFrame(0x21, {})],
    ['a message that only a gateway sends', rawFrame(0x10, answerFor('a'))],
    ['no JSON', rawFrame(0x20, '{"decision":"allow"')],
    ['an empty payload', rawFrame(0x20, '')],
    ['JSON that is no object', rawFrame(0x20, '"allow"')],
    [
      'invalid UTF-8',
      rawFrame(0x20, Buffer.concat([Buffer.from('{"decision":"allow","a":"'), Buffer.from([0xff]), Buffer.from('"}')])),
    ],
    ['a byte order mark', rawFrame(0x20, '\ufeff{"decision":"allow","correlation_id":"a"}')],
    ['an answer without an id', rawFrame(0x20, { version: 2, decision: 'allow' })],
    ['an id that is no string', rawFrame(0x20, { version: 2, decision: 'allow', correlation_id: 7 })],
    ['JSON nested without end', rawFrame(0x20, `{"a":${'['.repeat(1_000_000)}`)],
    ['millions of values', rawFrame(0x20, `{"a":[${'{},'.repeat(2_000_000)}{}]}`)],
    ['a second handshake', rawFrame(0x02, rawHandshakeAnswer)],
  ])('closes the connection on %s, and every call on it fails', async (_case, octets) => {
    const { client, peer } = await connected();
    const asked = [client.ask(headersEvent('a')), client.ask(headersEvent('b'))];
    await peer.received(0x10, 2);
    peer.socket.write(octets);
    expect((await Promise.all(asked)).map(codeOf)).toEqual(['malformed_answer', 'malformed_answer']);
    await peer.closed();
    expect(logger.lines.some(({ level }) => level === 'error')).toBe(true);
    await eventually(() => client.status().connections === 1);
  });

  it('fails the calls of a connection that ends within a frame', async () => {
    const { client, peer } = await connected();
    const asked = client.ask(headersEvent('a'));
    await peer.received(0x10);
    peer.socket.end(rawFrame(0x20, answerFor('a')).subarray(0, -1));
    expect(codeOf(await asked)).toBe('disconnected');
  });

  it('reads an answer that arrives octet by octet', async () => {
    const { client, peer } = await connected();
    const asked = client.ask(headersEvent('slow'));
    await peer.received(0x10);
    for (const octet of rawFrame(0x20, answerFor('slow', { decision: { block: { status: 418, body: 'é' } } }))) {
      peer.socket.write(Buffer.from([octet]));
      await new Promise(setImmediate);
    }
    expect(await asked).toMatchObject({ ok: true, value: { decision: { status: 418, body: 'é' } } });
  });

  it('drops answers to unknown calls and repeated answers', async () => {
    const { client, peer } = await connected();
    const [first, second] = [client.ask(headersEvent('a')), client.ask(headersEvent('b'))];
    await peer.received(0x10, 2);
    peer.send(0x20, answerFor('nobody'));
    peer.send(0x20, answerFor('__proto__'));
    peer.send(0x20, answerFor('a', { decision: { block: { status: 403 } } }));
    peer.send(0x20, answerFor('a'));
    expect(codeOf(await first)).toBe('block');
    peer.send(0x20, answerFor('b'));
    expect(codeOf(await second)).toBe('allow');
    expect(client.status()).toMatchObject({ inFlight: 0, connections: 1 });
  });

  it('rejects an answer on another connection', async () => {
    const agent = await listen();
    const client = start({}, { connections: 2 });
    await eventually(() => client.status().connections === 2);
    const asked = client.ask(headersEvent('a'));
    await eventually(() => agent.peers.some((peer) => peer.frames.some(({ code }) => code === 0x10)));
    const asker = agent.peers.find((peer) => peer.frames.some(({ code }) => code === 0x10));
    const other = agent.peers.find((peer) => peer !== asker);
    other?.send(0x20, answerFor('a'));
    other?.send(0x30, { agent_id: 'raw', state: 2, timestamp_ms: 1 });
    await eventually(() => client.status().state === 'degraded');
    asker?.send(0x20, answerFor('a', { decision: { block: { status: 403 } } }));
    expect(codeOf(await asked)).toBe('block');
  });

  it('does not match a late answer to a later call with the same id', async () => {
    const { client, peer } = await connected({ timeoutMs: 30 });
    expect(codeOf(await client.ask(headersEvent('same')))).toBe('timed_out');
    const again = client.ask(headersEvent('same'));
    peer.send(0x20, answerFor('same'));
    expect(codeOf(await again)).toBe('queue_full');
    expect((await peer.received(0x10)).length).toBe(1);
  });

  it('is not harmed by a __proto__ in an answer', async () => {
    const { client, peer } = await connected();
    const asked = client.ask(headersEvent('p'));
    await peer.received(0x10);
    peer.send(
      0x20,
      '{"__proto__":{"decision":"allow"},"version":2,"audit":{"custom":{"correlation_id":"p","__proto__":"x"}}}',
    );
    expect(codeOf(await asked)).toBe('malformed_answer');
    expect('x' in {}).toBe(false);
  });

  it.each<[string, (peer: RawPeer) => void]>([
    ['nothing', () => {}],
    ['an answer before the handshake', (peer) => peer.send(0x20, answerFor('a'))],
    ['a health report before the handshake', (peer) => peer.send(0x30, { agent_id: 'a', state: 1, timestamp_ms: 1 })],
    ['a handshake without capabilities', (peer) => peer.send(0x02, { ...rawHandshakeAnswer, capabilities: null })],
    ['a handshake in words', (peer) => peer.send(0x02, { ...rawHandshakeAnswer, success: 'yes' })],
    ['another encoding', (peer) => peer.send(0x02, { ...rawHandshakeAnswer, encoding: 'msgpack' })],
    ['noise', (peer) => peer.socket.write('HTTP/1.1 400 Bad Request\r\n\r\n')],
  ])('fails for an agent that answers the handshake with %s', async (_case, greet) => {
    const agent = await listen(greet);
    const client = start({}, { handshakeTimeoutMs: 50 });
    await eventually(() => agent.peers.length >= 2);
    expect(client.status().state).toBe('unreachable');
    expect(codeOf(await client.ask(headersEvent('a')))).toBe('unreachable');
  });

  it.each<[string, object]>([
    ['refuses', { protocol_version: 2, capabilities: null, success: false, error: 'bad config' }],
    ['speaks another version', { ...rawHandshakeAnswer, protocol_version: 3 }],
  ])('logs once that an agent %s, and retries', async (_case, answer) => {
    const agent = await listen((peer) => void peer.received(0x01).then(() => peer.send(0x02, answer)));
    const client = start();
    await eventually(() => agent.peers.length >= 4);
    expect(codeOf(await client.ask(headersEvent('a')))).toBe('refused');
    expect(logger.lines.filter(({ level }) => level === 'error')).toHaveLength(1);
  });

  it('detects a hanging agent, and returns to it', async () => {
    let mute = false;
    const agent = await listen((peer) => {
      void peer.received(0x01).then(() => peer.send(0x02, rawHandshakeAnswer));
      peer.socket.on('data', () => {
        if (!mute && peer.frames.length > 1) peer.send(0x42, {});
      });
    });
    const client = start({}, { pingIntervalMs: 20 });
    await eventually(() => client.status().connections === 1);
    mute = true;
    const asked = client.ask(headersEvent('a'));
    expect(codeOf(await asked)).toBe('disconnected');
    mute = false;
    await eventually(() => client.status().connections === 1);
    expect(agent.peers.length).toBeGreaterThan(1);
  });

  it('sends a draining agent no new call, and disconnects after its answers', async () => {
    const agent = await listen((peer) => {
      // The first connection drains; later ones get no handshake.
      if (agent.peers.length === 1) void peer.received(0x01).then(() => peer.send(0x02, rawHandshakeAnswer));
    });
    const client = start();
    await eventually(() => client.status().connections === 1);
    const peer = await agent.peer();
    const asked = client.ask(headersEvent('a'));
    await peer.received(0x10);
    peer.send(0x30, { agent_id: 'raw', state: { status: 'draining', eta_ms: 10 }, timestamp_ms: 1 });
    await eventually(() => client.status().state === 'draining');
    expect(codeOf(await client.ask(headersEvent('b')))).toBe('unreachable');
    peer.send(0x20, answerFor('a'));
    expect(codeOf(await asked)).toBe('allow');
    await peer.closed();
  });

  it.each<[unknown, string]>([
    [1, 'healthy'],
    [2, 'degraded'],
    [4, 'unhealthy'],
    [{ status: 'degraded', disabled_features: ['x'], timeout_multiplier: 2 }, 'degraded'],
    [{ status: 'unhealthy', reason: 'r', recoverable: true }, 'unhealthy'],
  ])('shows the state %j', async (state, expected) => {
    const { client, peer } = await connected();
    peer.send(0x30, {
      agent_id: 'raw',
      state,
      message: null,
      load: { in_flight: 1 },
      resources: null,
      timestamp_ms: 1,
    });
    await eventually(() => client.status().state === expected);
  });

  it('ignores malformed reports', async () => {
    const { client, peer } = await connected();
    peer.send(0x30, { agent_id: 'raw', state: 9, timestamp_ms: 1 });
    peer.send(0x30, { state: 'fine' });
    peer.send(0x31, { counters: 'many' });
    peer.send(0x32, { request_id: 'r', timestamp_ms: 1, update_type: { type: 'nothing known' } });
    peer.send(0x33, { correlation_id: null, action: 4, timestamp_ms: 1 });
    peer.send(0x42, 'not even JSON');
    peer.send(0x30, { agent_id: 'raw', state: 2, timestamp_ms: 1 });
    await eventually(() => client.status().state === 'degraded');
    const asked = client.ask(headersEvent('a'));
    await peer.received(0x10);
    peer.send(0x20, answerFor('a'));
    expect(codeOf(await asked)).toBe('allow');
    const problems = logger.lines.filter(({ message }) => message === 'Agent sent an unreadable report');
    expect(problems).toHaveLength(1);
  });

  it('sends nothing new while the agent pauses it', async () => {
    const { client, peer } = await connected();
    const before = client.ask(headersEvent('before'));
    await peer.received(0x10);
    peer.send(0x33, { correlation_id: null, action: 1, buffer_available: null, timestamp_ms: 1 });
    peer.send(0x20, answerFor('before'));
    expect(codeOf(await before)).toBe('allow');
    const held = client.ask(headersEvent('held'));
    expect(client.status()).toMatchObject({ inFlight: 0, queueDepth: 1 });
    peer.send(0x33, { correlation_id: null, action: 3, buffer_available: 65_536, timestamp_ms: 1 });
    expect((await peer.received(0x10, 2)).map(({ payload }) => JSON.parse(payload).correlation_id)).toEqual([
      'before',
      'held',
    ]);
    peer.send(0x20, answerFor('held'));
    expect(codeOf(await held)).toBe('allow');
  });

  it('resends the configuration to an agent that requests it, at a bounded rate', async () => {
    const { client, peer } = await connected({ config: { v: 1 } });
    const reload = { request_id: 'r', timestamp_ms: 1, update_type: { type: 'request_reload' } };
    for (let index = 0; index < 50; index += 1) peer.send(0x32, reload);
    const [configure] = await peer.received(0x17);
    const { correlation_id: id, config } = JSON.parse(configure?.payload ?? '{}') as {
      correlation_id: string;
      config: unknown;
    };
    expect(config).toEqual({ v: 1 });
    peer.send(0x20, answerFor(id));
    const asked = client.ask(headersEvent('after'));
    await peer.received(0x10);
    peer.send(0x20, answerFor('after'));
    await asked;
    expect(peer.frames.filter(({ code }) => code === 0x17)).toHaveLength(1);
  });

  it('shows that the agent cannot take its configuration', async () => {
    const { client, peer } = await connected();
    const update = { type: 'config_error', error: 'no such file', field: 'saml' };
    peer.send(0x32, { request_id: 'r', timestamp_ms: 1, update_type: update });
    await eventually(() => client.status().refusal !== null);
    expect(client.status().refusal).toBe('saml: no such file');
    expect(logger.lines.filter(({ level }) => level === 'error')).toHaveLength(1);
  });

  it('sends no Cancel or Configure to an agent without that capability', async () => {
    const capabilities = { ...rawHandshakeAnswer.capabilities, features: {} };
    const greet = (peer: RawPeer) =>
      void peer.received(0x01).then(() => peer.send(0x02, { ...rawHandshakeAnswer, capabilities }));
    const agent = await listen(greet);
    const client = start({ config: { v: 1 } });
    await eventually(() => client.status().connections === 1);
    const [first] = agent.peers as [RawPeer];
    const asked = client.ask(headersEvent('given-up'));
    await first.received(0x10);
    client.cancel('given-up', 'client_disconnect');
    expect(codeOf(await asked)).toBe('cancelled');
    expect(await client.configure({ v: 2 })).toEqual({ ok: true, value: undefined });
    const [, second] = agent.peers as [RawPeer, RawPeer];
    expect(JSON.parse(second.frames[0]?.payload ?? '').config).toEqual({ v: 2 });
    await first.closed();
    expect(first.frames.map(({ code }) => code)).toEqual([0x01, 0x10]);
  });

  const metricsOf = (agentId: string, value: number, timestampMs = 1): object => ({
    agent_id: agentId,
    timestamp_ms: timestampMs,
    interval_ms: 10_000,
    counters: [{ name: 'auth_requests_total', help: 'h', labels: { method: 'jwt' }, value }],
    gauges: [],
    histograms: [
      {
        name: 'd',
        help: null,
        labels: {},
        sum: 1,
        count: 2,
        buckets: [
          { le: 0.5, count: 1 },
          { le: '+Inf', count: 2 },
        ],
      },
    ],
  });

  it('forwards each report of any agent id', async () => {
    const { client, peer } = await connected();
    const reader = new RecordingReportReader();
    client.reportTo(reader);
    for (let index = 0; index < 100; index += 1) peer.send(0x31, metricsOf(`agent-${index}`, index));
    peer.send(0x31, metricsOf('agent-0', 1_000));
    await eventually(() => reader.reports.length === 101);
    expect(reader.reports.at(-1)).toMatchObject({ agentId: 'agent-0', counters: [{ value: 1_000 }] });
    expect(reader.reports[0]?.histograms[0]?.buckets).toEqual([
      { le: 0.5, count: 1 },
      { le: Number.POSITIVE_INFINITY, count: 2 },
    ]);
  });

  it('accepts reports of an agent id from one connection, and from the next after its end', async () => {
    const agent = await listen();
    const client = start({}, { connections: 2 });
    const reader = new RecordingReportReader();
    client.reportTo(reader);
    await eventually(() => client.status().connections === 2);
    const [one, other] = agent.peers as [RawPeer, RawPeer];
    const values = (): unknown[] => reader.reports.map(({ counters }) => counters[0]?.value);
    one.send(0x31, metricsOf('raw', 10));
    await eventually(() => reader.reports.length === 1);
    other.send(0x31, metricsOf('raw', 3));
    other.send(0x31, metricsOf('another', 4));
    one.send(0x31, metricsOf('raw', 11));
    await eventually(() => reader.reports.length === 3);
    expect(values().sort()).toEqual([10, 11, 4]);
    one.socket.destroy();
    await eventually(() => {
      other.send(0x31, metricsOf('raw', 5));
      return values().includes(5);
    });
    expect(values()).not.toContain(3);
    expect(reader.endedIds).toEqual([]);
    await agent.close();
    await eventually(() => reader.endedIds.includes('raw'));
  });

  it('bounds queued calls for an agent that does not read', async () => {
    const { client, peer } = await connected({ timeoutMs: 300, maxQueueDepth: 5 }, { busyOutputBytes: 65_536 });
    peer.socket.pause();
    const large = 'x'.repeat(65_536);
    const asked = Array.from({ length: 60 }, (_, index) =>
      client.ask(headersEvent(`c${index}`, { headers: ['a', large] })),
    );
    const codes = (await Promise.all(asked)).map(codeOf);
    expect(codes).toContain('queue_full');
    expect(new Set(codes)).toEqual(new Set(['queue_full', 'timed_out']));
    expect(client.status()).toMatchObject({ inFlight: 0, queueDepth: 0 });
  });

  it('reconnects when the agent returns, and logs each change once', async () => {
    const first = await listen();
    const client = start({}, { connections: 3 });
    await eventually(() => client.status().connections === 3);
    const asked = client.ask(headersEvent('cut'));
    await eventually(() => first.peers.some((peer) => peer.frames.some(({ code }) => code === 0x10)));
    await first.close();
    expect(codeOf(await asked)).toBe('disconnected');
    await eventually(() => client.status().connections === 0);
    expect(codeOf(await client.ask(headersEvent('away')))).toBe('unreachable');
    expect(client.capabilities()?.agentId).toBe('raw');
    await listen();
    await eventually(() => client.status().connections === 3);
    expect(logger.lines.map(({ level }) => level)).toEqual(['info', 'warn', 'info']);
  });

  it('sends a new configuration on every connection and in later handshakes', async () => {
    const agent = await listen((peer) => {
      void peer.received(0x01).then(() => peer.send(0x02, rawHandshakeAnswer));
      void peer.received(0x17).then(([configure]) => {
        const { correlation_id: id } = JSON.parse(configure?.payload ?? '{}') as { correlation_id: string };
        peer.send(0x20, answerFor(id));
      });
    });
    const client = start({}, { connections: 3 });
    await eventually(() => client.status().connections === 3);
    expect(await client.configure({ v: 2 })).toEqual({ ok: true, value: undefined });
    expect(agent.peers.every((peer) => peer.frames.some(({ code }) => code === 0x17))).toBe(true);
    const dropped = agent.peers[0];
    dropped?.socket.destroy();
    await eventually(() => agent.peers.length === 4 && (agent.peers[3]?.frames.length ?? 0) > 0);
    expect(JSON.parse(agent.peers[3]?.frames[0]?.payload ?? '').config).toEqual({ v: 2 });
  });

  it('keeps the old configuration if the agent refuses the new one', async () => {
    const agent = await listen();
    const client = start({ config: { v: 1 } });
    await eventually(() => client.status().connections === 1);
    const peer = await agent.peer();
    const refused = client.configure({ v: 2 });
    const [configure] = await peer.received(0x17);
    const { correlation_id: id } = JSON.parse(configure?.payload ?? '{}') as { correlation_id: string };
    peer.send(0x20, answerFor(id, { decision: { block: { status: 500, body: 'Configuration rejected: too new' } } }));
    expect(await refused).toEqual({ ok: false, error: { kind: 'refused', reason: 'too new' } });
    peer.socket.destroy();
    await eventually(() => agent.peers.length === 2 && (agent.peers[1]?.frames.length ?? 0) > 0);
    expect(JSON.parse(agent.peers[1]?.frames[0]?.payload ?? '').config).toEqual({ v: 1 });
  });

  it('sends the new configuration in later handshakes if the agent is silent or absent', async () => {
    const agent = await listen();
    const client = start({ config: { v: 1 } }, { configureTimeoutMs: 50, connections: 2 });
    await eventually(() => client.status().connections === 2);
    expect(await client.configure({ v: 2 })).toMatchObject({ ok: false, error: { kind: 'no_answer' } });
    // Neither connection answered: both are made anew.
    await eventually(() => agent.peers.length === 4 && agent.peers.slice(2).every(({ frames }) => frames.length > 0));
    const configOf = (index: number) => JSON.parse(agent.peers[index]?.frames[0]?.payload ?? '').config;
    expect([configOf(2), configOf(3)]).toEqual([{ v: 2 }, { v: 2 }]);
    await agent.close();
    await eventually(() => client.status().connections === 0);
    expect(await client.configure({ v: 3 })).toMatchObject({ ok: false, error: { kind: 'no_answer' } });
    const next = await listen();
    await (await next.peer()).received(0x01);
    expect(JSON.parse(next.peers[0]?.frames[0]?.payload ?? '').config).toEqual({ v: 3 });
  });
});
