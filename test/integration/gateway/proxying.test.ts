import { type RequestListener, request } from 'node:http';
import { afterEach, describe, expect, it } from 'vitest';
import { echo, type HttpUpstream, startHttpUpstream } from '../../support/gateway/http-upstream.js';
import {
  type InProcessGateway,
  startInProcess,
  testConfiguration,
  testUpstream,
} from '../../support/gateway/in-process-gateway.js';
import { rawExchange } from '../../support/gateway/raw-exchange.js';

let gateway: InProcessGateway | null = null;
let upstream: HttpUpstream | null = null;

const startUpstream = async (handle: RequestListener): Promise<number> => {
  upstream = await startHttpUpstream(handle);
  return upstream.port;
};

const startWith = async (handle: RequestListener) => {
  const port = await startUpstream(handle);
  gateway = await startInProcess(testConfiguration([testUpstream(port)]));
  return gateway;
};

afterEach(async () => {
  await gateway?.stop();
  await upstream?.close();
  gateway = null;
  upstream = null;
});

describe('a request through the gateway', () => {
  it('reaches the upstream with its method, path, query and body', async () => {
    const { url } = await startWith(echo);
    const response = await fetch(`${url}/a/b?c=d`, { method: 'POST', body: 'hello' });
    expect(response.status).toBe(200);
    expect(await response.json()).toMatchObject({ method: 'POST', url: '/a/b?c=d', body: 'hello' });
  });

  it('with Max-Forwards is forwarded with one less, down to the gateway', async () => {
    let received = 0;
    const { address } = await startWith((request, response) => {
      received += 1;
      echo(request, response);
    });
    const asked = (value: string) =>
      rawExchange(address, `OPTIONS /a HTTP/1.1\r\nHost: a\r\nMax-Forwards: ${value}\r\nConnection: close\r\n\r\n`);
    const forwarded = await asked('5');
    expect(JSON.parse(forwarded.body)).toMatchObject({
      method: 'OPTIONS',
      rawHeaders: expect.arrayContaining(['Max-Forwards', '4']),
    });
    const last = await asked('0');
    expect(last).toMatchObject({ status: 200, body: '' });
    expect(last.headers['x-correlation-id']).toMatch(/^[0-9a-f-]{36}$/);
    expect(received).toBe(1);
  });

  it('is normalised once and forwarded with that path', async () => {
    const { address } = await startWith(echo);
    const { body } = await rawExchange(address, 'GET /a/./b//../%7Ec HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n');
    expect(JSON.parse(body)).toMatchObject({ url: '/a/~c' });
  });

  it.each(['/a%2fb', '/a%5Cb', '/a%00b'])('with %s in the path gets 400 and a closed connection', async (path) => {
    const { address } = await startWith(echo);
    const { status, headers, body } = await rawExchange(address, `GET ${path} HTTP/1.1\r\nHost: a\r\n\r\n`);
    expect(status).toBe(400);
    expect(headers['connection']).toBe('close');
    expect(JSON.parse(body)).toMatchObject({ code: 'unsafe_path', status: 400 });
  });

  it("has a correlation id in both directions, the client's if valid", async () => {
    const { url } = await startWith(echo);
    const given = await fetch(url, { headers: { 'X-Correlation-Id': 'abc-1.2_3' } });
    expect(given.headers.get('x-correlation-id')).toBe('abc-1.2_3');
    expect(JSON.stringify(await given.json())).toContain('"X-Correlation-Id","abc-1.2_3"');
    const bad = await fetch(url, { headers: { 'X-Correlation-Id': 'no spaces please' } });
    expect(bad.headers.get('x-correlation-id')).toMatch(/^[0-9a-f-]{36}$/);
  });

  it('streams a body without a length', async () => {
    const { address } = await startWith(echo);
    const { body } = await rawExchange(
      address,
      'POST / HTTP/1.1\r\nHost: a\r\nConnection: close\r\nTransfer-Encoding: chunked\r\n\r\n3\r\nabc\r\n2\r\nde\r\n0\r\n\r\n',
    );
    expect(JSON.parse(body)).toMatchObject({ body: 'abcde' });
  });

  it('forwards response trailers', async () => {
    const { address } = await startWith((_, response) => {
      response.writeHead(200, { Trailer: 'X-Sum' });
      response.write('body');
      response.addTrailers({ 'X-Sum': '42' });
      response.end();
    });
    const { raw } = await rawExchange(
      address,
      'GET / HTTP/1.1\r\nHost: a\r\nTE: trailers\r\nConnection: close\r\n\r\n',
    );
    expect(raw).toMatch(/0\r\nX-Sum: 42\r\n\r\n$/);
  });

  it('with HEAD gets only the head with its length', async () => {
    const { address } = await startWith((_, response) => response.writeHead(200, { 'Content-Length': '1234' }).end());
    const { raw } = await rawExchange(address, 'HEAD / HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n');
    expect(raw).toContain('Content-Length: 1234');
    expect(raw).toMatch(/\r\n\r\n$/);
  });

  it.each([204, 304])('gets a %i without a body', async (status) => {
    const { address } = await startWith((_, response) => response.writeHead(status).end());
    const exchange = await rawExchange(address, 'GET / HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n');
    expect(exchange.status).toBe(status);
    expect(exchange.raw).toMatch(/\r\n\r\n$/);
    expect(exchange.raw).not.toContain('Transfer-Encoding');
  });

  it('that expects 100 gets it, and then sends its body', async () => {
    const { address } = await startWith(echo);
    const { raw } = await rawExchange(
      address,
      'POST / HTTP/1.1\r\nHost: a\r\nExpect: 100-continue\r\nConnection: close\r\nContent-Length: 3\r\n\r\n',
      { reply: { when: '100 Continue', send: 'abc' } },
    );
    expect(raw.indexOf('HTTP/1.1 100 Continue')).toBe(0);
    expect(raw).toContain('"body":"abc"');
  });

  it('above the size limit gets 413 before a 100', async () => {
    const port = await startUpstream(echo);
    const configuration = testConfiguration([testUpstream(port)]);
    gateway = await startInProcess({ ...configuration, limits: { ...configuration.limits, maxBodySizeBytes: 10 } });
    const { raw, status } = await rawExchange(
      gateway.address,
      'POST / HTTP/1.1\r\nHost: a\r\nExpect: 100-continue\r\nContent-Length: 11\r\n\r\n',
    );
    expect(status).toBe(413);
    expect(raw).not.toContain('100 Continue');
    const chunked = await rawExchange(
      gateway.address,
      'POST / HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\n6\r\nabcdef\r\n5\r\nghijk\r\n0\r\n\r\n',
    );
    expect(chunked.status).toBe(413);
    expect(await gateway.metrics()).toContain('gateway_body_size_exceeded_total{instance="test"} 2');
  });

  it('is cancelled at the upstream when its client disconnects', async () => {
    let isCancelled = false;
    let arrived!: () => void;
    const received = new Promise<void>((resolve) => {
      arrived = resolve;
    });
    const { address } = await startWith((_, response) => {
      response.once('close', () => {
        isCancelled = !response.writableFinished;
      });
      arrived();
    });
    const client = request({ host: address.host, port: address.port });
    client.on('error', () => undefined);
    client.end();
    await received;
    client.destroy();
    await expect.poll(() => isCancelled).toBe(true);
  });

  it('to an unreachable upstream gets 502 without an address', async () => {
    gateway = await startInProcess(testConfiguration([testUpstream(1)]));
    const response = await fetch(gateway.url);
    expect(response.status).toBe(502);
    expect(response.headers.get('content-type')).toBe('application/problem+json');
    const text = await response.text();
    expect(JSON.parse(text)).toMatchObject({ code: 'upstream_unreachable' });
    expect(text).not.toContain('127.0.0.1');
  });

  it('that the upstream does not answer in time gets 504', async () => {
    const port = await startUpstream(() => undefined);
    const timeouts = { connectMs: 1_000, readMs: 5_000, requestMs: 50 };
    gateway = await startInProcess(testConfiguration([testUpstream(port, { timeouts })]));
    expect((await fetch(gateway.url)).status).toBe(504);
  });

  it('with a truncated upstream response gets a visibly truncated one', async () => {
    const { url } = await startWith((_, response) => {
      response.writeHead(200, { 'Content-Length': '1000' });
      response.write('half', () => response.destroy());
    });
    const response = await fetch(url);
    await expect(response.text()).rejects.toThrow();
  });

  it('gets 502 for a response with ambiguous framing', async () => {
    const { url } = await startWith((_, response) => {
      response.socket?.end('HTTP/1.1 200 OK\r\nContent-Length: 1\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n');
    });
    expect((await fetch(url)).status).toBe(502);
  });

  it('loses hop-by-hop headers in both directions', async () => {
    const { address } = await startWith((received, response) => {
      response.setHeader('Connection', 'X-Up');
      response.setHeader('X-Up', '1');
      echo(received, response);
    });
    const { raw, body } = await rawExchange(
      address,
      'GET / HTTP/1.1\r\nHost: a\r\nConnection: close, X-Down\r\nX-Down: 1\r\nTE: gzip\r\nProxy-Authorization: x\r\n\r\n',
    );
    expect(raw).not.toContain('X-Up');
    expect(body).not.toContain('X-Down');
    expect(body).not.toMatch(/proxy-authorization/i);
    expect(body).not.toContain('gzip');
  });

  it('appears in the access log for every kind of end', async () => {
    const running = await startWith(echo);
    await (await fetch(`${running.url}/x?secret=1`)).text();
    expect(running.accessRecords).toHaveLength(1);
    expect(running.accessRecords[0]).toMatchObject({
      method: 'GET',
      path: '/x',
      status: 200,
      route: 'all',
      errorType: null,
    });
  });
});

describe('a malformed request', () => {
  const cases: [string, string, number, string][] = [
    [
      'has both lengths',
      'POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 1\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n',
      400,
      'malformed_request',
    ],
    [
      'has two lengths',
      'POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 1\r\nContent-Length: 2\r\n\r\nab',
      400,
      'malformed_request',
    ],
    ['has a bare LF', 'GET / HTTP/1.1\nHost: a\n\n', 400, 'malformed_request'],
    ['folds a header', 'GET / HTTP/1.1\r\nHost: a\r\nX: 1\r\n 2\r\n\r\n', 400, 'malformed_request'],
    ['has a NUL in a header', 'GET / HTTP/1.1\r\nHost: a\r\nX: 1\0\r\n\r\n', 400, 'malformed_request'],
    ['has no Host', 'GET / HTTP/1.1\r\nX: 1\r\n\r\n', 400, 'invalid_host'],
    ['has two Hosts', 'GET / HTTP/1.1\r\nHost: a\r\nHost: b\r\n\r\n', 400, 'invalid_host'],
    ['has a Host that is none', 'GET / HTTP/1.1\r\nHost: a/b\r\n\r\n', 400, 'invalid_host'],
    [
      'names another coding than chunked',
      'POST / HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: gzip, chunked\r\n\r\n0\r\n\r\n',
      400,
      'malformed_request',
    ],
    ['is no HTTP at all', '\x16\x03\x01\x02\x00', 400, 'malformed_request'],
    ['asks to see what the upstream is told', 'TRACE / HTTP/1.1\r\nHost: a\r\n\r\n', 501, 'method_not_implemented'],
    ['asks for a tunnel', 'CONNECT a:443 HTTP/1.1\r\nHost: a:443\r\n\r\n', 501, 'method_not_implemented'],
    ['expects what nobody does', 'GET / HTTP/1.1\r\nHost: a\r\nExpect: more\r\n\r\n', 417, 'expectation_failed'],
    ['has too many headers', `GET / HTTP/1.1\r\nHost: a\r\n${'X: 1\r\n'.repeat(100)}\r\n`, 431, 'header_too_large'],
    [
      'has headers that are too long together',
      `GET / HTTP/1.1\r\nHost: a\r\n${`X: ${'1'.repeat(4000)}\r\n`.repeat(3)}\r\n`,
      431,
      'header_too_large',
    ],
    [
      'has a header value that is too long',
      `GET / HTTP/1.1\r\nHost: a\r\nX: ${'1'.repeat(4097)}\r\n\r\n`,
      431,
      'header_too_large',
    ],
    [
      'has a header name that is too long',
      `GET / HTTP/1.1\r\nHost: a\r\n${'X'.repeat(257)}: 1\r\n\r\n`,
      431,
      'header_too_large',
    ],
    [
      'has a head that nobody would hold',
      `GET / HTTP/1.1\r\nHost: a\r\n${`X: ${'1'.repeat(4000)}\r\n`.repeat(30)}\r\n`,
      431,
      'header_too_large',
    ],
    ['has a target that is too long', `GET /${'a'.repeat(9000)} HTTP/1.1\r\nHost: a\r\n\r\n`, 414, 'target_too_long'],
    [
      'has a method that no route names and that is too long',
      `${'M'.repeat(33)} / HTTP/1.1\r\nHost: a\r\n\r\n`,
      501,
      'method_not_implemented',
    ],
    ['has a method that nobody would hold', `${'M'.repeat(100_000)} / HTTP/1.1\r\n`, 501, 'method_not_implemented'],
    [
      'has a target that nobody would hold',
      `GET /${'a'.repeat(100_000)} HTTP/1.1\r\nHost: a\r\n\r\n`,
      414,
      'target_too_long',
    ],
  ];

  it.each(cases)(
    'because it %s gets a problem with an id, and the connection closes',
    async (_, text, status, code) => {
      const { address } = await startWith(echo);
      const exchange = await rawExchange(address, text);
      expect(exchange.status).toBe(status);
      expect(JSON.parse(exchange.body)).toMatchObject({ status, code });
      expect(exchange.headers['x-correlation-id']).toMatch(/^[0-9a-f-]{36}$/);
      expect(exchange.headers['connection']).toBe('close');
    },
  );

  it('in its body gets 400, and its octets are not read as a request', async () => {
    let finished = 0;
    const { address } = await startWith((received, response) => {
      received.on('end', () => {
        finished += 1;
        response.end();
      });
      received.on('error', () => undefined);
      received.resume();
    });
    const { status } = await rawExchange(
      address,
      'POST / HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\nZZ\r\nGET /smuggled HTTP/1.1\r\n\r\n',
    );
    expect(status).toBe(400);
    expect(finished).toBe(0);
  });
});
