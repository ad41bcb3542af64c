import * as grpc from '@grpc/grpc-js';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import type { GrpcConnectorOptions } from '../../../../../src/adapters/outbound/agent-grpc-client/grpc-client-options.js';
import type { AgentConnection } from '../../../../../src/application/ports/gateway/agent-connector.js';
import type { AgentEvent } from '../../../../../src/domain/agent-protocol/messages.js';
import type { JsonObject } from '../../../../../src/domain/shared/json.js';
import { FakeAgentService } from '../../../../support/agent/fake-agent-service.js';
import type { ConnectionRecord } from '../../../../support/gateway/connection-record.js';
import { chunkEvent, headersEvent } from '../../../../support/shared/agent-events.js';
import { eventually } from '../../../../support/shared/eventually.js';
import { freePort } from '../../../../support/shared/free-port.js';
import { connectRecorded, grpcConnector } from '../../../../support/shared/grpc-connections.js';
import { grpcServer } from '../../../../support/shared/grpc-server.js';
import { RawGrpcAgent, type RawProcessStream, rawCapabilities } from '../../../../support/shared/raw-grpc-agent.js';

describe('a connection to an agent over gRPC', () => {
  let agent: RawGrpcAgent;
  beforeEach(async () => {
    agent = await RawGrpcAgent.open();
  });
  afterEach(() => agent.close());

  const connect = (config: JsonObject | null = null, options: Partial<GrpcConnectorOptions> = {}) =>
    connectRecorded(grpcConnector(agent.address, {}, options), config);

  const ready = async (
    options: Partial<GrpcConnectorOptions> = {},
  ): Promise<{ connection: AgentConnection; told: ConnectionRecord; stream: RawProcessStream }> => {
    const { connection, told } = connect(null, options);
    const stream = await agent.greeted();
    await told.isReady();
    return { connection, told, stream };
  };

  it('introduces the gateway, and reads capabilities of the agent', async () => {
    const { told } = connect({ colour: 'blue' });
    const stream = await agent.stream();
    const handshake = await stream.first((message) => message.handshake);
    expect(handshake).toEqual({
      supported_versions: [2],
      proxy_id: 'gateway-1',
      proxy_version: '0.1.0',
      config_json: '{"colour":"blue"}',
    });
    const metadata = new grpc.Metadata();
    metadata.add('portcullis-owned-headers', 'x-user-id, x-claim-*');
    metadata.add('portcullis-owned-headers', 'x-auth');
    stream.call.sendMetadata(metadata);
    stream.send({
      handshake: {
        protocol_version: 2,
        success: true,
        capabilities: {
          ...rawCapabilities,
          supported_events: [1, 0, 77],
          features: { concurrent_requests: 7, flow_control: true },
          limits: { max_body_size: 1000, max_concurrency: 3 },
        },
      },
    });
    expect(await told.isReady()).toEqual({
      agentId: 'raw-1',
      name: 'raw',
      version: '9',
      supportedEvents: ['request_headers', 'configure'],
      features: {
        streamingBody: false,
        websocket: false,
        guardrails: false,
        configPush: false,
        metricsExport: false,
        cancellation: false,
        flowControl: true,
        healthReporting: false,
        concurrentRequests: 7,
      },
      limits: { maxBodySize: 1000, maxConcurrency: 3, preferredChunkSize: 65_536 },
      ownedHeaders: ['x-user-id', 'x-claim-*', 'x-auth'],
    });
  });

  it('sends a missing configuration as null', async () => {
    connect();
    const handshake = await (await agent.stream()).first((message) => message.handshake);
    expect(handshake.config_json).toBe('null');
  });

  it('sends every event with every protocol field', async () => {
    const { connection, stream } = await ready();
    const events: readonly AgentEvent[] = [
      headersEvent('a', { headers: ['x', '1', 'x', '\u00e9'] }),
      chunkEvent('a', { data: Buffer.from([0, 255]), isLast: false, totalSize: 9, chunkIndex: 3, bytesReceived: 8 }),
      { kind: 'response_headers', correlationId: 'a', status: 204, headers: ['y', '2'] },
      {
        kind: 'response_body_chunk',
        correlationId: 'a',
        data: Buffer.from('z'),
        isLast: true,
        totalSize: null,
        chunkIndex: 0,
        bytesSent: 1,
      },
      {
        kind: 'request_complete',
        correlationId: 'a',
        status: 200,
        durationMs: 12,
        requestBodySize: 2,
        responseBodySize: 1,
        upstreamAttempts: 1,
        upstream: 'app',
        error: 'upstream_reset',
      },
    ];
    for (const event of events) expect(connection.sendEvent(event)).toBe(true);
    const complete = await stream.first((message) => message.request_complete);
    const chunk = await stream.first((message) => message.request_body_chunk);
    const responseChunk = await stream.first((message) => message.response_body_chunk);
    expect(await stream.first((message) => message.request_headers)).toMatchObject({
      metadata: {
        correlation_id: 'a',
        request_id: '4f1c0a52-6f6e-4a44-9a38-0c8bb01ec0ff',
        client_ip: '192.0.2.7',
        client_port: 40_000,
        protocol: 'HTTP/1.1',
        route_id: 'api',
        timestamp_ms: 1_700_000_000_123,
      },
      method: 'GET',
      uri: '/a?b=c',
      http_version: 'HTTP/1.1',
      headers: [
        { name: 'x', value: '1' },
        { name: 'x', value: '\u00e9' },
      ],
    });
    expect(chunk).toMatchObject({ correlation_id: 'a', chunk_index: 3, total_size: 9, bytes_transferred: 8 });
    expect(Buffer.from(chunk.data ?? [])).toEqual(Buffer.from([0, 255]));
    expect(chunk.is_last ?? false).toBe(false);
    expect(await stream.first((message) => message.response_headers)).toEqual({
      correlation_id: 'a',
      status_code: 204,
      headers: [{ name: 'y', value: '2' }],
    });
    expect(responseChunk).toMatchObject({ correlation_id: 'a', is_last: true, bytes_transferred: 1 });
    expect(responseChunk).not.toHaveProperty('total_size');
    expect(complete).toMatchObject({
      correlation_id: 'a',
      status_code: 200,
      duration_ms: 12,
      bytes_received: 2,
      bytes_sent: 1,
      upstream: 'app',
      error: 'upstream_reset',
    });
  });

  it('counts the reasons of a cancel from 1', async () => {
    const { connection, stream } = await ready();
    connection.sendCancel('a', 'client_disconnect');
    expect(await stream.first((message) => message.cancel)).toMatchObject({ correlation_id: 'a', reason: 1 });
    connection.sendCancel('b', 'manual');
    await stream.first((message) => (message.cancel?.reason === 6 ? message.cancel : null));
  });

  it('sends no cancel to an agent without that capability', async () => {
    const { connection, told } = connect();
    const stream = await agent.stream();
    const capabilities = { ...rawCapabilities, features: { config_push: true } };
    stream.send({ handshake: { protocol_version: 2, capabilities, success: true } });
    await told.isReady();
    connection.sendCancel('a', 'timeout');
    connection.sendEvent(headersEvent('b'));
    await stream.first((message) => message.request_headers);
    expect(stream.received.some((message) => message.cancel !== undefined)).toBe(false);
  });

  it('sends many events of one turn in order', async () => {
    const { connection, stream } = await ready();
    const ids = Array.from({ length: 300 }, (_, index) => `c${index}`);
    for (const id of ids) connection.sendEvent(headersEvent(id));
    connection.close('done');
    await eventually(() => stream.isEnded);
    const sent = stream.received.flatMap((message) => message.request_headers?.metadata?.correlation_id ?? []);
    expect(sent).toEqual(ids);
  });

  it('connects directly despite proxy environment variables', async () => {
    const dead = await freePort();
    for (const name of ['grpc_proxy', 'http_proxy', 'https_proxy']) vi.stubEnv(name, `http://127.0.0.1:${dead}`);
    vi.stubEnv('no_proxy', '');
    vi.stubEnv('no_grpc_proxy', '');
    try {
      const { told } = await ready();
      expect(told.ends).toEqual([]);
    } finally {
      vi.unstubAllEnvs();
    }
  });

  it('makes no second connection on a GOAWAY with the answer', async () => {
    const { told } = connect();
    const stream = await agent.greeted();
    agent.leave();
    await eventually(() => told.healths.length > 0);
    await told.isReady();
    stream.send({ response: { correlation_id: 'a', allow: {} } });
    await eventually(() => told.answers.length === 1);
    expect(agent.streams).toHaveLength(1);
    expect(told.ends).toEqual([]);
  });

  it('reads answers of every kind', async () => {
    const { told, stream } = await ready();
    const audit = {
      tags: ['t'],
      rule_ids: ['r'],
      confidence: 0.9,
      reason_codes: ['c'],
      custom: { why: 'so', correlation_id: 'x' },
    };
    stream.send({
      response: {
        correlation_id: 'a',
        allow: {},
        needs_more: true,
        audit,
        request_headers: [{ set: { name: 'x', value: '1' } }, { add: { name: 'y' } }, { remove: 'z' }],
      },
    });
    stream.send({
      response: {
        correlation_id: 'b',
        block: { status: 403, body: 'no', headers: [{ name: 'set-cookie', value: 'a' }] },
        response_headers: [{ remove: 'server' }],
      },
    });
    stream.send({ response: { correlation_id: 'c', redirect: { url: 'https://a.example/', status: 302 } } });
    stream.send({
      response: { correlation_id: 'd', challenge: { challenge_type: 'Bearer', params: { realm: 'gateway' } } },
    });
    await eventually(() => told.answers.length === 4);
    const read = told.answers.map(({ correlationId, answer }) => [correlationId, answer.ok && answer.value]);
    expect(read).toMatchObject([
      [
        'a',
        {
          decision: { kind: 'allow' },
          needsMore: true,
          audit: { tags: ['t'], ruleIds: ['r'], confidence: 0.9, reasonCodes: ['c'], custom: { why: 'so' } },
          requestHeaders: [
            { kind: 'set', name: 'x', value: '1' },
            { kind: 'add', name: 'y', value: '' },
            { kind: 'remove', name: 'z' },
          ],
          responseHeaders: [],
        },
      ],
      [
        'b',
        {
          decision: { kind: 'block', status: 403, body: 'no', headers: ['set-cookie', 'a'] },
          responseHeaders: [{ kind: 'remove', name: 'server' }],
          needsMore: false,
        },
      ],
      ['c', { decision: { kind: 'redirect', url: 'https://a.example/', status: 302 } }],
      ['d', { decision: { kind: 'challenge', challengeType: 'Bearer', params: { realm: 'gateway' } } }],
    ]);
    expect(told.answers[0]?.answer).not.toHaveProperty('value.audit.custom.correlation_id');
  });

  it('reads health, metrics, flow control, configuration updates and log lines', async () => {
    const { told, stream } = await ready();
    stream.send({
      health: {
        agent_id: 'raw-1',
        state: 2,
        load: { in_flight: 1, avg_latency_ms: 1.1, requests_processed: 2 ** 40 },
        resources: { cpu_percent: 12.5, open_fds: 3 },
        valid_until_ms: 1500,
        timestamp_ms: 1000,
        disabled_features: ['saml'],
      },
    });
    stream.send({ health: { agent_id: 'raw-1', state: 4, unhealthy_reason: 'no keys', timestamp_ms: 1 } });
    stream.send({
      metrics: {
        agent_id: 'raw-1',
        timestamp_ms: 5,
        interval_ms: 10_000,
        counters: [{ name: 'c', labels: { method: 'jwt' }, value: 7 }],
        gauges: [{ name: 'g', help: 'of it', value: -1.5 }],
        histograms: [{ name: 'h', sum: 0.5, count: 1, buckets: [{ le: Number.POSITIVE_INFINITY, count: 1 }] }],
      },
    });
    stream.send({ flow_control: { action: 1, buffer_available: 10 } });
    stream.send({ flow_control: { correlation_id: 'a', action: 2 } });
    stream.send({ config_update: { request_id: 'u', config_error: { error: 'no such key', field: 'jwt' } } });
    stream.send({ config_update: { request_id: 'v', request_reload: {} } });
    stream.send({ log: { level: 3, message: 'beware', correlation_id: 'a', fields: { k: 'v' } } });
    stream.send({ log: { level: 42, message: 'hello' } });
    await eventually(() => told.lines.length === 2);
    expect(told.healths).toMatchObject([
      {
        agentId: 'raw-1',
        state: 'degraded',
        message: null,
        load: { inFlight: 1, avgLatencyMs: 1.1, requestsProcessed: 2 ** 40 },
        resources: { cpuPercent: 12.5, openFds: 3, memoryBytes: null },
        validForMs: 500,
        timestampMs: 1000,
        disabledFeatures: ['saml'],
      },
      { state: 'unhealthy', message: 'no keys', load: null, resources: null },
    ]);
    expect(told.reports).toEqual([
      {
        agentId: 'raw-1',
        timestampMs: 5,
        intervalMs: 10_000,
        counters: [{ name: 'c', help: null, labels: { method: 'jwt' }, value: 7 }],
        gauges: [{ name: 'g', help: 'of it', labels: {}, value: -1.5 }],
        histograms: [
          {
            name: 'h',
            help: null,
            labels: {},
            sum: 0.5,
            count: 1,
            buckets: [{ le: Number.POSITIVE_INFINITY, count: 1 }],
          },
        ],
      },
    ]);
    expect(told.signals).toEqual([
      { correlationId: null, action: 'pause', bufferAvailable: 10 },
      { correlationId: 'a', action: 'resume', bufferAvailable: null },
    ]);
    expect(told.updates).toEqual([
      { requestId: 'u', update: { kind: 'config_error', error: 'no such key', field: 'jwt' } },
      { requestId: 'v', update: { kind: 'request_reload' } },
    ]);
    expect(told.lines).toEqual([
      { level: 'warn', message: 'beware', correlationId: 'a', fields: { k: 'v' } },
      { level: 'info', message: 'hello', correlationId: null, fields: {} },
    ]);
  });

  it('sends a configuration without waiting for an answer', async () => {
    const { connection, stream } = await ready();
    expect(await connection.configure({ colour: 'red' }, 'n-1', 'v-1')).toEqual({ ok: true, value: 'sent' });
    const event = await stream.first((message) => message.configure);
    expect(event.config_json).toBe('{"colour":"red"}');
    expect(event.is_initial ?? false).toBe(false);
    await connection.configure(null, 'n-2', 'v-2');
    await stream.first((message) => (message.configure?.config_json === 'null' ? message : null));
  });

  it('reports that a configuration was not sent on an ended connection', async () => {
    const { connection } = await ready();
    connection.close('done');
    expect(await connection.configure({}, 'n-1', 'v-1')).toMatchObject({ ok: false, error: { kind: 'no_answer' } });
  });

  it('is draining after a drain on the ControlStream, despite later reports', async () => {
    const { told, stream } = await ready();
    const control = await agent.control();
    control.send({ configure: {} });
    control.send({ drain: { duration_ms: 1000, reason: 2 } });
    await eventually(() => told.healths.length === 1);
    expect(told.healths[0]).toMatchObject({ agentId: 'raw-1', state: 'draining' });
    stream.send({ health: { agent_id: 'raw-1', state: 1 } });
    stream.send({ health: { agent_id: 'raw-1', state: 4 } });
    await eventually(() => told.healths.length === 3);
    expect(told.healths.map(({ state }) => state)).toEqual(['draining', 'draining', 'unhealthy']);
  });

  it('is draining after a shutdown on the ControlStream', async () => {
    const { told } = await ready();
    (await agent.control()).send({ shutdown: { reason: 1 } });
    await eventually(() => told.healths.length === 1);
    expect(told.healths[0]).toMatchObject({ state: 'draining', message: 'the agent shuts down' });
  });

  it('is draining after a GOAWAY, and still reads answers', async () => {
    const { told, stream } = await ready();
    agent.leave();
    await eventually(() => told.healths.length === 1);
    expect(told.healths[0]).toMatchObject({ state: 'draining' });
    stream.send({ response: { correlation_id: 'a', allow: {} } });
    await eventually(() => told.answers.length === 1);
    expect(told.ends).toEqual([]);
  });

  it('ends when the agent disappears', async () => {
    const { told } = await ready();
    agent.close();
    expect(await told.hasEnded()).toMatchObject({ kind: 'ended' });
  });

  it('continues when the ControlStream ends, fails or is malformed', async () => {
    const { told, stream } = await ready();
    const control = await agent.control();
    control.send(Buffer.of(0xff, 0xff));
    await eventually(() => control.isCancelled);
    stream.send({ response: { correlation_id: 'a', allow: {} } });
    await eventually(() => told.answers.length === 1);
    expect(told.ends).toEqual([]);
  });

  it('reads earlier messages before the end', async () => {
    const { told, stream } = await ready();
    for (const id of ['a', 'b', 'c']) stream.send({ response: { correlation_id: id, allow: {} } });
    stream.call.end();
    await told.hasEnded();
    expect(told.answers.map(({ correlationId }) => correlationId)).toEqual(['a', 'b', 'c']);
  });

  it('recognises a refusal that precedes the end', async () => {
    const { told } = connect();
    const stream = await agent.stream();
    stream.send({ handshake: { protocol_version: 2, error: 'not you' } });
    stream.call.end();
    expect(await told.hasEnded()).toEqual({ kind: 'refused', detail: 'not you' });
  });

  it('leaks nothing over many connections', async () => {
    const server = grpcServer(new FakeAgentService());
    const bound = await server.listen();
    const port = Number(bound.slice(bound.lastIndexOf(':') + 1));
    const connector = grpcConnector({ kind: 'tcp', host: '127.0.0.1', port });
    for (let index = 0; index < 20; index += 1) {
      const { connection, told } = connectRecorded(connector);
      if (index % 2 === 0) await told.isReady();
      connection.close('next');
    }
    await expect.poll(() => server.connections).toBe(0);
    await server.drain(0);
  });

  it('ends after its writes are sent', async () => {
    const { connection, told, stream } = await ready();
    connection.sendCancel('a', 'timeout');
    connection.close('not needed any more');
    expect(told.ends).toEqual([{ kind: 'ended', detail: 'not needed any more' }]);
    await eventually(() => stream.isEnded);
    expect(stream.received.at(-1)).toMatchObject({ cancel: { correlation_id: 'a' } });
    stream.send({ response: { correlation_id: 'a', allow: {} } });
    stream.call.end();
    await eventually(() => stream.call.destroyed);
    expect(told.answers).toEqual([]);
    expect(told.toldAfterEnd).toBe(false);
  });

  it('reports its end at once if closed while connecting', async () => {
    const { connection, told } = connect();
    connection.close('changed my mind');
    expect(told.ends).toEqual([{ kind: 'ended', detail: 'changed my mind' }]);
    connection.close('again');
    expect(told.ends).toHaveLength(1);
  });

  it('refuses to send an oversized message', async () => {
    const { connection, stream } = await ready({ maxMessageBytes: 10_000 });
    expect(connection.sendEvent(chunkEvent('a', { data: new Uint8Array(10_000) }))).toBe(false);
    expect(await connection.configure({ text: 'x'.repeat(10_000) }, 'n-1', 'v-1')).toMatchObject({ ok: false });
    expect(connection.sendEvent(headersEvent('b'))).toBe(true);
    await stream.first((message) => message.request_headers);
    expect(stream.received.some((message) => message.request_body_chunk !== undefined)).toBe(false);
  });

  it('refuses an oversized configuration before it connects', async () => {
    const { told } = connect({ text: 'x'.repeat(10_000) }, { maxMessageBytes: 10_000 });
    expect(await told.hasEnded()).toMatchObject({ kind: 'refused' });
  });

  it('is busy while output waits, and notifies when there is room', async () => {
    const { connection, told, stream } = await ready({ busyOutputBytes: 200_000 });
    stream.call.pause();
    expect(connection.isBusy).toBe(false);
    for (let index = 0; index < 40; index += 1) {
      connection.sendEvent(chunkEvent('a', { data: new Uint8Array(65_536), chunkIndex: index }));
    }
    expect(connection.isBusy).toBe(true);
    expect(told.rooms).toBe(0);
    stream.call.resume();
    await eventually(() => told.rooms > 0);
    expect(connection.isBusy).toBe(false);
  });

  it('uses a separate HTTP/2 connection for each connection', async () => {
    const connector = grpcConnector(agent.address);
    connectRecorded(connector);
    connectRecorded(connector);
    const [one, other] = [await agent.stream(0), await agent.stream(1)];
    expect(one.call.getPeer()).not.toBe(other.call.getPeer());
  });
});
