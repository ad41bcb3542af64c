import { connect, type Socket } from 'node:net';
import { describe, expect } from 'vitest';
import type { RoutePolicies } from '../../../src/domain/gateway/configuration/gateway-configuration.js';
import { type Echo, echo, startHttpUpstream } from '../../support/gateway/http-upstream.js';
import {
  startInProcess,
  testConfiguration,
  testRoute,
  testUpstream,
} from '../../support/gateway/in-process-gateway.js';
import { plainLimits, plainPolicies } from '../../support/gateway/plain-configurations.js';
import { rawExchange } from '../../support/gateway/raw-exchange.js';
import { type RawAnswer, startRawUpstream } from '../../support/gateway/raw-upstream.js';
import type { CleanUp } from '../../support/shared/clean-up.js';
import { eventually } from '../../support/shared/eventually.js';
import { it } from '../../support/shared/fixtures.js';

const bound = 1_000;

const startBefore = async (cleanUp: CleanUp, port: number, policies: Partial<RoutePolicies>) => {
  const gateway = await startInProcess(
    testConfiguration([testUpstream(port)], {
      routes: [testRoute({ policies: { ...plainPolicies, ...policies } })],
      limits: { ...plainLimits, maxBodyBufferBytes: bound },
    }),
  );
  cleanUp.add(() => gateway.stop());
  return gateway;
};

const post = (length: number, isChunked: boolean): string => {
  const body = 'x'.repeat(length);
  const framed = isChunked
    ? `Transfer-Encoding: chunked\r\n\r\n${length.toString(16)}\r\n${body}\r\n0\r\n\r\n`
    : `Content-Length: ${length}\r\n\r\n${body}`;
  return `POST / HTTP/1.1\r\nHost: a\r\nConnection: close\r\n${framed}`;
};

describe('a buffered request', () => {
  it.for([
    ['with a length', false],
    ['in chunks', true],
  ] as const)('%s may be as long as the bound, but not longer', async ([_, isChunked], { cleanUp }) => {
    const upstream = await startHttpUpstream(echo);
    cleanUp.add(() => upstream.close());
    const { address, logger, metrics } = await startBefore(cleanUp, upstream.port, { bufferRequests: true });
    for (const length of [bound - 1, bound]) {
      const { status, body } = await rawExchange(address, post(length, isChunked));
      const received = JSON.parse(body) as Echo;
      expect([status, received.body.length]).toEqual([200, length]);
      expect(received.rawHeaders.join().toLowerCase()).toContain(`content-length,${length}`);
    }
    expect((await rawExchange(address, post(bound + 1, isChunked))).status).toBe(413);
    const { fields } = logger.lines.find(({ level }) => level === 'warn') ?? { fields: {} };
    expect(fields).toMatchObject({ limit: bound, limit_name: 'max-body-buffer-bytes', actual: bound + 1 });
    expect(fields).toMatchObject({ client_ip: '127.0.0.1', trace_id: expect.any(String) });
    expect(await metrics()).toMatch(/^gateway_body_size_exceeded_total\{[^}]*\} 1$/m);
  });

  it('is forwarded once complete, and never after a client disconnect', async ({ cleanUp }) => {
    const ok: RawAnswer = (socket) => socket.write('HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n');
    const upstream = await startRawUpstream(ok);
    cleanUp.add(() => upstream.close());
    const { address, accessRecords, state } = await startBefore(cleanUp, upstream.port, { bufferRequests: true });
    const half = 'POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 4\r\nConnection: close\r\n\r\nab';
    const leaving = connect(address);
    leaving.write(half);
    const waiting = connect(address);
    cleanUp.add(() => waiting.destroy());
    waiting.write(half);
    await eventually(() => state.requestsInFlight() === 2);
    leaving.destroy();
    await eventually(() => accessRecords.length === 1);
    expect(upstream.heads).toHaveLength(0);
    const answer = new Promise<string>((resolve) => waiting.once('data', (octets) => resolve(octets.toString())));
    waiting.write('cd');
    expect(await answer).toContain('HTTP/1.1 200');
    expect(upstream.heads).toHaveLength(1);
    expect(accessRecords[0]?.status).toBe(499);
  });
});

describe('a buffered response', () => {
  const get = 'GET / HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n';

  /** The upstream sends this, and more when the test says so. */
  const startSending = async (cleanUp: CleanUp, first: string) => {
    const sockets: Socket[] = [];
    const upstream = await startRawUpstream((socket) => {
      sockets.push(socket);
      socket.write(first);
    });
    cleanUp.add(() => upstream.close());
    const { address } = await startBefore(cleanUp, upstream.port, { bufferResponses: true });
    const client = connect(address);
    cleanUp.add(() => client.destroy());
    let text = '';
    client.on('data', (octets) => {
      text += octets.toString();
    });
    client.on('error', () => undefined);
    client.write(get);
    await eventually(() => sockets.length === 1);
    return { upstream: sockets[0] as Socket, text: () => text };
  };

  const head = 'HTTP/1.1 200 OK\r\nContent-Length: 1000\r\n';

  it('becomes 502 if truncated', async ({ cleanUp }) => {
    const { upstream, text } = await startSending(cleanUp, `${head}\r\n${'c'.repeat(bound - 1)}`);
    upstream.destroy();
    await eventually(() => text().includes('upstream_unreachable'));
    expect(text()).toMatch(/^HTTP\/1\.1 502 /);
    expect(text()).not.toContain('cccccccc');
  });

  it.for([
    ['is longer than the bound', 'HTTP/1.1 200 OK\r\nContent-Length: 1001\r\n\r\nbegin'],
    ['is an event stream', 'HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\n\r\ndata: begin\n\n'],
    ['is not to be buffered', `${head}X-Accel-Buffering: no\r\n\r\nbegin`],
  ] as const)('is streamed if it %s', async ([_, first], { cleanUp }) => {
    const { text } = await startSending(cleanUp, first);
    await expect.poll(text).toContain('begin');
  });

  it.for([
    ['is a 502 where it breaks off at', 0, /^HTTP\/1\.1 502 [\s\S]*upstream_unreachable/],
    ['goes on with all that came where there is more than', 1, /^HTTP\/1\.1 200 [\s\S]*c{1000}/],
  ] as const)('%s the bound, without a declared length', async ([_, more, expected], { cleanUp }) => {
    const chunk = (length: number) => (length === 0 ? '' : `${length.toString(16)}\r\n${'c'.repeat(length)}\r\n`);
    const begin = `HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n${chunk(bound)}${chunk(more)}`;
    const { upstream, text } = await startSending(cleanUp, begin);
    if (more === 0) upstream.destroy();
    await eventually(() => expected.test(text()));
  });
});

it('an open route breaker answers with Retry-After', async ({ cleanUp }) => {
  const upstream = await startRawUpstream((socket) => void socket.resetAndDestroy());
  cleanUp.add(() => upstream.close());
  const circuitBreaker = { failureThreshold: 2, openMs: 5_000, probes: 1 };
  const gateway = await startInProcess(
    testConfiguration([testUpstream(upstream.port)], { routes: [testRoute({ circuitBreaker })] }),
  );
  cleanUp.add(() => gateway.stop());
  const answers: Response[] = [];
  for (let turn = 0; turn < 3; turn += 1) answers.push(await fetch(gateway.url, { method: 'POST' }));
  expect(answers.map(({ status }) => status)).toEqual([502, 502, 503]);
  expect(await answers[2]?.json()).toMatchObject({ code: 'circuit_open' });
  expect(Number(answers[2]?.headers.get('retry-after'))).toBeLessThanOrEqual(5);
  expect(upstream.heads).toHaveLength(2);
  expect(gateway.state.routeBreakers()).toMatchObject([{ state: 'open' }]);
});
