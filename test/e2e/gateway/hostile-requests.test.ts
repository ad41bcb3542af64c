import { beforeEach, describe, expect } from 'vitest';
import { type RawExchange, type RawOptions, rawExchange } from '../../support/gateway/raw-exchange.js';
import { type ReceivedRequest, valuesOf } from '../../support/gateway/recording-upstream.js';
import { it } from '../../support/shared/fixtures.js';
import { type GatewayStack, startStack } from '../../support/shared/gateway-stack.js';

const host = 'Host: a';
const good = 'X-API-Key: good-key';

describe.each(['embedded', 'socket'] as const)('a hostile client, the agent %s', (transport) => {
  let stack: GatewayStack;
  const trailers: string[] = [];

  it.beforeAll(async ({ fileCleanUp: cleanUp }) => {
    stack = await startStack(cleanUp, { transport, agentConfig: 'api-keys "good-key:alice"' });
    stack.upstream.answer = (request, response) => {
      request.resume().once('end', () => {
        trailers.push(...request.rawTrailers);
        response.end(`for ${String(request.headers['x-user-id'])}`);
      });
    };
  });
  beforeEach(() => {
    stack.upstream.received.splice(0);
    trailers.splice(0);
  });

  const send = (lines: readonly string[], body = '', options: RawOptions = {}): Promise<RawExchange> =>
    rawExchange({ host: '127.0.0.1', port: stack.port }, `${lines.join('\r\n')}\r\n\r\n${body}`, options);

  const received = (): ReceivedRequest => {
    const [first] = stack.upstream.received;
    if (!first) throw new Error('the upstream has seen no request');
    return first;
  };

  it('cannot remove headers of the gateway by naming them in Connection', async () => {
    const named = 'X-User-Id, X-Auth-Method, X-Correlation-Id, X-Forwarded-For, X-Forwarded-Proto, Forwarded, Host';
    expect((await send(['GET / HTTP/1.1', host, good, `Connection: close, ${named}`])).status).toBe(200);
    expect(valuesOf(received(), 'x-user-id')).toEqual(['alice']);
    expect(valuesOf(received(), 'x-auth-method')).toEqual(['api_key']);
    for (const name of ['x-correlation-id', 'x-forwarded-for', 'x-forwarded-proto', 'host']) {
      expect(valuesOf(received(), name)).toHaveLength(1);
    }
  });

  it('cannot hide its credential from the agent by naming it in Connection', async () => {
    const { status } = await send(['GET / HTTP/1.1', host, 'X-API-Key: bad-key', 'Connection: close, X-API-Key']);
    expect(status).toBe(401);
  });

  it('cannot send an identity in trailers', async () => {
    const { status } = await send(
      ['POST / HTTP/1.1', host, good, 'Connection: close', 'Transfer-Encoding: chunked', 'Trailer: X-User-Id, X-Sum'],
      '2\r\nab\r\n0\r\nX-User-Id: mallory\r\nX_User_Id: mallory\r\nX-Auth-Claim-Role: mallory\r\nX-Sum: 1\r\n\r\n',
    );
    expect(status).toBe(200);
    expect(valuesOf(received(), 'x-user-id')).toEqual(['alice']);
    expect(trailers.join()).not.toContain('mallory');
  });

  it('gets a separate decision for each pipelined request', async () => {
    const request = (credential: string, last = false) =>
      [
        `GET /${credential} HTTP/1.1`,
        host,
        `X-API-Key: ${credential}`,
        `Connection: ${last ? 'close' : 'keep-alive'}`,
        '',
        '',
      ].join('\r\n');
    const { raw } = await rawExchange(
      { host: '127.0.0.1', port: stack.port },
      ['bad-key', 'good-key', 'no-key', 'good-key'].map((each) => request(each)).join('') + request('bad-key', true),
    );
    const statuses = [...raw.matchAll(/HTTP\/1\.1 (\d+)/g)].map(([, status]) => status);
    expect(statuses).toEqual(['401', '200', '401', '200', '401']);
    expect(stack.upstream.received.map(({ url }) => url)).toEqual(['/good-key', '/good-key']);
  });

  it('is refused before 100 Continue', async () => {
    const head = ['POST / HTTP/1.1', host, 'Expect: 100-continue', 'Content-Length: 1000', 'Connection: close'];
    const { raw, status } = await send(head, '', { endsAfter: '"correlation_id"' });
    expect(status).toBe(401);
    expect(raw).not.toContain('100 Continue');
  });

  it('cannot smuggle a second request behind the first', async () => {
    const second = `GET /smuggled HTTP/1.1\r\n${host}\r\n${good}\r\n\r\n`;
    const attempts: readonly (readonly string[])[] = [
      ['Content-Length: 0', 'Transfer-Encoding: chunked'],
      ['Content-Length: 0', 'Content-Length: 5'],
      ['Content-Length: +0'],
      ['Content-Length: 0x0'],
      ['Transfer-Encoding: chunked, identity'],
      ['Transfer-Encoding: xchunked'],
      ['Transfer-Encoding : chunked'],
      ['Transfer-Encoding:\x0bchunked'],
      ['X: y', ' Transfer-Encoding: chunked'],
    ];
    for (const attempt of attempts) {
      const { raw } = await send(['POST /first HTTP/1.1', host, good, ...attempt], `0\r\n\r\n${second}`, {
        endsAfter: '"correlation_id"',
      });
      expect(raw.match(/HTTP\/1\.1 \d+/g)).toEqual(['HTTP/1.1 400']);
    }
    expect(stack.upstream.received).toEqual([]);
  });

  it.each(['HTTP/0.9', 'HTTP/1.2', 'HTTP/2.0', 'HTTP/3.0'])('is refused with version %s', async (version) => {
    const { raw } = await send([`GET / ${version}`, host, good, 'Connection: close']);
    expect(raw).toMatch(/^HTTP\/1\.1 400 /);
    expect(stack.upstream.received).toEqual([]);
  });

  it('gets no tunnel without a credential, and only for a WebSocket', async () => {
    const key = 'Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==';
    // What is refused leaves the connection as it was: this client wants no other request on it.
    const upgrade = ['Connection: Upgrade, close', 'Upgrade: websocket', key, 'Sec-WebSocket-Version: 13'];
    const refused = await send(['GET / HTTP/1.1', host, ...upgrade]);
    expect(refused.status).toBe(401);
    expect(stack.upstream.received).toEqual([]);
    await stack.ask({
      headers: {
        'X-API-Key': 'good-key',
        Connection: 'Upgrade, HTTP2-Settings',
        Upgrade: 'h2c',
        'HTTP2-Settings': 'AA',
      },
    });
    for (const name of ['upgrade', 'http2-settings']) expect(valuesOf(received(), name)).toEqual([]);
  });

  it('leaves nothing in flight', async () => {
    await expect
      .poll(() => stack.report('/admin/stats'))
      .toMatchObject({ requests_in_flight: 0, connections: { total: 0 } });
  });
});
