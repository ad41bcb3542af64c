import { beforeEach, describe, expect, it } from 'vitest';
import { RequestTracing, type TracedRequest } from '../../../../../src/application/gateway/trace/request-tracing.js';
import type { HeaderList } from '../../../../../src/domain/http/header-list.js';
import { SetRandom } from '../../../../support/agent/test-key-sets.js';
import { newExchange } from '../../../../support/gateway/exchanges.js';
import { RecordingTracer } from '../../../../support/gateway/recording-tracer.js';

const traceId = '0af7651916cd43dd8448eb211c80319c';
const spanId = 'b7ad6b7169203331';
const callers = (flags: string): string => `00-${traceId}-${spanId}-${flags}`;
const own = { traceId: 'a'.repeat(32), spanId: 'a'.repeat(16) };

let tracer: RecordingTracer;
let random: SetRandom;

beforeEach(() => {
  tracer = new RecordingTracer();
  random = new SetRandom();
});

const request = (headers: HeaderList = [], peerTrusted = false, method = 'GET'): TracedRequest => {
  const { request: plain } = newExchange({ headers, method });
  return {
    request: plain,
    client: { address: '192.0.2.7', peerTrusted },
    target: { host: 'shop.example', path: '/cart' },
  };
};

const begin = (traced: TracedRequest, ratio = 0.5) => new RequestTracing(tracer, ratio, random).begin(traced);

/** Random values for a request that is not sampled, and for one that is. */
const unlucky = 0.5;
const lucky = 0.49;

describe('a request that is not sampled', () => {
  beforeEach(() => {
    random.value = unlucky;
  });

  it('has ids and no span, and propagates that it is not sampled', () => {
    const trace = begin(request());
    expect(trace.traceId).toBe(own.traceId);
    expect(trace.traceparent).toBe(`00-${own.traceId}-${own.spanId}-02`);
    expect(trace.agentCall('auth', 'request_headers')).toBeNull();
    const attempt = trace.upstreamAttempt('shop', '192.0.2.1:80', 1);
    expect(attempt.propagate(['Host', 'a', 'Traceparent', 'malformed', 'tracestate', 'x=1'])).toEqual([
      'Host',
      'a',
      'traceparent',
      trace.traceparent,
    ]);
    attempt.end(500, null);
    trace.end('GET', 'cart', 500, null);
    expect(tracer.spans).toEqual([]);
  });

  it('continues the trace of its caller', () => {
    const trace = begin(request(['traceparent', callers('01'), 'tracestate', 'a=1', 'tracestate', 'b=2']));
    expect(trace.traceId).toBe(traceId);
    expect(trace.traceparent).toBe(`00-${traceId}-${own.spanId}-00`);
    expect(trace.upstreamAttempt('shop', '192.0.2.1:80', 1).propagate([])).toEqual([
      'traceparent',
      trace.traceparent,
      'tracestate',
      'a=1,b=2',
    ]);
  });

  it('keeps the flag of random ids', () => {
    expect(begin(request(['traceparent', callers('03')])).traceparent).toBe(`00-${traceId}-${own.spanId}-02`);
    expect(begin(request(['traceparent', callers('00')])).traceparent).toBe(`00-${traceId}-${own.spanId}-00`);
  });

  it('follows a trusted caller that does not sample', () => {
    random.value = 0;
    expect(begin(request(['traceparent', callers('00')], true), 1).traceparent).toMatch(/-00$/);
    expect(tracer.spans).toEqual([]);
  });
});

describe('a sampled request', () => {
  beforeEach(() => {
    random.value = lucky;
  });

  it('has a span with its final attributes', () => {
    const trace = begin(request());
    const [span] = tracer.spans;
    expect(span).toMatchObject({ name: 'GET', kind: 'server', parent: null, ends: 0 });
    expect(trace.traceId).toBe(span?.context.traceId);
    expect(trace.traceparent).toBe(`00-${span?.context.traceId}-${span?.context.spanId}-03`);
    trace.end('GET', 'cart', 200, null);
    expect(span).toMatchObject({ name: 'GET cart', errors: [], ends: 1 });
    expect(span?.attributes).toEqual({
      'http.request.method': 'GET',
      'http.route': 'cart',
      'http.response.status_code': 200,
      'url.path': '/cart',
      'url.scheme': 'http',
      'client.address': '192.0.2.7',
      'server.address': 'shop.example',
      'network.protocol.version': '1.1',
    });
  });

  it("has the HTTP/2 version in OpenTelemetry's form", () => {
    const plain = request();
    const traced = { ...plain, request: { ...plain.request, httpVersion: '2.0' } };
    begin(traced).end('GET', 'cart', 200, null);
    expect(tracer.spans[0]?.attributes).toMatchObject({ 'network.protocol.version': '2' });
  });

  it('has attributes from its end, not from its beginning', () => {
    const exchange = newExchange();
    const trace = begin(exchange);
    exchange.target = { ...exchange.target, path: '/late', host: 'late.example' };
    trace.end('GET', null, 404, 'no_route');
    expect(tracer.spans[0]?.attributes).toMatchObject({ 'url.path': '/late', 'server.address': 'late.example' });
  });

  it('has no attributes for unknown values', () => {
    const trace = begin(newExchange());
    trace.end('GET', null, 400, 'malformed_request');
    const attributes = tracer.spans[0]?.attributes ?? {};
    expect(tracer.spans[0]?.name).toBe('GET');
    expect(Object.keys(attributes)).not.toContain('http.route');
    expect(Object.keys(attributes)).not.toContain('url.path');
    expect(Object.keys(attributes)).not.toContain('server.address');
  });

  it('contains neither query nor headers', () => {
    const headers = [
      'Authorization',
      'Bearer s3cret',
      'Cookie',
      'sid=s3cret',
      'tracestate',
      's3cret=1',
      'Referer',
      's3cret',
    ];
    const exchange = newExchange({ headers, target: '/cart?token=s3cret' });
    exchange.target = { ...exchange.target, path: '/cart', query: 'token=s3cret' };
    const trace = begin(exchange);
    trace.agentCall('auth', 'request_headers')?.end(null, 'timed_out');
    const attempt = trace.upstreamAttempt('shop', '192.0.2.1:80', 1);
    attempt.propagate(headers);
    attempt.end(200, null);
    trace.end('GET', 'cart', 200, null);
    expect(tracer.spans).toHaveLength(3);
    expect(JSON.stringify(tracer.spans)).not.toContain('s3cret');
  });

  it("is a child of its caller's span, and propagates the tracestate", () => {
    const trace = begin(request(['traceparent', callers('00'), 'tracestate', 'a=1']));
    expect(trace.traceId).toBe(traceId);
    const parent = { traceId, spanId, isSampled: false, hasRandomId: false };
    expect(tracer.spans[0]).toMatchObject({ kind: 'server', parent });
    const fields = trace.upstreamAttempt('shop', '192.0.2.1:80', 1).propagate([]);
    expect(fields).toEqual(['traceparent', `00-${traceId}-${tracer.spans[1]?.context.spanId}-01`, 'tracestate', 'a=1']);
  });

  it('follows a trusted caller that samples', () => {
    random.value = 0.99;
    begin(request(['traceparent', callers('01')], true), 0);
    expect(tracer.spans).toHaveLength(1);
  });

  it("begins a new trace if the caller's fields are malformed", () => {
    const trace = begin(request(['traceparent', `${callers('01')}-x`, 'tracestate', 'a=1'], true));
    expect(tracer.spans[0]).toMatchObject({ parent: null });
    expect(trace.upstreamAttempt('shop', '192.0.2.1:80', 1).propagate(['tracestate', 'a=1'])).toHaveLength(2);
  });

  it('has child spans for calls and attempts', () => {
    const trace = begin(request());
    trace.agentCall('auth', 'request_headers')?.end(null, null);
    trace.agentCall('auth', 'request_body_chunk')?.end(null, 'timed_out');
    trace.upstreamAttempt('shop', '192.0.2.1:8080', 1).end(null, 'unreachable');
    trace.upstreamAttempt('shop', '[2001:db8::1]:8080', 2).end(503, null);
    trace.upstreamAttempt('shop', 'shop.example:443', 3).end(404, null);
    const [request_, ...parts] = tracer.spans;
    expect(parts.every(({ kind, ends }) => kind === 'client' && ends === 1)).toBe(true);
    expect(parts.every(({ parent }) => parent === request_?.context)).toBe(true);
    expect(parts.map(({ name, errors }) => [name, ...errors])).toEqual([
      ['agent auth request_headers'],
      ['agent auth request_body_chunk', 'timed_out'],
      ['upstream shop', 'unreachable'],
      ['upstream shop', '503'],
      ['upstream shop'],
    ]);
    expect(parts.map(({ attributes }) => attributes)).toEqual([
      { 'portcullis.agent': 'auth', 'portcullis.event': 'request_headers' },
      { 'portcullis.agent': 'auth', 'portcullis.event': 'request_body_chunk' },
      {
        'portcullis.upstream': 'shop',
        'http.request.method': 'GET',
        'server.address': '192.0.2.1',
        'server.port': 8080,
      },
      {
        'portcullis.upstream': 'shop',
        'http.request.method': 'GET',
        'server.address': '2001:db8::1',
        'server.port': 8080,
        'http.request.resend_count': 1,
        'http.response.status_code': 503,
      },
      {
        'portcullis.upstream': 'shop',
        'http.request.method': 'GET',
        'server.address': 'shop.example',
        'server.port': 443,
        'http.request.resend_count': 2,
        'http.response.status_code': 404,
      },
    ]);
  });

  it.each<[number, string | null, string[], string | undefined]>([
    [200, null, [], undefined],
    [404, null, [], undefined],
    [500, null, ['500'], undefined],
    [503, 'no_healthy_target', ['no_healthy_target'], undefined],
    [401, 'agent_challenge', [], 'agent_challenge'],
    [429, 'rate_limited', [], 'rate_limited'],
    [499, 'client_gone', [], 'client_gone'],
    [200, 'client_gone', [], 'client_gone'],
    // The response was interrupted after its head.
    [200, 'upstream_unreachable', ['upstream_unreachable'], undefined],
  ])('ends with status %d and error %s', (status, errorType, failures, attribute) => {
    begin(request()).end('GET', 'cart', status, errorType);
    expect(tracer.spans[0]?.errors).toEqual(failures);
    expect(tracer.spans[0]?.attributes['error.type']).toBe(attribute);
  });

  it('records at most a hundred agent calls, and then their number', () => {
    const trace = begin(request());
    const parts = Array.from({ length: 103 }, () => trace.agentCall('auth', 'request_body_chunk'));
    expect(parts.filter((part) => part === null)).toHaveLength(3);
    trace.end('POST', 'cart', 200, null);
    expect(tracer.spans).toHaveLength(101);
    expect(tracer.spans[0]?.attributes['portcullis.agent_calls']).toBe(103);
  });

  it('does not use unknown methods in its name', () => {
    const trace = begin(request([], false, 'BREW-7f3a'));
    trace.upstreamAttempt('shop', '192.0.2.1:80', 1).end(200, null);
    trace.end('BREW-7f3a', 'cart', 200, null);
    expect(tracer.spans[0]?.name).toBe('HTTP cart');
    expect(tracer.spans.map(({ attributes }) => attributes['http.request.method'])).toEqual(['_OTHER', '_OTHER']);
    expect(JSON.stringify(tracer.spans)).not.toContain('BREW');
  });
});
