import { setTimeout as sleep } from 'node:timers/promises';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { AgentUnixSocketServer } from '../../../../../src/adapters/inbound/agent-unix-socket/agent-unix-socket-server.js';
import { type AgentAnswer, allowAnswer } from '../../../../../src/domain/agent-protocol/messages.js';
import { decided, needsMoreAnswer } from '../../../../support/agent-events.js';
import { socketServer } from '../../../../support/agent-transports.js';
import { eventually } from '../../../../support/eventually.js';
import { Deferred, FakeAgentService } from '../../../../support/fake-agent-service.js';
import { type RawFrame, type RawPeer, rawFrame, rawGateway, rawHandshake } from '../../../../support/raw-agent-peer.js';
import { RecordingLogger } from '../../../../support/recording-logger.js';
import { type TemporaryFolder, temporaryFolder } from '../../../../support/temporary-folder.js';

const eventFor = (id: string, members: object = {}): object => ({
  correlation_id: id,
  metadata: {
    correlation_id: id,
    request_id: 'r',
    client_ip: '192.0.2.7',
    client_port: 1,
    protocol: 'HTTP/1.1',
    timestamp: '2023-11-14T22:13:20.123456789+00:00',
  },
  method: 'GET',
  uri: '/',
  headers: { Accept: ['*/*'] },
  ...members,
});

const parsed = (frame: RawFrame | undefined): Record<string, unknown> => JSON.parse(frame?.payload ?? 'null');

describe('an AgentUnixSocketServer and a gateway that misbehaves', () => {
  let folder: TemporaryFolder;
  let path: string;
  let logger: RecordingLogger;
  let service: FakeAgentService;
  let server: AgentUnixSocketServer;
  const peers: RawPeer[] = [];

  beforeEach(() => {
    folder = temporaryFolder();
    path = folder.file('agent.sock');
    logger = new RecordingLogger();
    service = new FakeAgentService();
  });

  afterEach(async () => {
    for (const peer of peers.splice(0)) peer.socket.destroy();
    await server.drain(0);
    folder.remove();
  });

  const listen = async (options: Parameters<typeof socketServer>[2] = {}): Promise<void> => {
    server = socketServer(path, service, options, logger);
    await server.listen();
  };

  const gateway = async (): Promise<RawPeer> => {
    const peer = await rawGateway(path);
    peers.push(peer);
    return peer;
  };

  const greeted = async (options: Parameters<typeof socketServer>[2] = {}): Promise<RawPeer> => {
    await listen(options);
    const peer = await gateway();
    peer.send(0x01, rawHandshake);
    await peer.received(0x30);
    return peer;
  };

  it('is cut off where a frame comes a few octets at a time, without end', async () => {
    const peer = await greeted({ frameTimeoutMs: 100 });
    const frame = rawFrame(0x10, 'x'.repeat(100_000));
    let sent = 0;
    while (!peer.isClosed && sent < frame.length) {
      peer.socket.write(frame.subarray(sent, sent + 10));
      sent += 10;
      await sleep(1);
    }
    expect(sent).toBeLessThan(frame.length);
    expect(JSON.stringify(logger.lines)).toContain('a frame did not come to its end in time');
  });

  it('may take its time between frames, and send frame after frame with never a pause at the end of one', async () => {
    const peer = await greeted({ frameTimeoutMs: 400 });
    const frames = Array.from({ length: 700 }, (_, index) => rawFrame(0x10, eventFor(`event-${index}`)));
    const octets = Buffer.concat(frames);
    const size = frames[0]?.length ?? 0;
    let sent = 0;
    while (sent < octets.length) {
      const end = sent + size;
      peer.socket.write(octets.subarray(sent, Math.min(end, octets.length)));
      sent = end;
      await sleep(2);
      // From here on no write ends where a frame does.
      if (sent === size) {
        peer.socket.write(octets.subarray(sent, sent + 20));
        sent += 20;
      }
    }
    expect(await peer.received(0x20, frames.length)).toHaveLength(frames.length);
  });

  it('holds no more of unfinished frames than allowed for all together: the largest is closed', async () => {
    await listen({ maxHeldBytes: 1_000_000 });
    const greet = async (id: string): Promise<RawPeer> => {
      const peer = await gateway();
      peer.send(0x01, { ...rawHandshake, proxy_id: id });
      await peer.received(0x30);
      return peer;
    };
    const [small, large] = [await greet('small'), await greet('large')];
    const frame = rawFrame(0x10, 'x'.repeat(4_000_000));
    small.socket.write(frame.subarray(0, 100_000));
    large.socket.write(frame.subarray(0, 1_500_000));
    await large.closed();
    expect(small.isClosed).toBe(false);
    const closed = logger.lines.filter(({ message }) => message === 'A gateway connection is closed');
    expect(closed.map(({ fields }) => fields['proxy_id'])).toEqual(['large']);
  });

  it('counts the events that wait for the service, too', async () => {
    service.maxConcurrency = 10;
    service.answer = () => new Promise(() => undefined);
    const peer = await greeted({ maxHeldBytes: 300_000 });
    for (let index = 0; index < 10; index += 1) peer.send(0x10, eventFor(`judged-${index}`));
    await service.received(10);
    const headers = { a: ['x'.repeat(50_000)] };
    for (let index = 0; index < 10; index += 1) peer.send(0x10, eventFor(`waiting-${index}`, { headers }));
    await peer.closed();
    expect(service.events).toHaveLength(10);
  });

  it('answers with the frames of the protocol', async () => {
    const peer = await greeted();
    const [handshake] = await peer.received(0x02);
    expect(parsed(handshake)).toEqual({
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
    service.answer = () => ({
      ...decided({ kind: 'block', status: 401, body: 'no', headers: ['Set-Cookie', 'a', 'X', 'y', 'Set-Cookie', 'b'] }),
      requestHeaders: [{ kind: 'remove', name: 'X-User-Id' }],
    });
    peer.send(0x10, eventFor('one'));
    const [answer] = await peer.received(0x20);
    expect(parsed(answer)).toEqual({
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
    expect(service.events[0]).toMatchObject({
      metadata: { timestampMs: 1_700_000_000_123, serverName: null, routeId: null },
      headers: ['accept', '*/*'],
    });
  });

  it('gives a ping back octet by octet, whatever is in it', async () => {
    const peer = await greeted();
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
  ])('answers the event 0x%s, which it did not ask for', async (code, members, expected) => {
    const peer = await greeted();
    peer.send(code, { correlation_id: 'e', ...members });
    const [answer] = await peer.received(0x20);
    expect(parsed(answer)).toMatchObject({ ...expected, audit: { custom: { correlation_id: 'e' } } });
    expect(service.events).toHaveLength(0);
  });

  it('takes a configuration that is pushed, or says why it does not', async () => {
    const peer = await greeted();
    peer.send(0x17, { correlation_id: 'c1', config: { colour: 'red' }, config_version: '7' });
    peer.send(0x17, { correlation_id: 'c2', config: { refuse: 'no such thing' }, config_version: null });
    peer.send(0x17, { correlation_id: 'c3', config: 'text' });
    const answers = (await peer.received(0x20, 3)).map(parsed);
    expect(answers[0]).toMatchObject({ decision: 'allow', audit: { custom: { correlation_id: 'c1' } } });
    expect(answers[1]).toMatchObject({
      decision: { block: { status: 500, body: 'Configuration rejected: no such thing' } },
    });
    expect(answers[2]).toMatchObject({ decision: { block: { status: 500 } } });
    expect(service.configs.at(-1)).toEqual({ colour: 'red' });
  });

  it.each<[string, object]>([
    ['no version in common', { ...rawHandshake, supported_versions: [1, 3] }],
    ['no encoding in common', { ...rawHandshake, supported_encodings: ['msgpack'] }],
    ['a configuration that is refused', { ...rawHandshake, config: { refuse: 'no' } }],
    ['a configuration that is no object', { ...rawHandshake, config: [1] }],
  ])('refuses a handshake with %s, and closes', async (_case, handshake) => {
    await listen();
    const peer = await gateway();
    peer.send(0x01, handshake);
    const [answer] = await peer.received(0x02);
    expect(parsed(answer)).toMatchObject({ success: false, error: expect.any(String) });
    await peer.closed();
    expect(service.configs).toEqual([]);
  });

  it('closes a connection whose handshake does not come', async () => {
    await listen({ handshakeTimeoutMs: 20 });
    const peer = await gateway();
    peer.socket.write(Buffer.from([0, 0, 1]));
    await peer.closed();
    expect(logger.lines.some(({ level }) => level === 'warn')).toBe(true);
  });

  it.each<[string, Buffer]>([
    ['an event', rawFrame(0x10, eventFor('a'))],
    ['a ping', rawFrame(0x41, '{}')],
    ['HTTP', Buffer.from('GET / HTTP/1.1\r\nHost: a\r\n\r\n')],
  ])('closes a connection that begins with %s', async (_case, octets) => {
    await listen();
    const peer = await gateway();
    peer.socket.write(octets);
    await peer.closed();
    expect(service.events).toHaveLength(0);
    expect(peer.frames).toEqual([]);
  });

  it.each<[string, Buffer]>([
    ['a frame of length zero', Buffer.from([0, 0, 0, 0])],
    ['a frame over the maximum', Buffer.from([1, 0, 0, 1, 0x10])],
    ['an unknown type', rawFrame(0x18, '{}')],
    ['a message that only an agent sends', rawFrame(0x20, '{}')],
    ['a second handshake', rawFrame(0x01, rawHandshake)],
    ['no JSON', rawFrame(0x10, '{')],
    ['invalid UTF-8', rawFrame(0x10, Buffer.from([0x7b, 0x22, 0xc3, 0x28, 0x22, 0x3a, 0x31, 0x7d]))],
    ['an event without an id', rawFrame(0x10, eventFor('x', { correlation_id: undefined }))],
    ['an event with two ids', rawFrame(0x10, eventFor('x', { correlation_id: 'y' }))],
    ['an event without a method', rawFrame(0x10, eventFor('x', { method: undefined }))],
    ['an event without headers', rawFrame(0x10, eventFor('x', { headers: undefined }))],
    ['header values that are none', rawFrame(0x10, eventFor('x', { headers: { a: 'b' } }))],
    [
      'a chunk that is no base64',
      rawFrame(0x11, { correlation_id: 'x', data: 'a*==', is_last: true, chunk_index: 0, bytes_received: 0 }),
    ],
    [
      'a chunk with an unpadded end',
      rawFrame(0x11, { correlation_id: 'x', data: 'QQ', is_last: true, chunk_index: 0, bytes_received: 1 }),
    ],
    ['an unasked event without an id', rawFrame(0x14, { status: 200 })],
    [
      'a configuration nested without end',
      rawFrame(0x17, `{"correlation_id":"c","config":${'['.repeat(4_000)}${']'.repeat(4_000)}}`),
    ],
  ])('closes the connection on %s', async (_case, octets) => {
    const peer = await greeted();
    peer.socket.write(octets);
    await peer.closed();
    expect(service.events).toHaveLength(0);
    expect(peer.frames.some(({ code }) => code === 0x20)).toBe(false);
    await eventually(() => service.disconnects === 1);
  });

  it('closes a connection that asks twice at once about one request', async () => {
    const peer = await greeted();
    service.answer = () => new Promise(() => {});
    peer.send(0x10, eventFor('same'));
    peer.send(0x10, eventFor('same'));
    await peer.closed();
  });

  it('lets several connections use one id', async () => {
    const [first, second] = [await greeted(), await gateway()];
    second.send(0x01, rawHandshake);
    service.answer = () => needsMoreAnswer;
    first.send(0x10, eventFor('same'));
    second.send(0x10, eventFor('same'));
    expect(parsed((await first.received(0x20))[0])['needs_more']).toBe(true);
    expect(parsed((await second.received(0x20))[0])['needs_more']).toBe(true);
    expect(service.connections.size).toBe(2);
  });

  it('sends no answer to what has been cancelled', async () => {
    const peer = await greeted();
    const held = new Deferred<AgentAnswer>();
    service.answer = (event) => (event.correlationId === 'gone' ? held.promise : allowAnswer);
    peer.send(0x10, eventFor('gone'));
    peer.send(0x40, { correlation_id: 'gone', reason: 0, timestamp_ms: 1 });
    peer.send(0x40, { correlation_id: 'never', reason: 42, timestamp_ms: 1 });
    await eventually(() => service.cancels.length === 2);
    expect(service.cancels).toEqual([
      { correlationId: 'gone', reason: 'client_disconnect' },
      { correlationId: 'never', reason: 'manual' },
    ]);
    held.resolve(allowAnswer);
    peer.send(0x10, eventFor('next'));
    const answers = await peer.received(0x20);
    expect(answers.map((frame) => parsed(frame)['audit'])).toMatchObject([{ custom: { correlation_id: 'next' } }]);
  });

  it('says no where the service fails, and never allow', async () => {
    const peer = await greeted();
    service.answer = () => Promise.reject(new Error('a secret'));
    peer.send(0x10, eventFor('a'));
    const [answer] = await peer.received(0x20);
    expect(parsed(answer)['decision']).toEqual({ block: { status: 500, body: null, headers: {} } });
    expect(JSON.stringify(logger.lines)).not.toContain('a secret');
  });

  it('says no where an answer is larger than a frame can be', async () => {
    const peer = await greeted();
    service.answer = () => decided({ kind: 'block', status: 200, body: 'x'.repeat(17_000_000), headers: [] });
    peer.send(0x10, eventFor('a'));
    const [answer] = await peer.received(0x20);
    expect(parsed(answer)['decision']).toEqual({ block: { status: 500, body: null, headers: {} } });
  });

  it('judges no more at once than it can, and reads no more than it can hold', async () => {
    service.maxConcurrency = 3;
    const peer = await greeted();
    const held = new Deferred<AgentAnswer>();
    service.answer = () => held.promise;
    for (let index = 0; index < 50; index += 1) peer.send(0x10, eventFor(`e${index}`));
    await service.received(3);
    await new Promise(setImmediate);
    expect(service.events).toHaveLength(3);
    service.answer = () => allowAnswer;
    held.resolve(allowAnswer);
    expect(await peer.received(0x20, 50)).toHaveLength(50);
  });

  it('disconnects a gateway that does not read its answers', async () => {
    const peer = await greeted({ pausingOutputBytes: 65_536, maxOutputBytes: 1_048_576 });
    peer.socket.pause();
    service.answer = () => decided({ kind: 'block', status: 200, body: 'x'.repeat(400_000), headers: [] });
    for (let index = 0; index < 20; index += 1) peer.send(0x10, eventFor(`e${index}`));
    await eventually(() => server.connections === 0);
    expect(service.disconnects).toBe(1);
  });

  it('disconnects a gateway that stops reading for too long', async () => {
    const peer = await greeted({ pausingOutputBytes: 65_536, writeTimeoutMs: 20, healthIntervalMs: 10 });
    peer.socket.pause();
    service.answer = () => decided({ kind: 'block', status: 200, body: 'x'.repeat(1_000_000), headers: [] });
    peer.send(0x10, eventFor('e'));
    await eventually(() => server.connections === 0);
  });

  it('takes so many connections and no more', async () => {
    const peer = await greeted({ maxConnections: 2 });
    const others = [await gateway(), await gateway(), await gateway()];
    await eventually(() => others.filter(({ isClosed }) => isClosed).length === 2);
    expect(server.connections).toBe(2);
    expect(peer.isClosed).toBe(false);
    expect(logger.lines.filter(({ message }) => message === 'Connections are turned away')).toHaveLength(1);
  });

  it('reports its health at once, on each change, and again and again', async () => {
    const peer = await greeted({ healthIntervalMs: 60_000 });
    expect(parsed(peer.frames.find(({ code }) => code === 0x30))).toEqual({
      agent_id: 'fake-1',
      state: 1,
      message: null,
      load: null,
      resources: null,
      valid_until_ms: 15_005,
      timestamp_ms: 5,
    });
    service.changeState('degraded');
    expect(parsed((await peer.received(0x30, 2))[1])['state']).toBe(2);
    service.changeState('unhealthy');
    expect(parsed((await peer.received(0x30, 3))[2])['state']).toBe(4);
  });

  it('reports its metrics at its interval', async () => {
    service.report = {
      agentId: 'fake-1',
      timestampMs: 9,
      intervalMs: 5,
      counters: [{ name: 'auth_requests_total', help: null, labels: { method: 'jwt' }, value: 3 }],
      gauges: [],
      histograms: [
        { name: 'd', help: 'h', labels: {}, sum: 1.5, count: 2, buckets: [{ le: Number.POSITIVE_INFINITY, count: 2 }] },
      ],
    };
    const peer = await greeted({ metricsIntervalMs: 5, healthIntervalMs: 5 });
    expect((await peer.received(0x30, 3)).length).toBeGreaterThanOrEqual(3);
    const reports = await peer.received(0x31, 2);
    expect(parsed(reports[0])).toEqual({
      agent_id: 'fake-1',
      timestamp_ms: 9,
      interval_ms: 5,
      counters: [{ name: 'auth_requests_total', help: null, labels: { method: 'jwt' }, value: 3 }],
      gauges: [],
      histograms: [{ name: 'd', help: 'h', labels: {}, sum: 1.5, count: 2, buckets: [{ le: '+Inf', count: 2 }] }],
    });
  });

  it('drains: says so, answers what is in flight, then closes', async () => {
    const peer = await greeted();
    const held = new Deferred<AgentAnswer>();
    service.answer = () => held.promise;
    peer.send(0x10, eventFor('last'));
    await service.received(1);
    const drained = server.drain(10_000);
    const reports = await peer.received(0x30, 2);
    expect(parsed(reports[1])['state']).toBe(3);
    await expect(rawGateway(path).then((late) => late.closed())).resolves.toBeUndefined();
    expect(peer.isClosed).toBe(false);
    held.resolve(allowAnswer);
    expect(parsed((await peer.received(0x20))[0])['decision']).toBe('allow');
    await drained;
    await peer.closed();
  });

  it('cuts off what is in flight when the grace is over', async () => {
    const peer = await greeted();
    service.answer = () => new Promise(() => {});
    peer.send(0x10, eventFor('stuck'));
    await service.received(1);
    await server.drain(10);
    await peer.closed();
  });
});
