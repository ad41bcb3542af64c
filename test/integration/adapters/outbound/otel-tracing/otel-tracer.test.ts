import { type AddressInfo, createServer, type Socket } from 'node:net';
import { propagation, trace } from '@opentelemetry/api';
import * as conventions from '@opentelemetry/semantic-conventions';
import { describe, expect } from 'vitest';
import { CryptoRandom } from '../../../../../src/adapters/outbound/node-random/crypto-random.js';
import { OtelTracer } from '../../../../../src/adapters/outbound/otel-tracing/otel-tracer.js';
import { RequestTracing } from '../../../../../src/application/gateway/trace/request-tracing.js';
import type { TracingConfiguration } from '../../../../../src/domain/gateway/configuration/tracing-schema.js';
import { Secret } from '../../../../../src/domain/shared/secret.js';
import { newExchange } from '../../../../support/gateway/exchanges.js';
import type { CleanUp } from '../../../../support/shared/clean-up.js';
import { it } from '../../../../support/shared/fixtures.js';
import { freePort } from '../../../../support/shared/free-port.js';
import { ManualClock } from '../../../../support/shared/manual-clock.js';
import { RecordingLogger } from '../../../../support/shared/recording-logger.js';
import { TraceCollector } from '../../../../support/shared/trace-collector.js';

let collector: TraceCollector;
let logger: RecordingLogger;
let clock: ManualClock;

it.beforeEach(async ({ cleanUp }) => {
  collector = await TraceCollector.start();
  cleanUp.add(() => collector.stop());
  logger = new RecordingLogger();
  clock = new ManualClock();
});

const newTracer = (cleanUp: CleanUp, changes: Partial<TracingConfiguration> = {}): OtelTracer => {
  const tracer = new OtelTracer(
    {
      endpoint: collector.endpoint,
      sampleRatio: 1,
      serviceName: 'edge',
      headers: [{ name: 'X-Collector-Key', value: new Secret('s3cret') }],
      ...changes,
    },
    { instance: 'edge-1', version: '1.2.3' },
    { logger, clock, random: new CryptoRandom() },
  );
  cleanUp.add(() => tracer.stop(0));
  return tracer;
};

/** More than any of these tests takes. */
const graceMs = 20_000;

const callersTrace = '0af7651916cd43dd8448eb211c80319c';
const callersSpan = 'b7ad6b7169203331';

describe('the spans of a request', () => {
  it('reach the collector with their parents', async ({ cleanUp }) => {
    const tracer = newTracer(cleanUp);
    const exchange = newExchange({ headers: ['traceparent', `00-${callersTrace}-${callersSpan}-00`] });
    exchange.target = { ...exchange.target, path: '/cart', host: 'shop.example' };
    const startMs = clock.wallMs();
    const request = new RequestTracing(tracer, 1, new CryptoRandom()).begin(exchange);
    clock.advance(10);
    const call = request.agentCall('auth', 'request_headers');
    clock.advance(20);
    call?.end(null, 'timed_out');
    const attempt = request.upstreamAttempt('shop', '192.0.2.1:8080', 2);
    const fields = attempt.propagate([]);
    clock.advance(10);
    attempt.end(503, null);
    request.end('GET', 'cart', 503, 'no_healthy_target');
    await tracer.stop(graceMs);

    const [agent, upstream, server] = collector.spans;
    if (!agent || !upstream || !server) throw new Error('spans are missing');
    expect(collector.spans).toHaveLength(3);
    expect(server).toMatchObject({
      traceId: callersTrace,
      parentSpanId: callersSpan,
      name: 'GET cart',
      kind: 2,
      status: 2,
    });
    expect(server.attributes).toEqual({
      [conventions.ATTR_HTTP_REQUEST_METHOD]: 'GET',
      [conventions.ATTR_HTTP_ROUTE]: 'cart',
      [conventions.ATTR_HTTP_RESPONSE_STATUS_CODE]: 503,
      [conventions.ATTR_URL_PATH]: '/cart',
      [conventions.ATTR_URL_SCHEME]: 'http',
      [conventions.ATTR_CLIENT_ADDRESS]: '127.0.0.1',
      [conventions.ATTR_SERVER_ADDRESS]: 'shop.example',
      [conventions.ATTR_NETWORK_PROTOCOL_VERSION]: '1.1',
      [conventions.ATTR_ERROR_TYPE]: 'no_healthy_target',
    });
    const below = { traceId: callersTrace, parentSpanId: server.spanId, kind: 3, status: 2 };
    expect(agent).toMatchObject({ ...below, name: 'agent auth request_headers' });
    expect(agent.attributes[conventions.ATTR_ERROR_TYPE]).toBe('timed_out');
    expect(upstream).toMatchObject({ ...below, name: 'upstream shop' });
    expect(upstream.attributes).toMatchObject({
      [conventions.ATTR_SERVER_ADDRESS]: '192.0.2.1',
      [conventions.ATTR_SERVER_PORT]: 8080,
      [conventions.ATTR_HTTP_REQUEST_RESEND_COUNT]: 1,
      [conventions.ATTR_HTTP_RESPONSE_STATUS_CODE]: 503,
    });
    expect(fields).toEqual(['traceparent', `00-${callersTrace}-${upstream.spanId}-01`]);
    expect(server.resource).toEqual({
      [conventions.ATTR_SERVICE_NAME]: 'edge',
      [conventions.ATTR_SERVICE_INSTANCE_ID]: 'edge-1',
      [conventions.ATTR_SERVICE_VERSION]: '1.2.3',
    });
    const sinceStart = (ns: bigint): number => Number(ns / 1_000_000n) - startMs;
    const times = [server, agent, upstream].map(({ startNs, endNs }) => [sinceStart(startNs), sinceStart(endNs)]);
    expect(times).toEqual([
      [0, 40],
      [10, 30],
      [30, 40],
    ]);
    expect(logger.lines).toEqual([]);
  });

  it('are posted to the configured URL with the configured headers', async ({ cleanUp }) => {
    const tracer = newTracer(cleanUp);
    tracer.start('GET', 'server', null, {}).end();
    await tracer.stop(graceMs);
    expect(collector.requests).toHaveLength(1);
    const [posted] = collector.requests;
    expect(posted).toMatchObject({ method: 'POST', url: '/v1/traces' });
    expect(posted?.headers).toMatchObject({ 'content-type': 'application/json', 'x-collector-key': 's3cret' });
    expect(posted?.headers['user-agent']).toMatch(/^portcullis\/1\.2\.3 /);
  });

  it('are sent while the gateway runs', async ({ cleanUp }) => {
    const tracer = newTracer(cleanUp);
    tracer.start('GET', 'server', null, {}).end();
    await collector.received(1);
    expect(collector.spans.map(({ name }) => name)).toEqual(['GET']);
  });

  it('start a new trace with unique ids without a caller', async ({ cleanUp }) => {
    const tracer = newTracer(cleanUp);
    for (let index = 0; index < 100; index += 1) tracer.start('GET', 'server', null, {}).end();
    await tracer.stop(graceMs);
    expect(collector.spans).toHaveLength(100);
    expect(new Set(collector.spans.map(({ traceId }) => traceId)).size).toBe(100);
    expect(new Set(collector.spans.map(({ spanId }) => spanId)).size).toBe(100);
    for (const { traceId, spanId, parentSpanId } of collector.spans) {
      expect(traceId).toMatch(/^[0-9a-f]{32}$/);
      expect(spanId).toMatch(/^[0-9a-f]{16}$/);
      expect(parentSpanId).toBeUndefined();
    }
  });

  it('have bounded texts', async ({ cleanUp }) => {
    const tracer = newTracer(cleanUp);
    tracer.start('GET', 'server', null, { 'url.path': '/'.padEnd(100_000, 'x') }).end();
    await tracer.stop(graceMs);
    expect(collector.spans[0]?.attributes['url.path']).toHaveLength(1_024);
  });
});

describe('the configuration', () => {
  const variables = {
    OTEL_EXPORTER_OTLP_ENDPOINT: 'http://192.0.2.1:1/',
    OTEL_EXPORTER_OTLP_TRACES_ENDPOINT: 'http://192.0.2.1:1/',
    OTEL_EXPORTER_OTLP_HEADERS: 'x-from-environment=1,x-collector-key=other',
    OTEL_EXPORTER_OTLP_TRACES_HEADERS: 'x-from-environment-too=1',
    OTEL_EXPORTER_OTLP_COMPRESSION: 'gzip',
    OTEL_EXPORTER_OTLP_TIMEOUT: '1',
    OTEL_TRACES_SAMPLER: 'always_off',
    OTEL_SERVICE_NAME: 'other',
    OTEL_RESOURCE_ATTRIBUTES: 'deployment.environment=other',
    OTEL_SPAN_ATTRIBUTE_COUNT_LIMIT: '1',
    OTEL_ATTRIBUTE_VALUE_LENGTH_LIMIT: '1',
    OTEL_BSP_MAX_QUEUE_SIZE: '1',
    OTEL_BSP_SCHEDULE_DELAY: '3600000',
    OTEL_SDK_DISABLED: 'true',
  };

  it('ignores environment variables, and changes none', async ({ cleanUp }) => {
    Object.assign(process.env, variables);
    cleanUp.add(() => {
      for (const name of Object.keys(variables)) delete process.env[name];
    });
    const tracer = newTracer(cleanUp);
    for (const [name, value] of Object.entries(variables)) expect(process.env[name]).toBe(value);
    for (const name of ['one', 'two', 'three']) {
      tracer.start(name, 'server', null, { 'url.path': '/cart', 'http.route': 'cart' }).end();
    }
    await collector.received(3);
    expect(collector.spans.map(({ name }) => name)).toEqual(['one', 'two', 'three']);
    expect(collector.spans[0]?.attributes).toEqual({ 'url.path': '/cart', 'http.route': 'cart' });
    expect(collector.spans[0]?.resource).toMatchObject({ 'service.name': 'edge' });
    expect(Object.keys(collector.spans[0]?.resource ?? {})).toHaveLength(3);
    const [posted] = collector.requests;
    expect(posted?.headers['x-collector-key']).toBe('s3cret');
    expect(Object.keys(posted?.headers ?? {}).filter((name) => name.startsWith('x-from'))).toEqual([]);
    expect(posted?.headers['content-encoding']).toBeUndefined();
  });

  it('does not affect other users of OpenTelemetry in the process', async ({ cleanUp }) => {
    const tracer = newTracer(cleanUp);
    tracer.start('GET', 'server', null, {}).end();
    // What is made by the global provider is not recorded as long as nobody has registered one.
    expect(trace.getTracer('other').startSpan('other').isRecording()).toBe(false);
    expect(propagation.fields()).toEqual([]);
    await tracer.stop(graceMs);
    expect(collector.spans.map(({ name }) => name)).toEqual(['GET']);
  });
});

describe('a collector that refuses spans', () => {
  const warnings = () => logger.lines.filter(({ level }) => level === 'warn').map(({ fields }) => fields);
  const send = async (cleanUp: CleanUp, spans: number): Promise<void> => {
    const tracer = newTracer(cleanUp);
    for (let index = 0; index < spans; index += 1) tracer.start('GET', 'server', null, {}).end();
    await tracer.stop(graceMs);
  };

  it('causes one log line without its message or keys', async ({ cleanUp }) => {
    collector.status = 401;
    await send(cleanUp, 3);
    const { host } = new URL(collector.endpoint);
    expect(warnings()).toEqual([{ collector: host, reason: 'status 401', lost: 3 }]);
    expect(JSON.stringify(logger.lines)).not.toContain('s3cret');
  });

  it('causes at most one log line a minute', async ({ cleanUp }) => {
    collector.status = 400;
    // Every batch of these fails by itself.
    await send(cleanUp, 1_000);
    expect(collector.requests.length).toBeGreaterThan(1);
    expect(warnings()).toHaveLength(1);
    expect(Number(warnings()[0]?.['lost'])).toBeLessThan(1_000);
  });

  it('does not delay shutdown if nothing listens', async ({ cleanUp }) => {
    const tracer = newTracer(cleanUp, { endpoint: `http://127.0.0.1:${await freePort()}/v1/traces` });
    tracer.start('GET', 'server', null, {}).end();
    // It is tried again for longer than this.
    await tracer.stop(100);
    expect(warnings()).toEqual([]);
  });

  it('is disconnected after the grace period', async ({ cleanUp }) => {
    const server = createServer();
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    cleanUp.add(() => new Promise<void>((resolve) => server.close(() => resolve())));
    const connected = new Promise<Socket>((resolve) => server.on('connection', resolve));
    const { port } = server.address() as AddressInfo;
    const tracer = newTracer(cleanUp, { endpoint: `http://127.0.0.1:${port}/v1/traces` });
    tracer.start('GET', 'server', null, {}).end();
    const stopped = tracer.stop(300);
    const socket = await connected;
    socket.resume();
    await stopped;
    await expect.poll(() => socket.destroyed).toBe(true);
  });

  it('gets no span that ends after the tracer stops', async ({ cleanUp }) => {
    const tracer = newTracer(cleanUp);
    const late = tracer.start('late', 'server', null, {});
    tracer.start('GET', 'server', null, {}).end();
    await tracer.stop(graceMs);
    late.end();
    await tracer.stop(graceMs);
    expect(collector.spans.map(({ name }) => name)).toEqual(['GET']);
  });

  it('does not make spans pile up: spans beyond the bound are dropped and counted', async ({ cleanUp }) => {
    collector.status = null;
    const tracer = newTracer(cleanUp);
    for (let index = 0; index < 10_000; index += 1) tracer.start('GET', 'server', null, {}).end();
    expect(warnings()).toEqual([expect.objectContaining({ reason: 'the queue is full', lost: 1 })]);
    clock.advance(60_000);
    tracer.start('GET', 'server', null, {}).end();
    expect(warnings()).toHaveLength(2);
    const lost = warnings().reduce((sum, fields) => sum + Number(fields['lost']), 0);
    // The first batch is on its way, or about to be.
    expect(lost).toBeGreaterThanOrEqual(10_001 - 4_096 - 256);
    expect(lost).toBeLessThanOrEqual(10_001 - 4_096);
  });
});
