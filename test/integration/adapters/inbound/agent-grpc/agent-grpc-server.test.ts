import { status as codes } from '@grpc/grpc-js';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { AgentGrpcServer } from '../../../../../src/adapters/inbound/agent-grpc/agent-grpc-server.js';
import { type AgentAnswer, allowAnswer } from '../../../../../src/domain/agent-protocol/messages.js';
import { Deferred, FakeAgentService } from '../../../../support/agent/fake-agent-service.js';
import { decided, needsMoreAnswer } from '../../../../support/shared/agent-events.js';
import { eventually } from '../../../../support/shared/eventually.js';
import { grpcServer, localPort } from '../../../../support/shared/grpc-server.js';
import { grpcHandshake, grpcHead, RawGrpcGateway } from '../../../../support/shared/raw-grpc-gateway.js';
import { RecordingLogger } from '../../../../support/shared/recording-logger.js';

const chunk = (id: string, data: string, members: object = {}) => ({
  request_body_chunk: {
    correlation_id: id,
    chunk_index: 0,
    data: Buffer.from(data),
    is_last: true,
    bytes_transferred: data.length,
    ...members,
  },
});

describe('an AgentGrpcServer', () => {
  let service: FakeAgentService;
  let logger: RecordingLogger;
  let server: AgentGrpcServer;
  const gateways: RawGrpcGateway[] = [];

  beforeEach(() => {
    service = new FakeAgentService();
    logger = new RecordingLogger();
  });

  afterEach(async () => {
    for (const gateway of gateways.splice(0)) gateway.close();
    await server.drain(0);
  });

  const gateway = async (options: Parameters<typeof grpcServer>[2] = {}): Promise<RawGrpcGateway> => {
    server = grpcServer(service, localPort, { drainLingerMs: 10, ...options }, logger);
    const connected = await RawGrpcGateway.connect(await server.listen());
    gateways.push(connected);
    return connected;
  };

  it('answers the handshake with capabilities and health', async () => {
    const stream = await (await gateway()).greeted();
    expect(await stream.received('handshake')).toMatchObject([
      {
        protocol_version: 2,
        success: true,
        capabilities: {
          protocol_version: 2,
          agent_id: 'fake-1',
          name: 'fake',
          version: '1.2.3',
          supported_events: [1, 2, 8],
          features: { streaming_body: true, config_push: true, cancellation: true, concurrent_requests: 100 },
          limits: { max_body_size: 10_485_760, max_concurrency: 100, preferred_chunk_size: 65_536 },
          health_config: { report_interval_ms: 5_000 },
        },
      },
    ]);
    expect(stream.metadata?.get('portcullis-owned-headers')).toEqual(['X-User-Id,X-Auth-Claim-*']);
    expect(await stream.received('health')).toMatchObject([
      { agent_id: 'fake-1', state: 1, timestamp_ms: 5, valid_until_ms: 15_005 },
    ]);
    expect(service.configs).toEqual([null]);
  });

  it('sends metadata before the first message of the caller', async () => {
    const stream = (await gateway({ metadataDelayMs: 20 })).processStream();
    await eventually(() => stream.metadata !== null);
    expect(stream.metadata?.get('portcullis-owned-headers')).toEqual(['X-User-Id,X-Auth-Claim-*']);
    stream.send(grpcHandshake);
    expect(await stream.received('handshake')).toMatchObject([{ success: true }]);
  });

  it('leaves out invalid header names of the metadata', async () => {
    const said = service.capabilities();
    service.capabilities = () => ({ ...said, ownedHeaders: ['X-A', 'X-B\r\nX-C: 1', 'X-\u00fc', '', 'X-D-*'] });
    const stream = await (await gateway()).greeted();
    expect(stream.metadata?.get('portcullis-owned-headers')).toEqual(['X-A,X-D-*']);
  });

  it('passes the configuration to the agent, and its refusal to the gateway', async () => {
    const connected = await gateway();
    const taken = connected.processStream();
    taken.send({ handshake: { ...grpcHandshake.handshake, config_json: '{"colour":"red"}' } });
    expect(await taken.received('handshake')).toMatchObject([{ success: true }]);
    expect(service.configs).toEqual([{ colour: 'red' }]);
    const refused = connected.processStream();
    refused.send({ handshake: { ...grpcHandshake.handshake, config_json: '{"refuse":"no key"}' } });
    expect(await refused.received('handshake')).toMatchObject([{ error: 'no key', capabilities: { name: 'fake' } }]);
    expect((await refused.ended()).code).toBe(codes.OK);
  });

  it.each([
    ['that speaks another version', { supported_versions: [3] }],
    ['without a version', { supported_versions: [] }],
    ['whose configuration is no object', { config_json: '[1]' }],
  ])('refuses a gateway %s', async (_, members) => {
    const stream = (await gateway()).processStream();
    stream.send({ handshake: { ...grpcHandshake.handshake, ...members } }, grpcHead('a'));
    await stream.ended();
    expect(stream.all('handshake').every(({ success }) => success !== true)).toBe(true);
    expect(service.events).toEqual([]);
  });

  it('passes the request head to the agent, and the decision to the gateway', async () => {
    service.answer = (): AgentAnswer => ({
      ...allowAnswer,
      requestHeaders: [
        { kind: 'set', name: 'X-User-Id', value: 'ünal' },
        { kind: 'remove', name: 'X-Other' },
      ],
      responseHeaders: [{ kind: 'add', name: 'X-Seen', value: '' }],
      audit: { ...allowAnswer.audit, tags: ['t'], confidence: 0.5, custom: { reason: 'r' } },
    });
    const stream = await (await gateway()).greeted();
    stream.send(grpcHead('a'));
    expect(await stream.received('response')).toMatchObject([
      {
        correlation_id: 'a',
        decision: 'allow',
        request_headers: [
          { operation: 'set', set: { name: 'X-User-Id', value: 'ünal' } },
          { operation: 'remove', remove: 'X-Other' },
        ],
        response_headers: [{ operation: 'add', add: { name: 'X-Seen' } }],
        audit: { tags: ['t'], confidence: 0.5, custom: { reason: 'r' } },
      },
    ]);
    expect(service.events).toEqual([
      {
        kind: 'request_headers',
        correlationId: 'a',
        metadata: {
          correlationId: 'a',
          requestId: 'r',
          clientIp: '192.0.2.7',
          clientPort: 1,
          serverName: null,
          protocol: 'HTTP/1.1',
          tlsVersion: null,
          tlsCipher: null,
          routeId: null,
          upstreamId: null,
          timestampMs: 1_700_000_000_123,
          traceparent: null,
        },
        method: 'GET',
        uri: '/a?b=c',
        headers: ['accept', '*/*'],
      },
    ]);
  });

  it.each([
    [
      'block',
      decided({ kind: 'block', status: 403, body: 'no', headers: ['Set-Cookie', 'a=1', 'Set-Cookie', 'b=2'] }),
      {
        decision: 'block',
        block: {
          status: 403,
          body: 'no',
          headers: [
            { name: 'Set-Cookie', value: 'a=1' },
            { name: 'Set-Cookie', value: 'b=2' },
          ],
        },
      },
    ],
    [
      'redirect',
      decided({ kind: 'redirect', url: 'https://idp.example/', status: 302 }),
      { decision: 'redirect', redirect: { url: 'https://idp.example/', status: 302 } },
    ],
    [
      'challenge',
      decided({ kind: 'challenge', challengeType: 'Bearer', params: { realm: 'api' } }),
      { decision: 'challenge', challenge: { challenge_type: 'Bearer', params: { realm: 'api' } } },
    ],
  ])('forwards %s unchanged', async (_, answer, expected) => {
    service.answer = () => answer;
    const stream = await (await gateway()).greeted();
    stream.send(grpcHead('a'));
    expect(await stream.received('response')).toMatchObject([expected]);
  });

  it('passes a body in chunks to an agent that needs more', async () => {
    service.answer = (event) => (event.kind === 'request_headers' ? needsMoreAnswer : allowAnswer);
    const stream = await (await gateway()).greeted();
    stream.send(grpcHead('a'));
    expect(await stream.received('response')).toMatchObject([{ needs_more: true }]);
    stream.send(chunk('a', 'body', { total_size: 4 }));
    expect((await stream.received('response', 2))[1]).toMatchObject({ decision: 'allow', needs_more: false });
    expect(service.events[1]).toEqual({
      kind: 'request_body_chunk',
      correlationId: 'a',
      data: Buffer.from('body'),
      isLast: true,
      totalSize: 4,
      chunkIndex: 0,
      bytesReceived: 4,
    });
  });

  it('never passes an unchanged body if the agent changes it', async () => {
    service.answer = () => ({ ...allowAnswer, requestBodyMutation: { chunkIndex: 0, data: Buffer.from('x') } });
    const connected = await gateway();
    const stream = await connected.greeted();
    stream.send(grpcHead('a'));
    expect(await stream.received('response')).toMatchObject([{ decision: 'block', block: { status: 500 } }]);
    const { response } = await connected.processEvent(grpcHead('b'));
    expect(response).toMatchObject({ decision: 'block', block: { status: 500 } });
    expect(logger.lines.filter(({ level }) => level === 'error')).toHaveLength(2);
  });

  it('answers many calls in the order of their decisions', async () => {
    const decisions = Array.from({ length: 50 }, () => new Deferred<AgentAnswer>());
    service.answer = ({ correlationId }) => (decisions[Number(correlationId)] as Deferred<AgentAnswer>).promise;
    const stream = await (await gateway()).greeted();
    for (const [index] of decisions.entries()) stream.send(grpcHead(String(index)));
    await service.received(50);
    for (const [index, decision] of [...decisions.entries()].reverse()) {
      decision.resolve(decided({ kind: 'block', status: 400 + index, body: null, headers: [] }));
    }
    for (const { correlation_id, block } of await stream.received('response', 50)) {
      expect(block?.status).toBe(400 + Number(correlation_id));
    }
  });

  it('answers unrequested events and pings, and ignores heartbeats', async () => {
    const stream = await (await gateway()).greeted();
    stream.send(
      { configure: {} },
      { websocket_frame: { correlation_id: 'w', frame_type: 1 } },
      { guardrail: { correlation_id: 'g', content: 'c' } },
      { response_headers: { correlation_id: 'h', status_code: 200 } },
      { request_complete: { correlation_id: 'c', status_code: 200 } },
      { ping: { sequence: 7, timestamp_ms: 1_700_000_000_123 } },
    );
    expect(await stream.received('pong')).toMatchObject([{ sequence: 7, ping_timestamp_ms: 1_700_000_000_123 }]);
    expect(stream.all('response').map(({ correlation_id, allow }) => [correlation_id, allow])).toEqual([
      ['w', {}],
      ['g', {}],
      ['h', {}],
      ['c', {}],
    ]);
    expect(service.events).toEqual([]);
    expect(service.configs).toEqual([null]);
  });

  it('passes response events to an agent that requests them', async () => {
    service.supportedEvents = ['response_headers', 'response_body_chunk', 'request_complete'];
    const stream = await (await gateway()).greeted();
    stream.send(
      { response_headers: { correlation_id: 'h', status_code: 204, headers: [{ name: 'ETag', value: '"x"' }] } },
      { response_body_chunk: { correlation_id: 'b', chunk_index: 3, data: Buffer.from('z'), bytes_transferred: 9 } },
      { request_complete: { correlation_id: 'c', status_code: 502, duration_ms: 7, bytes_sent: 3, error: 'e' } },
    );
    await stream.received('response', 3);
    expect(service.events).toEqual([
      { kind: 'response_headers', correlationId: 'h', status: 204, headers: ['etag', '"x"'] },
      {
        kind: 'response_body_chunk',
        correlationId: 'b',
        data: Buffer.from('z'),
        isLast: false,
        totalSize: null,
        chunkIndex: 3,
        bytesSent: 9,
      },
      {
        kind: 'request_complete',
        correlationId: 'c',
        status: 502,
        durationMs: 7,
        requestBodySize: 0,
        responseBodySize: 3,
        upstreamAttempts: 0,
        upstream: null,
        error: 'e',
      },
    ]);
  });

  it('reports a refused configuration, and not an accepted one', async () => {
    const stream = await (await gateway()).greeted();
    stream.send({ configure: { config_json: '{"colour":"red"}' } }, { configure: { config_json: '{"refuse":"bad"}' } });
    expect(await stream.received('config_update')).toMatchObject([
      { update_type: 'config_error', config_error: { error: 'bad' } },
    ]);
    expect(service.configs).toEqual([null, { colour: 'red' }]);
    expect(stream.all('response')).toEqual([]);
  });

  it('cancels calls at the agent and does not answer them', async () => {
    const decision = new Deferred<AgentAnswer>();
    service.answer = ({ correlationId }) => (correlationId === 'a' ? decision.promise : allowAnswer);
    const stream = await (await gateway()).greeted();
    stream.send(grpcHead('a'));
    await service.received(1);
    stream.send({ cancel: { correlation_id: 'a', reason: 2 } }, grpcHead('b'));
    await stream.received('response');
    decision.resolve(allowAnswer);
    stream.send({ ping: {} });
    await stream.received('pong');
    expect(stream.all('response').map(({ correlation_id }) => correlation_id)).toEqual(['b']);
    expect(service.cancels).toEqual([{ correlationId: 'a', reason: 'timeout' }]);
  });

  it('reports metrics at its interval, and health on each change', async () => {
    service.report = {
      ...service.report,
      counters: [{ name: 'c_total', help: 'h', labels: { a: 'b' }, value: 3 }],
      histograms: [
        {
          name: 'h',
          help: null,
          labels: {},
          sum: 1.5,
          count: 1,
          buckets: [{ le: Number.POSITIVE_INFINITY, count: 1 }],
        },
      ],
    };
    const stream = await (await gateway({ metricsIntervalMs: 20 })).greeted();
    expect(await stream.received('metrics')).toMatchObject([
      {
        agent_id: 'fake-1',
        counters: [{ name: 'c_total', help: 'h', labels: { a: 'b' }, value: 3 }],
        histograms: [{ name: 'h', sum: 1.5, count: 1, buckets: [{ le: Number.POSITIVE_INFINITY, count: 1 }] }],
      },
    ]);
    service.changeState('unhealthy');
    expect((await stream.received('health', 2))[1]).toMatchObject({ state: 4 });
  });

  it('answers calls in flight after the gateway half-closes', async () => {
    const decision = new Deferred<AgentAnswer>();
    service.answer = () => decision.promise;
    const stream = (await gateway()).processStream();
    stream.send(grpcHandshake, grpcHead('a'));
    stream.halfClose();
    await service.received(1);
    decision.resolve(allowAnswer);
    expect((await stream.ended()).code).toBe(codes.OK);
    expect(stream.all('response')).toMatchObject([{ correlation_id: 'a', decision: 'allow' }]);
  });

  it('forgets a gateway that disconnects', async () => {
    const stream = await (await gateway()).greeted();
    expect(server.connections).toBe(1);
    stream.cancel();
    await eventually(() => service.disconnects === 1);
    expect(server.connections).toBe(0);
  });

  describe('while it drains', () => {
    it('announces the drain by health and ControlStream, answers calls in flight, then announces the shutdown', async () => {
      const decision = new Deferred<AgentAnswer>();
      service.answer = () => decision.promise;
      const connected = await gateway();
      const control = connected.controlStream();
      const stream = await connected.greeted();
      stream.send(grpcHead('a'));
      await service.received(1);
      const drained = server.drain(60_000);
      await stream.received('health', 2);
      expect(stream.all('health')[1]).toMatchObject({ state: 3 });
      await eventually(() => control.messages.length === 1);
      expect(control.messages).toMatchObject([{ message: 'drain', drain: { duration_ms: 60_000 } }]);
      decision.resolve(allowAnswer);
      expect(await stream.received('response')).toMatchObject([{ decision: 'allow' }]);
      await drained;
      expect((await stream.ended()).code).toBe(codes.OK);
      await eventually(() => control.status !== null);
      expect(control.messages[1]).toMatchObject({ message: 'shutdown', shutdown: { reason: 1 } });
      expect(control.status?.code).toBe(codes.OK);
    });

    it('aborts the rest after the grace period, and logs it', async () => {
      service.answer = () => new Promise(() => {});
      // Longer than a machine that is busy keeps the gateway from reading what was said last.
      const connected = await gateway({ drainLingerMs: 10_000 });
      const control = connected.controlStream();
      const stream = await connected.greeted();
      stream.send(grpcHead('a'));
      await service.received(1);
      const drained = server.drain(20);
      expect((await stream.ended()).code).toBe(codes.ABORTED);
      expect(stream.all('response')).toEqual([]);
      await eventually(() => control.messages.length === 2);
      expect(control.messages[1]).toMatchObject({ shutdown: { reason: 2 } });
      connected.close();
      await drained;
    });

    it('closes the connection of a gateway that stays', async () => {
      service.answer = () => new Promise(() => {});
      const stream = await (await gateway()).greeted();
      stream.send(grpcHead('a'));
      await service.received(1);
      await server.drain(20);
      expect((await stream.ended()).code).not.toBe(codes.OK);
      expect(server.connections).toBe(0);
    });
  });

  describe('on ProcessEvent', () => {
    it('answers a handshake, a request head and a ping', async () => {
      const connected = await gateway();
      expect(await connected.processEvent(grpcHandshake)).toMatchObject({
        handshake: { success: true, capabilities: { name: 'fake' } },
      });
      service.answer = () => decided({ kind: 'block', status: 401, body: null, headers: [] });
      expect(await connected.processEvent(grpcHead('a'))).toMatchObject({
        response: { correlation_id: 'a', block: { status: 401 } },
      });
      expect(await connected.processEvent({ ping: { sequence: 3 } })).toMatchObject({ pong: { sequence: 3 } });
    });

    it('decides on a body from later calls on its connection', async () => {
      service.answer = (event) => (event.kind === 'request_headers' ? needsMoreAnswer : allowAnswer);
      const connected = await gateway();
      expect(await connected.processEvent(grpcHead('a'))).toMatchObject({ response: { needs_more: true } });
      expect(await connected.processEvent(chunk('a', 'x'))).toMatchObject({ response: { decision: 'allow' } });
      expect(service.connections.size).toBe(1);
    });

    it('drops the oldest unfinished body when there are too many', async () => {
      service.answer = () => needsMoreAnswer;
      const connected = await gateway({ maxOneShotDialogues: 2 });
      for (const id of ['a', 'b', 'c']) await connected.processEvent(grpcHead(id));
      expect(service.cancels.map(({ correlationId }) => correlationId)).toEqual(['a']);
    });

    it('cancels a call at the agent', async () => {
      service.answer = () => new Promise(() => {});
      const call = (await gateway()).processEvent(grpcHead('a'));
      await service.received(1);
      call.cancel?.();
      await expect(call).rejects.toMatchObject({ code: codes.CANCELLED });
      await eventually(() => service.cancels.length === 1);
      expect(service.cancels).toEqual([{ correlationId: 'a', reason: 'client_disconnect' }]);
    });

    it('answers two calls with one id separately', async () => {
      const decision = new Deferred<AgentAnswer>();
      service.answer = () => decision.promise;
      const connected = await gateway();
      const first = connected.processEvent(grpcHead('a'));
      await service.received(1);
      await expect(connected.processEvent(grpcHead('a'))).rejects.toMatchObject({ code: codes.ABORTED });
      decision.resolve(allowAnswer);
      expect(await first).toMatchObject({ response: { decision: 'allow' } });
    });

    it('does not answer a configuration or a cancel', async () => {
      const connected = await gateway();
      for (const message of [{ configure: { config_json: '{}' } }, { cancel: { correlation_id: 'a', reason: 1 } }]) {
        await expect(connected.processEvent(message)).rejects.toMatchObject({ code: codes.UNIMPLEMENTED });
      }
      expect(service.configs).toEqual([]);
    });
  });
});
