import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { type AgentAnswer, allowAnswer } from '../../../../../src/domain/agent-protocol/messages.js';
import { Deferred } from '../../../../support/agent/fake-agent-service.js';
import { parsedFrame, rawEvent, ServedSocket } from '../../../../support/gateway/served-socket.js';
import { decided, needsMoreAnswer } from '../../../../support/shared/agent-events.js';
import { eventually } from '../../../../support/shared/eventually.js';
import { rawGateway, rawHandshake } from '../../../../support/shared/raw-agent-peer.js';

describe('an AgentUnixSocketServer', () => {
  let agent: ServedSocket;

  beforeEach(() => {
    agent = new ServedSocket();
  });

  afterEach(() => agent.close());

  it('answers with the frames of the protocol', async () => {
    const peer = await agent.greeted();
    const [handshake] = await peer.received(0x02);
    expect(parsedFrame(handshake)).toEqual({
      protocol_version: 2,
      capabilities: {
        agent_id: 'fake-1',
        name: 'fake',
        version: '1.2.3',
        supported_events: [1, 2, 8],
        features: {
          streaming_body: true,
          websocket: false,
          guardrails: false,
          config_push: true,
          metrics_export: true,
          cancellation: true,
          flow_control: false,
          health_reporting: true,
          concurrent_requests: 100,
        },
        limits: { max_body_size: 10_485_760, max_concurrency: 100, preferred_chunk_size: 65_536 },
        owned_headers: ['X-User-Id', 'X-Auth-Claim-*'],
      },
      success: true,
      error: null,
      encoding: 'json',
    });
    agent.service.answer = () => ({
      ...decided({ kind: 'block', status: 401, body: 'no', headers: ['Set-Cookie', 'a', 'X', 'y', 'Set-Cookie', 'b'] }),
      requestHeaders: [{ kind: 'remove', name: 'X-User-Id' }],
    });
    peer.send(0x10, rawEvent('one'));
    const [answer] = await peer.received(0x20);
    expect(parsedFrame(answer)).toEqual({
      version: 2,
      decision: { block: { status: 401, body: 'no', headers: { 'Set-Cookie': 'a', X: 'y' } } },
      request_headers: [{ remove: { name: 'X-User-Id' } }],
      response_headers: [{ add: { name: 'Set-Cookie', value: 'b' } }],
      routing_metadata: {},
      audit: { tags: [], rule_ids: [], confidence: null, reason_codes: [], custom: { correlation_id: 'one' } },
      needs_more: false,
      request_body_mutation: null,
      response_body_mutation: null,
      websocket_decision: null,
    });
    expect(agent.service.events[0]).toMatchObject({
      metadata: { timestampMs: 1_700_000_000_123, serverName: null, routeId: null },
      headers: ['accept', '*/*'],
    });
  });

  it('echoes a ping unchanged', async () => {
    const peer = await agent.greeted();
    peer.send(0x41, Buffer.from([0, 1, 2, 0x7f]));
    peer.send(0x41, '');
    peer.send(0x41, '{"sequence":18446744073709551615, "timestamp_ms":1}');
    const pongs = await peer.received(0x42, 3);
    expect(pongs.map(({ payload }) => payload)).toEqual([
      '\u0000\u0001\u0002\u007f',
      '',
      '{"sequence":18446744073709551615, "timestamp_ms":1}',
    ]);
  });

  it.each<[number, object, object]>([
    [0x12, { status: 200, headers: {} }, { decision: 'allow' }],
    [0x13, { data: '', is_last: true, chunk_index: 0, bytes_sent: 0 }, { decision: 'allow' }],
    [0x14, { status: 200, duration_ms: 1 }, { decision: 'allow' }],
    [0x15, { opcode: 'text', data: '' }, { decision: 'allow', websocket_decision: 'allow' }],
    [0x16, { inspection_type: 'pii_detection', content: '' }, { decision: 'allow', detected: false }],
  ])('answers the event 0x%s without a subscription', async (code, members, expected) => {
    const peer = await agent.greeted();
    peer.send(code, { correlation_id: 'e', ...members });
    const [answer] = await peer.received(0x20);
    expect(parsedFrame(answer)).toMatchObject({ ...expected, audit: { custom: { correlation_id: 'e' } } });
    expect(agent.service.events).toHaveLength(0);
  });

  it('accepts a pushed configuration, or reports why not', async () => {
    const peer = await agent.greeted();
    peer.send(0x17, { correlation_id: 'c1', config: { colour: 'red' }, config_version: '7' });
    peer.send(0x17, { correlation_id: 'c2', config: { refuse: 'no such thing' }, config_version: null });
    peer.send(0x17, { correlation_id: 'c3', config: 'text' });
    const answers = (await peer.received(0x20, 3)).map(parsedFrame);
    expect(answers[0]).toMatchObject({ decision: 'allow', audit: { custom: { correlation_id: 'c1' } } });
    expect(answers[1]).toMatchObject({
      decision: { block: { status: 500, body: 'Configuration rejected: no such thing' } },
    });
    expect(answers[2]).toMatchObject({ decision: { block: { status: 500 } } });
    expect(agent.service.configs.at(-1)).toEqual({ colour: 'red' });
  });

  it.each<[string, object]>([
    ['no version in common', { ...rawHandshake, supported_versions: [1, 3] }],
    ['no encoding in common', { ...rawHandshake, supported_encodings: ['msgpack'] }],
    ['a configuration that is refused', { ...rawHandshake, config: { refuse: 'no' } }],
    ['a configuration that is no object', { ...rawHandshake, config: [1] }],
  ])('refuses a handshake with %s, and closes', async (_case, handshake) => {
    await agent.listen();
    const peer = await agent.gateway();
    peer.send(0x01, handshake);
    const [answer] = await peer.received(0x02);
    expect(parsedFrame(answer)).toMatchObject({ success: false, error: expect.any(String) });
    await peer.closed();
    expect(agent.service.configs).toEqual([]);
  });

  it('decides on subscribed response events, and writes mutations', async () => {
    agent.service.supportedEvents = ['response_headers', 'response_body_chunk', 'request_complete'];
    agent.service.answer = (event) => {
      if (event.kind === 'response_headers') return needsMoreAnswer;
      if (event.kind !== 'response_body_chunk') return allowAnswer;
      return { ...allowAnswer, responseBodyMutation: { chunkIndex: event.chunkIndex, data: Buffer.from('other') } };
    };
    const peer = await agent.greeted();
    peer.send(0x12, { correlation_id: 'e', status: 200, headers: { 'Content-Type': ['text/plain'] } });
    expect(parsedFrame((await peer.received(0x20))[0])['needs_more']).toBe(true);
    peer.send(0x13, { correlation_id: 'e', data: 'QQ==', is_last: true, chunk_index: 0, bytes_sent: 1 });
    expect(parsedFrame((await peer.received(0x20, 2))[1])).toMatchObject({
      decision: 'allow',
      response_body_mutation: { data: 'b3RoZXI=', chunk_index: 0 },
      request_body_mutation: null,
    });
    peer.send(0x14, { correlation_id: 'e', status: 200, duration_ms: 1 });
    await peer.received(0x20, 3);
    expect(agent.service.events).toEqual([
      { kind: 'response_headers', correlationId: 'e', status: 200, headers: ['content-type', 'text/plain'] },
      {
        kind: 'response_body_chunk',
        correlationId: 'e',
        data: Uint8Array.of(0x41),
        isLast: true,
        totalSize: null,
        chunkIndex: 0,
        bytesSent: 1,
      },
      {
        kind: 'request_complete',
        correlationId: 'e',
        status: 200,
        durationMs: 1,
        requestBodySize: 0,
        responseBodySize: 0,
        upstreamAttempts: 0,
        upstream: null,
        error: null,
      },
    ]);
  });

  it('keeps equal ids of several connections apart', async () => {
    const [first, second] = [await agent.greeted(), await agent.gateway()];
    second.send(0x01, rawHandshake);
    agent.service.answer = () => needsMoreAnswer;
    first.send(0x10, rawEvent('same'));
    second.send(0x10, rawEvent('same'));
    expect(parsedFrame((await first.received(0x20))[0])['needs_more']).toBe(true);
    expect(parsedFrame((await second.received(0x20))[0])['needs_more']).toBe(true);
    expect(agent.service.connections.size).toBe(2);
  });

  it('does not answer a cancelled call', async () => {
    const peer = await agent.greeted();
    const held = new Deferred<AgentAnswer>();
    agent.service.answer = (event) => (event.correlationId === 'gone' ? held.promise : allowAnswer);
    peer.send(0x10, rawEvent('gone'));
    peer.send(0x40, { correlation_id: 'gone', reason: 0, timestamp_ms: 1 });
    peer.send(0x40, { correlation_id: 'never', reason: 42, timestamp_ms: 1 });
    await eventually(() => agent.service.cancels.length === 2);
    expect(agent.service.cancels).toEqual([
      { correlationId: 'gone', reason: 'client_disconnect' },
      { correlationId: 'never', reason: 'manual' },
    ]);
    held.resolve(allowAnswer);
    peer.send(0x10, rawEvent('next'));
    const answers = await peer.received(0x20);
    expect(answers.map((frame) => parsedFrame(frame)['audit'])).toMatchObject([{ custom: { correlation_id: 'next' } }]);
  });

  it('blocks if the service fails', async () => {
    const peer = await agent.greeted();
    agent.service.answer = () => Promise.reject(new Error('a secret'));
    peer.send(0x10, rawEvent('a'));
    const [answer] = await peer.received(0x20);
    expect(parsedFrame(answer)['decision']).toEqual({ block: { status: 500, body: null, headers: {} } });
    expect(JSON.stringify(agent.logger.lines)).not.toContain('a secret');
  });

  it('blocks if an answer is larger than a frame', async () => {
    const peer = await agent.greeted();
    agent.service.answer = () => decided({ kind: 'block', status: 200, body: 'x'.repeat(17_000_000), headers: [] });
    peer.send(0x10, rawEvent('a'));
    const [answer] = await peer.received(0x20);
    expect(parsedFrame(answer)['decision']).toEqual({ block: { status: 500, body: null, headers: {} } });
  });

  it('reports its health at once, on each change and periodically', async () => {
    const peer = await agent.greeted({ healthIntervalMs: 60_000 });
    expect(parsedFrame(peer.frames.find(({ code }) => code === 0x30))).toEqual({
      agent_id: 'fake-1',
      state: 1,
      message: null,
      load: null,
      resources: null,
      valid_until_ms: 15_005,
      timestamp_ms: 5,
    });
    agent.service.changeState('degraded');
    expect(parsedFrame((await peer.received(0x30, 2))[1])['state']).toBe(2);
    agent.service.changeState('unhealthy');
    expect(parsedFrame((await peer.received(0x30, 3))[2])['state']).toBe(4);
  });

  it('reports its metrics at its interval', async () => {
    agent.service.report = {
      agentId: 'fake-1',
      timestampMs: 9,
      intervalMs: 5,
      counters: [{ name: 'auth_requests_total', help: null, labels: { method: 'jwt' }, value: 3 }],
      gauges: [],
      histograms: [
        { name: 'd', help: 'h', labels: {}, sum: 1.5, count: 2, buckets: [{ le: Number.POSITIVE_INFINITY, count: 2 }] },
      ],
    };
    const peer = await agent.greeted({ metricsIntervalMs: 5, healthIntervalMs: 5 });
    expect((await peer.received(0x30, 3)).length).toBeGreaterThanOrEqual(3);
    const reports = await peer.received(0x31, 2);
    expect(parsedFrame(reports[0])).toEqual({
      agent_id: 'fake-1',
      timestamp_ms: 9,
      interval_ms: 5,
      counters: [{ name: 'auth_requests_total', help: null, labels: { method: 'jwt' }, value: 3 }],
      gauges: [],
      histograms: [{ name: 'd', help: 'h', labels: {}, sum: 1.5, count: 2, buckets: [{ le: '+Inf', count: 2 }] }],
    });
  });

  it('drains: announces it, answers calls in flight, then closes', async () => {
    const peer = await agent.greeted();
    const held = new Deferred<AgentAnswer>();
    agent.service.answer = () => held.promise;
    peer.send(0x10, rawEvent('last'));
    await agent.service.received(1);
    const drained = agent.server.drain(10_000);
    const reports = await peer.received(0x30, 2);
    expect(parsedFrame(reports[1])['state']).toBe(3);
    await expect(rawGateway(agent.path).then((late) => late.closed())).resolves.toBeUndefined();
    expect(peer.isClosed).toBe(false);
    held.resolve(allowAnswer);
    expect(parsedFrame((await peer.received(0x20))[0])['decision']).toBe('allow');
    await drained;
    await peer.closed();
  });

  it('aborts calls in flight after the grace period', async () => {
    const peer = await agent.greeted();
    agent.service.answer = () => new Promise(() => {});
    peer.send(0x10, rawEvent('stuck'));
    await agent.service.received(1);
    await agent.server.drain(10);
    await peer.closed();
    expect(await peer.received(0x20, 0)).toEqual([]);
    expect(agent.server.connections).toBe(0);
  });
});
