import { connect, type Socket } from 'node:net';
import { describe, expect } from 'vitest';
import { allowAnswer } from '../../../src/domain/agent-protocol/messages.js';
import type { GatewayConfiguration } from '../../../src/domain/gateway/configuration/gateway-configuration.js';
import { startConfigured } from '../../support/gateway/configured-gateway.js';
import { http2Answer, http2Session } from '../../support/gateway/http2-session.js';
import { startHttp2Upstream } from '../../support/gateway/http2-upstream.js';
import { startInProcess, testConfiguration, testUpstream } from '../../support/gateway/in-process-gateway.js';
import { rawExchange } from '../../support/gateway/raw-exchange.js';
import { type RawAnswer, startRawUpstream } from '../../support/gateway/raw-upstream.js';
import type { CleanUp } from '../../support/shared/clean-up.js';
import { it } from '../../support/shared/fixtures.js';
import { startGatewayWithAgents } from '../../support/shared/gateway-with-agents.js';

const get = 'GET / HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n';
const hints = 'HTTP/1.1 103 Early Hints\r\nLink: </a.css>; rel=preload\r\n\r\n';
const final = 'HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok';

const rawUpstream = async (cleanUp: CleanUp, answer: string | RawAnswer): Promise<number> => {
  const upstream = await startRawUpstream(
    typeof answer === 'string' ? (socket) => socket.write(answer, 'latin1') : answer,
  );
  cleanUp.add(() => upstream.close());
  return upstream.port;
};

const startBefore = async (
  cleanUp: CleanUp,
  port: number,
  changes: Partial<GatewayConfiguration> = {},
  httpVersion: '1.1' | '2' = '1.1',
) => {
  const gateway = await startInProcess(testConfiguration([testUpstream(port, { httpVersion })], changes));
  cleanUp.add(() => gateway.stop());
  return gateway;
};

const startWith = async (cleanUp: CleanUp, answer: string | RawAnswer) =>
  startBefore(cleanUp, await rawUpstream(cleanUp, answer));

const http2Listeners = () => testConfiguration([]).listeners.map((listener) => ({ ...listener, http2: true }));

/** The status lines of what has come. */
const statuses = (raw: string): number[] =>
  [...raw.matchAll(/HTTP\/1\.1 (\d{3}) /g)].map(([, status]) => Number(status));

const configured = (port: number, policies: string): string =>
  `listeners { listener "main" { address "127.0.0.1:0" } }
    routes { route "r" { matches { path-prefix "/api" }; upstream "u"; policies { ${policies} } } }
    upstreams { upstream "u" { target "127.0.0.1:${port}" } }`;

/** A client that tells when a text has come. */
const rawClient = async (cleanUp: CleanUp, { host, port }: { host: string; port: number }) => {
  const socket = connect({ host, port });
  cleanUp.add(() => void socket.destroy());
  let raw = '';
  socket.setEncoding('latin1');
  socket.on('data', (text: string) => {
    raw += text;
  });
  socket.on('error', () => undefined);
  return { socket, raw: () => raw };
};

describe('an interim response of an upstream', () => {
  it('is forwarded as it arrives', async ({ cleanUp }) => {
    const asked: Socket[] = [];
    const { address } = await startWith(cleanUp, (socket) => {
      asked.push(socket);
      socket.write(hints);
    });
    const client = await rawClient(cleanUp, address);
    client.socket.write(get);
    await expect.poll(client.raw).toBe(hints);
    asked[0]?.write(`HTTP/1.1 102 Processing\r\n\r\n`);
    await expect.poll(client.raw).toBe(`${hints}HTTP/1.1 102 Processing\r\n\r\n`);
    asked[0]?.write(final);
    await expect.poll(client.raw).toMatch(/HTTP\/1\.1 200 OK\r\n(?:[^\r]+\r\n)*\r\nok$/);
  });

  it.for([
    ['at once with the response', (all: string) => [all]],
    ['octet by octet', (all: string) => [...all]],
  ] as const)('is forwarded with others, %s', async ([_, pieces], { cleanUp }) => {
    const all = `${hints}HTTP/1.1 104 X\r\nLocation: /b\r\nUpload-Offset: 7\r\n\r\n${final}`;
    const { address } = await startWith(cleanUp, async (socket) => {
      socket.setNoDelay(true);
      for (const piece of pieces(all)) await new Promise((resolve) => socket.write(piece, resolve));
    });
    const { raw } = await rawExchange(address, get);
    expect(statuses(raw)).toEqual([103, 104, 200]);
    expect(raw).toContain(`${hints}HTTP/1.1 104 `);
    expect(raw).toContain('\r\nLocation: /b\r\nUpload-Offset: 7\r\n\r\nHTTP/1.1 200 OK\r\n');
  });

  it('is turned back on a route that rewrites paths', async ({ cleanUp }) => {
    const upstream = await rawUpstream(cleanUp, `HTTP/1.1 104 X\r\nLocation: /v1/uploads/7\r\n\r\n${final}`);
    const { address } = await startConfigured(
      cleanUp,
      configured(upstream, 'rewrite { strip-prefix "/api"; add-prefix "/v1" }'),
    );
    expect((await rawExchange(address, get.replace('/', '/api/uploads'))).raw).toContain(
      'Location: /api/uploads/7\r\n',
    );
  });

  it('has no CORS fields of the upstream on a route with cors', async ({ cleanUp }) => {
    const upstream = await rawUpstream(
      cleanUp,
      hints.replace('\r\n\r\n', '\r\nAccess-Control-Allow-Origin: *\r\n\r\n') + final,
    );
    const { address } = await startConfigured(cleanUp, configured(upstream, 'cors { allow-origins "https://a.test" }'));
    const { raw } = await rawExchange(address, get.replace('/', '/api'));
    expect(raw).toMatch(/^HTTP\/1\.1 103 /);
    expect(raw).not.toContain('Access-Control');
  });

  it('is never sent before the response to an earlier pipelined request', async ({ cleanUp }) => {
    const { address } = await startWith(cleanUp, (socket, head) => {
      socket.write(`HTTP/1.1 103 Early Hints\r\nLink: <${head.split(' ')[1]}>\r\n\r\n${final}`);
    });
    const { raw } = await rawExchange(address, `GET /1 HTTP/1.1\r\nHost: a\r\n\r\n${get.replace('/', '/2')}`);
    const told = raw.match(/HTTP\/1\.1 200|<\/\d>/g)?.map((text) => text.slice(-3));
    expect(told).toEqual(['/1>', '200', '/2>', '200']);
  });

  it('has no hop-by-hop field, no body field, and no field that the gateway or an agent sets', async ({ cleanUp }) => {
    const fields = [
      'Link: </a>',
      'Keep-Alive: timeout=5',
      'Connection: X-Hop',
      'X-Hop: 1',
      'Content-Length: 7',
      'X-Correlation-Id: forged',
      'RateLimit: "a";r=1',
      'X-User-Id: root',
      'Transfer_Encoding: chunked',
    ];
    const { address } = await startWith(cleanUp, `HTTP/1.1 103 Early Hints\r\n${fields.join('\r\n')}\r\n\r\n${final}`);
    const { raw } = await rawExchange(address, get);
    expect(raw.startsWith('HTTP/1.1 103 Early Hints\r\nLink: </a>\r\n\r\nHTTP/1.1 200 OK\r\n')).toBe(true);
  });

  it('is not forwarded if it is 100, which the gateway sends itself', async ({ cleanUp }) => {
    const { address } = await startWith(cleanUp, `HTTP/1.1 100 Continue\r\n\r\n${hints}${final}`);
    expect(statuses((await rawExchange(address, get)).raw)).toEqual([103, 200]);
  });

  it('is not forwarded to an HTTP/1.0 client', async ({ cleanUp }) => {
    const { address } = await startWith(cleanUp, hints + final);
    const { raw } = await rawExchange(address, 'GET / HTTP/1.0\r\nHost: a\r\n\r\n');
    expect(statuses(raw)).toEqual([200]);
  });

  it('is forwarded up to a total size', async ({ cleanUp }) => {
    const large = `HTTP/1.1 103 Early Hints\r\nX: ${'a'.repeat(5_000)}\r\n\r\n`;
    const { address } = await startWith(cleanUp, large.repeat(50) + hints + final);
    const { raw, body } = await rawExchange(address, get);
    expect(statuses(raw)).toEqual([103, 103, 103, 103, 200]);
    expect(raw.length).toBeLessThan(17_000);
    expect(body).toMatch(/ok$/);
  });

  it('precedes a response of the gateway if the upstream sends no more', async ({ cleanUp }) => {
    const { address } = await startWith(cleanUp, (socket) => socket.end(hints));
    const { raw } = await rawExchange(address, get);
    expect(statuses(raw)).toEqual([103, 502]);
  });

  it('precedes a switch to WebSocket', async ({ cleanUp }) => {
    const { address } = await startWith(cleanUp, (socket) => {
      socket.end(`${hints}HTTP/1.1 101 Switching Protocols\r\nConnection: Upgrade\r\nUpgrade: websocket\r\n\r\n`);
    });
    const client = await rawClient(cleanUp, address);
    client.socket.write(
      'GET / HTTP/1.1\r\nHost: a\r\nConnection: Upgrade\r\nUpgrade: websocket\r\n' +
        'Sec-WebSocket-Version: 13\r\nSec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\n\r\n',
    );
    await expect.poll(() => statuses(client.raw())).toEqual([103, 101]);
  });

  it('is not forwarded if an agent decides on the response', async ({ cleanUp }) => {
    const gateway = await startGatewayWithAgents(cleanUp, await rawUpstream(cleanUp, hints + final), [
      { name: 'judge', events: ['response_headers'] },
    ]);
    const { raw } = await rawExchange(gateway.address, get);
    expect(statuses(raw)).toEqual([200]);
  });

  it('has no field that an agent sets for the response', async ({ cleanUp }) => {
    const interim =
      'HTTP/1.1 103 Early Hints\r\nLink: </a>\r\ncontent_security_policy: x\r\nContent-Security-Policy: y\r\n\r\n';
    const gateway = await startGatewayWithAgents(cleanUp, await rawUpstream(cleanUp, interim + final), [
      { name: 'judge', events: ['request_headers'] },
    ]);
    gateway.service().answer = () => ({
      ...allowAnswer,
      responseHeaders: [{ kind: 'set', name: 'Content-Security-Policy', value: "default-src 'self'" }],
    });
    const { raw } = await rawExchange(gateway.address, get);
    expect(raw).toMatch(/^HTTP\/1\.1 103 Early Hints\r\nLink: <\/a>\r\n\r\nHTTP\/1\.1 200 OK\r\n/);
  });

  it('is forwarded from HTTP/1.1 to HTTP/2', async ({ cleanUp }) => {
    const gateway = await startBefore(
      cleanUp,
      await rawUpstream(cleanUp, `${hints}HTTP/1.1 103 X\r\nKeep-Alive: 1\r\nX: y\r\n\r\n${final}`),
      {
        listeners: http2Listeners(),
      },
    );
    const stream = http2Session(cleanUp, gateway.url).request({ ':path': '/' });
    const seen: unknown[] = [];
    stream.on('headers', (fields) => seen.push([fields[':status'], fields['link'], fields['x']]));
    const { status, body, informational } = await http2Answer(stream);
    expect([status, body.toString(), informational]).toEqual([200, 'ok', [103, 103]]);
    expect(seen).toEqual([
      [103, '</a.css>; rel=preload', undefined],
      [103, undefined, 'y'],
    ]);
  });

  it('is forwarded from HTTP/2 to HTTP/1.1', async ({ cleanUp }) => {
    const { port } = await startHttp2Upstream(cleanUp, (stream) => {
      stream.additionalHeaders({ ':status': 103, link: '</a>' });
      stream.additionalHeaders({ ':status': 102 });
      stream.respond({ ':status': 200 });
      stream.end('ok');
    });
    const { address } = await startBefore(cleanUp, port, {}, '2');
    const { raw } = await rawExchange(address, get);
    expect(statuses(raw)).toEqual([103, 102, 200]);
    expect(raw).toContain('HTTP/1.1 103 Early Hints\r\nlink: </a>\r\n\r\n');
  });
});
