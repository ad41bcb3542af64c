import { describe, expect } from 'vitest';
import { type Http2Upstream, type StreamHandler, startHttp2Upstream } from '../../support/gateway/http2-upstream.js';
import {
  type InProcessGateway,
  startInProcess,
  testConfiguration,
  testRoute,
  testUpstream,
} from '../../support/gateway/in-process-gateway.js';
import { plainPolicies } from '../../support/gateway/plain-configurations.js';
import { rawExchange } from '../../support/gateway/raw-exchange.js';
import {
  frame,
  frameTypes,
  headers,
  number32,
  startRawHttp2Upstream,
} from '../../support/gateway/raw-http2-upstream.js';
import type { CleanUp } from '../../support/shared/clean-up.js';
import { eventually } from '../../support/shared/eventually.js';
import { it } from '../../support/shared/fixtures.js';

const startBefore = async (cleanUp: CleanUp, port: number): Promise<InProcessGateway> => {
  const gateway = await startInProcess(testConfiguration([testUpstream(port, { httpVersion: '2' })]));
  cleanUp.add(() => gateway.stop());
  return gateway;
};

const startAround = async (
  cleanUp: CleanUp,
  handle: StreamHandler,
): Promise<{ gateway: InProcessGateway; upstream: Http2Upstream }> => {
  const upstream = await startHttp2Upstream(cleanUp, handle);
  return { gateway: await startBefore(cleanUp, upstream.port), upstream };
};

const echo: StreamHandler = (stream, fields) => {
  const pieces: Buffer[] = [];
  stream.on('data', (piece: Buffer) => pieces.push(piece));
  stream.on('end', () => {
    stream.respond({ ':status': 200, 'content-type': 'application/json' });
    stream.end(JSON.stringify({ ...fields, body: Buffer.concat(pieces).toString() }));
  });
};

describe('an HTTP/1.1 request to an HTTP/2 upstream', () => {
  it('keeps its path, host, fields and body', async ({ cleanUp }) => {
    const { gateway } = await startAround(cleanUp, echo);
    const answer = await fetch(`${gateway.url}/a/b?c=d`, { method: 'POST', body: 'hello', headers: { 'X-One': '1' } });
    expect(answer.status).toBe(200);
    expect(await answer.json()).toMatchObject({
      ':method': 'POST',
      ':path': '/a/b?c=d',
      ':scheme': 'http',
      ':authority': `127.0.0.1:${gateway.address.port}`,
      'x-one': '1',
      'x-forwarded-proto': 'http',
      'content-length': '5',
      body: 'hello',
    });
  });

  it('in chunks arrives completely', async ({ cleanUp }) => {
    const { gateway } = await startAround(cleanUp, echo);
    const { raw } = await rawExchange(
      gateway.address,
      'POST / HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\nConnection: close\r\n\r\n3\r\nabc\r\n2\r\nde\r\n0\r\n\r\n',
    );
    expect(raw).toContain('"body":"abcde"');
    expect(raw).not.toContain('transfer-encoding');
  });

  it('gets a chunked response with trailers', async ({ cleanUp }) => {
    const { gateway } = await startAround(cleanUp, (stream) => {
      stream.respond({ ':status': 200 }, { waitForTrailers: true });
      stream.on('wantTrailers', () => stream.sendTrailers({ 'x-sum': '42', 'set-cookie': 'a=1' }));
      stream.end('ok');
    });
    const { raw } = await rawExchange(gateway.address, 'GET / HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n');
    expect(raw).toMatch(/^HTTP\/1\.1 200 OK\r\n/);
    expect(raw.toLowerCase()).toContain('transfer-encoding: chunked\r\n');
    expect(raw.slice(raw.indexOf('\r\n0\r\n'))).toBe('\r\n0\r\nx-sum: 42\r\n\r\n');
  });

  it.for([
    ['GET', 200],
    ['HEAD', 200],
    ['GET', 204],
    ['GET', 304],
  ] as const)('%s with an empty %i response keeps the connection', async ([method, status], { cleanUp }) => {
    const { gateway } = await startAround(cleanUp, (stream) =>
      stream.respond({ ':status': status }, { endStream: true }),
    );
    const request = `${method} / HTTP/1.1\r\nHost: a\r\n`;
    const { raw } = await rawExchange(gateway.address, `${request}\r\n${request}Connection: close\r\n\r\n`);
    expect(raw.match(new RegExp(`HTTP/1\\.1 ${status} `, 'g'))).toHaveLength(2);
  });

  it('for a WebSocket is forwarded without the upgrade', async ({ cleanUp }) => {
    const { gateway, upstream } = await startAround(cleanUp, echo);
    const { raw } = await rawExchange(
      gateway.address,
      'GET / HTTP/1.1\r\nHost: a\r\nConnection: Upgrade, close\r\nUpgrade: websocket\r\nSec-WebSocket-Version: 13\r\n' +
        'Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\n\r\n',
    );
    expect(raw).toMatch(/^HTTP\/1\.1 200 /);
    expect(upstream.streams()).toBe(1);
    expect(gateway.logger.lines.filter(({ level }) => level === 'error')).toEqual([]);
  });

  it('is reset at the upstream when its client disconnects', async ({ cleanUp }) => {
    let code: number | null = null;
    const { gateway, upstream } = await startAround(cleanUp, (stream) => {
      stream.on('close', () => {
        code = stream.rstCode ?? null;
      });
    });
    const aborted = new AbortController();
    const answer = fetch(gateway.url, { signal: aborted.signal }).catch(() => null);
    await eventually(() => upstream.streams() === 1);
    aborted.abort();
    expect(await answer).toBeNull();
    await eventually(() => code !== null);
    expect(code).toBe(8);
  });

  it('with a truncated response gets an incomplete one', async ({ cleanUp }) => {
    const { gateway, upstream } = await startAround(cleanUp, (stream) => {
      stream.respond({ ':status': 200 });
      stream.write('some');
    });
    const answer = await fetch(gateway.url);
    const reader = answer.body?.getReader();
    expect(Buffer.from((await reader?.read())?.value ?? []).toString()).toBe('some');
    setImmediate(() => upstream.sessions[0]?.destroy());
    await expect(reader?.read()).rejects.toThrow();
  });

  it('is sent again if unprocessed, not counted as a retry', async ({ cleanUp }) => {
    const upstream = await startRawHttp2Upstream(cleanUp, ({ type, stream }, peer) => {
      if (type !== frameTypes.headers) return;
      if (peer.index === 0) peer.write(frame(frameTypes.goaway, 0, 0, number32(0, 0)));
      else peer.write(headers(stream, [[':status', '204']], 5));
    });
    const gateway = await startBefore(cleanUp, upstream.port);
    const answer = await fetch(gateway.url);
    const metrics = await gateway.metrics();
    expect([answer.status, upstream.peers.length]).toEqual([204, 2]);
    expect(metrics).not.toMatch(/retries_total\{[^}]*\} [1-9]/);
  });

  it('shares one connection with many others, as metrics show', async ({ cleanUp }) => {
    const { gateway, upstream } = await startAround(cleanUp, echo);
    const answers = await Promise.all(Array.from({ length: 60 }, (_, index) => fetch(`${gateway.url}/${index}`)));
    const paths = await Promise.all(answers.map(async (each) => ((await each.json()) as { ':path': string })[':path']));
    expect(paths).toEqual(Array.from({ length: 60 }, (_, index) => `/${index}`));
    expect(upstream.sessions).toHaveLength(1);
    expect(await gateway.metrics()).toMatch(/gateway_connection_pool_size\{[^}]*\} 1/);
  });
});

describe('an HTTP/2 upstream that refuses', () => {
  const refusal = (stream: number): Buffer => frame(frameTypes.resetStream, 0, stream, number32(7));

  /** Neither attempts nor budget allow a retry. */
  const startOnce = async (
    cleanUp: CleanUp,
    port: number,
    { requestMs = 20_000, policies = plainPolicies } = {},
  ): Promise<InProcessGateway> => {
    const upstream = testUpstream(port, {
      httpVersion: '2',
      retries: { maxAttempts: 1, budgetPercent: 0 },
      timeouts: { connectMs: 20_000, readMs: 20_000, requestMs },
    });
    const gateway = await startInProcess(testConfiguration([upstream], { routes: [testRoute({ policies })] }));
    cleanUp.add(() => gateway.stop());
    return gateway;
  };
  const counted = async (gateway: InProcessGateway, name: string): Promise<number> => {
    const line = (await gateway.metrics())
      .split('\n')
      .find((each) => each.startsWith(`gateway_upstream_${name}_total{`));
    return Number(line?.slice(line.lastIndexOf(' ')));
  };

  it('some times gets a POST again, without attempts or retry budget', async ({ cleanUp }) => {
    let left = 4;
    const { port } = await startRawHttp2Upstream(cleanUp, ({ type, stream, flags }, peer) => {
      if (type === frameTypes.headers && left > 0) {
        left -= 1;
        peer.write(refusal(stream));
      } else if (type === frameTypes.data && flags % 2 === 1) peer.write(headers(stream, [[':status', '204']], 5));
    });
    const gateway = await startOnce(cleanUp, port);
    expect((await fetch(gateway.url, { method: 'POST', body: 'hello' })).status).toBe(204);
    expect(await counted(gateway, 'attempts')).toBe(1);
    expect(await counted(gateway, 'retries')).toBe(0);
    expect(await counted(gateway, 'retries_refused')).toBe(0);
  });

  it('always is a 502 when the time of the request is over, after a few tries', async ({ cleanUp }) => {
    const upstream = await startRawHttp2Upstream(cleanUp, ({ type, stream }, peer) => {
      if (type === frameTypes.headers) peer.write(refusal(stream));
    });
    const gateway = await startOnce(cleanUp, upstream.port, { requestMs: 1_000 });
    const answer = await fetch(gateway.url, { method: 'POST', body: 'hello' });
    expect([answer.status, await answer.json()]).toMatchObject([502, { code: 'upstream_unreachable' }]);
    const sent = upstream.peers.reduce((sum, peer) => sum + peer.of(frameTypes.headers).length, 0);
    // 0, 5, 10, 20, 40, 80, 160, 250, 250: a wait never ends after the request's time.
    expect(sent).toBeGreaterThan(3);
    expect(sent).toBeLessThanOrEqual(11);
    expect(gateway.logger.lines.map(({ fields }) => fields['cause'])).toContain('the stream ended with REFUSED_STREAM');
  });

  it('after it took a part of a buffered body gets the whole body again', async ({ cleanUp }) => {
    const octets = new Map<string, number>();
    const upstream = await startRawHttp2Upstream(cleanUp, ({ type, stream, payload, flags }, peer) => {
      if (type !== frameTypes.data) return;
      const key = `${peer.index} ${stream}`;
      octets.set(key, (octets.get(key) ?? 0) + payload.length);
      const credit = number32(Math.max(1, payload.length));
      peer.write(frame(frameTypes.windowUpdate, 0, 0, credit), frame(frameTypes.windowUpdate, 0, stream, credit));
      if (octets.size <= 2 && (octets.get(key) ?? 0) > 100_000) peer.write(refusal(stream));
      else if (flags % 2 === 1) peer.write(headers(stream, [[':status', '204']], 5));
    });
    const gateway = await startOnce(cleanUp, upstream.port, { policies: { ...plainPolicies, bufferRequests: true } });
    expect((await fetch(gateway.url, { method: 'POST', body: 'x'.repeat(200_000) })).status).toBe(204);
    expect([...octets.values()].at(-1)).toBe(200_000);
    expect(octets.size).toBe(3);
    expect(await counted(gateway, 'attempts')).toBe(1);
  });

  it('after it took a part of a body that is no longer held is a 502', async ({ cleanUp }) => {
    let octets = 0;
    const upstream = await startRawHttp2Upstream(cleanUp, ({ type, stream, payload }, peer) => {
      if (type !== frameTypes.data) return;
      octets += payload.length;
      const credit = number32(payload.length);
      peer.write(frame(frameTypes.windowUpdate, 0, 0, credit), frame(frameTypes.windowUpdate, 0, stream, credit));
      if (octets > 100_000) peer.write(refusal(stream));
    });
    const gateway = await startOnce(cleanUp, upstream.port);
    const answer = await fetch(gateway.url, { method: 'POST', body: 'x'.repeat(200_000) });
    expect([answer.status, await answer.json()]).toMatchObject([502, { code: 'upstream_unreachable' }]);
    expect(upstream.peers.flatMap((peer) => peer.of(frameTypes.headers))).toHaveLength(1);
  });
});
