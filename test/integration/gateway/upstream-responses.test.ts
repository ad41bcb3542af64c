import { connect, type Socket } from 'node:net';
import { describe, expect } from 'vitest';
import { startInProcess, testConfiguration, testUpstream } from '../../support/gateway/in-process-gateway.js';
import { rawExchange } from '../../support/gateway/raw-exchange.js';
import { startRawUpstream } from '../../support/gateway/raw-upstream.js';
import type { CleanUp } from '../../support/shared/clean-up.js';
import { it } from '../../support/shared/fixtures.js';

const startWith = async (cleanUp: CleanUp, answer: (socket: Socket) => void) => {
  const upstream = await startRawUpstream(answer);
  cleanUp.add(() => upstream.close());
  const gateway = await startInProcess(testConfiguration([testUpstream(upstream.port)]));
  cleanUp.add(() => gateway.stop());
  return { ...gateway, upstream };
};

const get = 'GET / HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n';
const askRaw = async (cleanUp: CleanUp, response: string, andThen: (socket: Socket) => void = () => undefined) => {
  const { address } = await startWith(cleanUp, (socket) => {
    socket.write(response, 'latin1');
    andThen(socket);
  });
  return rawExchange(address, get);
};

describe('an upstream response', () => {
  const chunked = '5\r\nhello\r\n0\r\n\r\n';

  it.for([
    ['two codings', `HTTP/1.1 200 OK\r\nTransfer-Encoding: gzip, chunked\r\n\r\n${chunked}`],
    ['chunked twice', `HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\nTransfer-Encoding: chunked\r\n\r\n${chunked}`],
    ['a coding that nobody knows', 'HTTP/1.1 200 OK\r\nTransfer-Encoding: xchunked\r\n\r\nhello'],
    ['another coding than chunked', 'HTTP/1.1 200 OK\r\nTransfer-Encoding: gzip\r\n\r\nhello'],
    ['chunked in HTTP/1.0', `HTTP/1.0 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n${chunked}`],
    [
      'chunked in HTTP/1.0 on a kept connection',
      `HTTP/1.0 200 OK\r\nConnection: keep-alive\r\nTransfer-Encoding: chunked\r\n\r\n${chunked}`,
    ],
    ['a length, then chunked', `HTTP/1.1 200 OK\r\nContent-Length: 5\r\nTransfer-Encoding: chunked\r\n\r\n${chunked}`],
    ['chunked, then a length', `HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\nContent-Length: 5\r\n\r\n${chunked}`],
  ] as const)('framed by %s becomes 502', async ([_, response], { cleanUp }) => {
    const { status, body } = await askRaw(cleanUp, response, (socket) => socket.end());
    expect(status).toBe(502);
    expect(JSON.parse(body)).toMatchObject({ code: 'upstream_invalid_response' });
  });

  it.for(['000', '099'])('of status %s becomes 502', async (code, { cleanUp }) => {
    const { status, body } = await askRaw(cleanUp, `HTTP/1.1 ${code} X\r\nContent-Length: 0\r\n\r\n`);
    expect(status).toBe(502);
    expect(JSON.parse(body)).toMatchObject({ code: 'upstream_invalid_response' });
  });

  it('with framing in its trailers does not affect the next one', async ({ cleanUp }) => {
    const { address } = await startWith(cleanUp, (socket) => {
      socket.write(
        'HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n5\r\nhello\r\n0\r\nTransfer-Encoding: x\r\n\r\n',
      );
    });
    expect((await rawExchange(address, get)).body).toBe('hello');
    expect((await rawExchange(address, get)).body).toBe('hello');
  });

  it('with any case of chunked passes', async ({ cleanUp }) => {
    const { status, body } = await askRaw(cleanUp, `HTTP/1.1 200 OK\r\nTransfer-Encoding: Chunked\r\n\r\n${chunked}`);
    expect([status, body]).toEqual([200, 'hello']);
  });

  it.for([
    ['bare', 'HTTP/1.1 100 Continue\r\n\r\n'],
    ['with a field', 'HTTP/1.1 100 Continue\r\nX-A: b\r\n\r\n'],
  ] as const)('passes after an unexpected 100, %s', async ([_, interim], { cleanUp }) => {
    const { status, body } = await askRaw(cleanUp, `${interim}HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok`);
    expect([status, body]).toEqual([200, 'ok']);
  });

  it('passes after a separate 100', async ({ cleanUp }) => {
    const { address } = await startWith(cleanUp, (socket) => {
      socket.write('HTTP/1.1 100 Continue\r\n\r\n', () => {
        setImmediate(() => socket.write(`HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n${chunked}`));
      });
    });
    const { status, body } = await rawExchange(address, get);
    expect([status, body]).toEqual([200, 'hello']);
  });

  it('of status 204 has no Content-Length', async ({ cleanUp }) => {
    const { status, raw } = await askRaw(cleanUp, 'HTTP/1.1 204 No Content\r\nContent-Length: 5\r\nX-A: b\r\n\r\n');
    expect(status).toBe(204);
    expect(raw).toContain('X-A: b');
    expect(raw.toLowerCase()).not.toContain('content-length');
  });

  it('of status 304 keeps its Content-Length', async ({ cleanUp }) => {
    const { status, headers } = await askRaw(cleanUp, 'HTTP/1.1 304 Not Modified\r\nContent-Length: 5\r\n\r\n');
    expect([status, headers['content-length']]).toEqual([304, '5']);
  });

  it('loses trailers that its head or the gateway sets, and keeps the others', async ({ cleanUp }) => {
    const fields = [
      'X-Sum: 42',
      'Cache-Control: public',
      'X-Correlation-Id: evil',
      'Set-Cookie: a=b',
      'X-User-Id: root',
    ];
    const { raw } = await askRaw(
      cleanUp,
      `HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n5\r\nhello\r\n0\r\n${fields.join('\r\n')}\r\n\r\n`,
    );
    expect(raw.slice(raw.indexOf('\r\n0\r\n'))).toBe('\r\n0\r\nX-Sum: 42\r\n\r\n');
  });
});

describe('an upstream that truncates its response', () => {
  it.for([
    ['right behind its head', 'HTTP/1.1 200 OK\r\nContent-Length: 50\r\n\r\n', (socket: Socket) => socket.end()],
    ['behind its head by a reset', 'HTTP/1.1 200 OK\r\nContent-Length: 50\r\n\r\n', reset],
    ['with a bad chunk size', 'HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\nzz\r\nhello\r\n', () => undefined],
    ['inside its head', 'HTTP/1.1 200 OK\r\nX-', (socket: Socket) => socket.end()],
  ] as const)('%s causes 502', async ([_, response, andThen], { cleanUp }) => {
    const { status, headers } = await askRaw(cleanUp, response, andThen);
    expect(status).toBe(502);
    expect(headers['content-type']).toBe('application/problem+json');
  });

  const startStream = async (cleanUp: CleanUp, head: string) => {
    let connection: Socket | null = null;
    const gateway = await startWith(cleanUp, (socket) => {
      connection = socket;
      socket.write(`${head}\r\n\r\nhello`);
    });
    const { body } = await fetch(gateway.url);
    const reader = (body as ReadableStream<Uint8Array>).getReader();
    expect(Buffer.from((await reader.read()).value ?? []).toString()).toBe('hello');
    return { reader, socket: connection as unknown as Socket };
  };

  it('by a reset of a close-delimited body disconnects the client', async ({ cleanUp }) => {
    const { reader, socket } = await startStream(cleanUp, 'HTTP/1.1 200 OK');
    reset(socket);
    await expect(reader.read()).rejects.toThrow();
  });

  it('makes an HTTP/1.0 client with a close-delimited body get a reset', async ({ cleanUp }) => {
    let connection: Socket | null = null;
    const gateway = await startWith(cleanUp, (socket) => {
      connection = socket;
      socket.write('HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n5\r\nhello\r\n');
    });
    const client = connect({ host: gateway.address.host, port: gateway.address.port });
    const ended = new Promise<string>((resolve) => {
      client.once('error', ({ message }) => resolve(message));
      client.once('end', () => resolve('an orderly end'));
    });
    client.write('GET / HTTP/1.0\r\nHost: a\r\n\r\n');
    let text = '';
    for await (const piece of client.iterator({ destroyOnReturn: false })) {
      text += String(piece);
      if (text.includes('hello')) break;
    }
    client.resume();
    reset(connection as unknown as Socket);
    expect(await ended).toContain('ECONNRESET');
  });

  it('by a clean close ends a body without a length', async ({ cleanUp }) => {
    const { reader, socket } = await startStream(cleanUp, 'HTTP/1.1 200 OK');
    socket.end();
    expect((await reader.read()).done).toBe(true);
  });
});

describe('an upstream that pauses after its head', () => {
  it('has its head forwarded before the body', async ({ cleanUp }) => {
    let connection: Socket | null = null;
    const { url } = await startWith(cleanUp, (socket) => {
      connection = socket;
      socket.write('HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\n\r\n');
    });
    const response = await fetch(url);
    expect(response.headers.get('content-type')).toBe('text/event-stream');
    (connection as unknown as Socket).end('data: 1\n\n');
    expect(await response.text()).toBe('data: 1\n\n');
  });
});

function reset(socket: Socket): void {
  socket.resetAndDestroy();
}
