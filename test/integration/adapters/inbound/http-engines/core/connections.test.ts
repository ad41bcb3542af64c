import { describe, expect } from 'vitest';
import type { BodyReadError } from '../../../../../../src/application/ports/gateway/body-source.js';
import type { ClientRequest, ClientResponse } from '../../../../../../src/application/ports/gateway/http-exchange.js';
import { coreClient } from '../../../../../support/gateway/core-client.js';
import { fedConnection } from '../../../../../support/gateway/fed-connection.js';
import { recordedListener } from '../../../../../support/gateway/tls-listener.js';
import type { CleanUp } from '../../../../../support/shared/clean-up.js';
import { eventually } from '../../../../../support/shared/eventually.js';
import { it } from '../../../../../support/shared/fixtures.js';

/** Longer than a test may take. */
const forever = 600_000;
const get = 'GET / HTTP/1.1\r\nHost: a\r\n\r\n';
const lastGet = 'GET / HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n';
const post = (length: number): string => `POST / HTTP/1.1\r\nHost: a\r\nContent-Length: ${length}\r\n\r\n`;

/** Requests are held until the test answers them. */
const start = async (cleanUp: CleanUp, changes: Parameters<typeof recordedListener>[2] = {}) => {
  const { listener, handler } = await recordedListener(cleanUp, null, changes);
  const ends: boolean[] = [];
  handler.handle = (request, response) => {
    handler.requests.push(request);
    handler.responses.push(response);
    response.onClosed((completed) => ends.push(completed));
  };
  const client = (allowHalfOpen = false) => coreClient(cleanUp, listener, allowHalfOpen);
  const begun = async (count: number): Promise<void> => eventually(() => handler.requests.length >= count);
  return { listener, handler, ends, client, begun };
};

describe('pipelined requests', () => {
  it('begin one after the other, and reads are bounded', async ({ cleanUp }) => {
    const { handler, ends, client } = await start(cleanUp);
    const count = 20_000;
    const asked = client().send(get.repeat(count - 1) + lastGet);
    for (let answered = 0; answered < count; answered += 1) {
      while (handler.responses.length === answered) await new Promise(setImmediate);
      expect(handler.responses).toHaveLength(answered + 1);
      handler.responses[answered]?.send(200, [], 'x', false);
    }
    await asked.closed();
    expect(asked.text.match(/200 OK/g)).toHaveLength(count);
    expect(ends).toHaveLength(count);
  });

  it('are not read beyond a bound until the previous request is answered', async () => {
    const held: ClientResponse[] = [];
    const connection = fedConnection((_, response) => held.push(response));
    await connection.feed(Buffer.from(get));
    const piece = Buffer.from(get.repeat(1_300));
    await connection.feed(piece);
    expect(connection.isPaused).toBe(false);
    await connection.feed(piece);
    expect(connection.isPaused).toBe(true);
    expect(held).toHaveLength(1);
    for (let answered = 0; answered <= 2_600; answered += 1) {
      await eventually(() => held.length > answered);
      held[answered]?.send(200, [], '', false);
    }
    await eventually(() => !connection.isPaused);
    connection.end();
  });

  it('are ignored after the last request', async ({ cleanUp }) => {
    const { handler, client, begun } = await start(cleanUp);
    const asked = client().send(lastGet + get);
    await begun(1);
    handler.responses[0]?.send(200, [], 'x', false);
    await asked.closed();
    expect(handler.requests).toHaveLength(1);
  });
});

describe('a queued request', () => {
  /** Longer than what is joined with what came before. */
  const pad = `X-Pad: ${'p'.repeat(3_000)}\r\n`;
  const smuggled = 'GET /smuggled HTTP/1.1\r\nHost: a\r\n\r\n';

  it.each(['', 'Connection: close\r\n'])('keeps a body that arrived separately (%j)', async (fields) => {
    const exchanges: [ClientRequest, ClientResponse][] = [];
    const connection = fedConnection((request, response) => exchanges.push([request, response]));
    await connection.feed(Buffer.from(get));
    await connection.feed(
      Buffer.from(`POST /second HTTP/1.1\r\nHost: a\r\n${fields}${pad}Content-Length: ${smuggled.length}\r\n\r\n`),
    );
    await connection.feed(Buffer.from(smuggled));
    exchanges[0]?.[1].send(200, [], 'first', false);
    await eventually(() => exchanges.length === 2);
    const [second, response] = exchanges[1] as [ClientRequest, ClientResponse];
    expect(second.target).toBe('/second');
    expect(Buffer.from((await second.body?.read()) ?? []).toString()).toBe(smuggled);
    expect(await second.body?.read()).toBeNull();
    // What comes later is another request, where there can be one.
    response.send(200, [], 'second', false);
    await connection.feed(Buffer.from(get.replace('/', '/third')));
    if (fields === '') await eventually(() => exchanges.length === 3);
    else await eventually(() => connection.hasEnded);
    expect(exchanges.map(([{ target }]) => target)).toEqual(['/', '/second', ...(fields === '' ? ['/third'] : [])]);
    connection.end();
  });
});

describe('a client that half-closes', () => {
  it('before the response is treated as disconnected', async ({ cleanUp }) => {
    const { ends, client, begun } = await start(cleanUp);
    const asked = client().send(get);
    await begun(1);
    asked.socket.end();
    await asked.closed();
    await eventually(() => ends.length === 1);
    expect(ends).toEqual([false]);
  });

  it('with queued requests is treated as disconnected, and none is answered', async ({ cleanUp }) => {
    const { handler, ends, client, begun } = await start(cleanUp);
    const asked = client(true).send(get + get);
    await begun(1);
    asked.socket.end();
    await asked.closed();
    await eventually(() => ends.length === 1);
    expect(handler.requests).toHaveLength(1);
    expect(asked.text).toBe('');
  });

  it('within its body is treated as disconnected, and the reader gets an error', async ({ cleanUp }) => {
    const { handler, ends, client, begun } = await start(cleanUp);
    const asked = client().send(`${post(5)}ab`);
    await begun(1);
    const body = handler.requests[0]?.body;
    expect(Buffer.from((await body?.read()) ?? []).toString()).toBe('ab');
    const rest = body?.read() as Promise<never>;
    const failed = rest.catch((error: BodyReadError) => error.code);
    asked.socket.end();
    expect(await failed).toBe('aborted');
    await eventually(() => ends.length === 1);
    expect(ends).toEqual([false]);
  });

  it('during a response gets all of it, and no more', async ({ cleanUp }) => {
    const { handler, ends, client, begun } = await start(cleanUp);
    const asked = client(true).send(get + get);
    asked.socket.pause();
    await begun(1);
    const octets = 20_000_000;
    handler.responses[0]?.send(200, [], 'x'.repeat(octets), false);
    asked.socket.end();
    asked.socket.resume();
    await asked.closed();
    expect(asked.text.length).toBeGreaterThan(octets);
    expect(asked.text.match(/200 OK/g)).toHaveLength(1);
    expect(ends).toEqual([true]);
    expect(handler.requests).toHaveLength(1);
  });

  it('between two requests is disconnected at once', async ({ cleanUp }) => {
    const { handler, client, begun, listener } = await start(cleanUp, { idleMs: forever });
    const asked = client(true).send(get);
    await begun(1);
    handler.responses[0]?.send(200, [], 'x', false);
    await asked.got('x');
    asked.socket.end();
    await asked.closed();
    await expect.poll(() => listener.connections()).toBe(0);
  });
});

describe('an answer before the end of its request', () => {
  it('reaches a client that keeps sending, and the connection ends', async ({ cleanUp }) => {
    const { handler, ends, client, begun } = await start(cleanUp, { lingerMs: forever });
    const octets = 10_000_000;
    const asked = client().send(post(octets));
    await begun(1);
    handler.responses[0]?.send(413, [], 'too much', true);
    asked.send('x'.repeat(octets));
    await asked.closed();
    expect(asked.text).toContain('too much');
    expect(asked.isReset).toBe(false);
    expect(ends).toEqual([true]);
  });

  it('lingers no longer than lingerMs', async ({ cleanUp }) => {
    const { handler, client, begun } = await start(cleanUp, { lingerMs: 50 });
    const asked = client().send(`${post(10)}abc`);
    await begun(1);
    handler.responses[0]?.send(413, [], 'too much', true);
    await asked.closed();
    expect(asked.text).toContain('too much');
  });

  it('keeps the connection if the body is read and ends', async ({ cleanUp }) => {
    const { handler, client, begun } = await start(cleanUp, { lingerMs: forever });
    const asked = client().send(`${post(10)}abc`);
    await begun(1);
    await handler.requests[0]?.body?.read();
    handler.responses[0]?.send(200, [], 'early', false);
    await asked.got('early');
    expect(asked.text).not.toContain('Connection: close');
    asked.send(`defghij${get}`);
    await begun(2);
    handler.responses[1]?.send(200, [], 'next', false);
    await asked.got('next');
  });
});

describe('an unread body', () => {
  it('is buffered up to a bound, and up to a wider one with read-ahead', async ({ cleanUp }) => {
    const { handler, client, begun } = await start(cleanUp);
    const octets = 30_000_000;
    const asked = client().send(post(octets));
    asked.send('x'.repeat(octets));
    await begun(1);
    await eventually(() => asked.socket.bytesWritten > 131_072);
    expect(asked.socket.writableLength).toBeGreaterThan(0);
    const body = handler.requests[0]?.body;
    body?.lookAhead(true);
    let came = 0;
    for (let piece = await body?.read(); piece; piece = await body?.read()) came += piece.length;
    expect(came).toBe(octets);
    handler.responses[0]?.send(200, [], 'all', true);
    await asked.closed();
    expect(asked.text).toContain('all');
  });

  it('fails its reader when it stalls', async ({ cleanUp }) => {
    const { handler, client, begun } = await start(cleanUp, { bodyMs: 100 });
    client().send(`${post(10)}abc`);
    await begun(1);
    const body = handler.requests[0]?.body;
    await body?.read();
    await expect(body?.read()).rejects.toMatchObject({ code: 'timed_out', message: 'the client fell silent' });
  });
});

describe('a connection', () => {
  it('that becomes a tunnel includes octets after the request, and its end ends the exchange', async ({ cleanUp }) => {
    const { handler, ends, client, begun } = await start(cleanUp);
    const asked = client().send('GET / HTTP/1.1\r\nHost: a\r\nConnection: Upgrade\r\nUpgrade: websocket\r\n\r\nhel');
    await begun(1);
    const tunnel = handler.responses[0]?.upgrade(['Upgrade', 'websocket']);
    await asked.got('HTTP/1.1 101 Switching Protocols\r\nUpgrade: websocket\r\n\r\n');
    asked.send('lo');
    asked.socket.end();
    let came = '';
    for await (const piece of tunnel?.iterator({ destroyOnReturn: false }) ?? []) came += Buffer.from(piece).toString();
    expect(came).toBe('hello');
    expect(ends).toEqual([]);
    tunnel?.end();
    await asked.closed();
    await eventually(() => ends.length === 1);
    expect(ends).toEqual([true]);
  });

  it('ends after the idle time, despite empty lines', async ({ cleanUp }) => {
    const { handler, client, begun } = await start(cleanUp, { idleMs: 200 });
    const asked = client().send(get);
    await begun(1);
    handler.responses[0]?.send(200, [], 'x', false);
    await asked.got('x');
    const drip = setInterval(() => asked.send('\r\n'), 20);
    cleanUp.add(() => clearInterval(drip));
    await asked.closed();
    expect(handler.rejections).toEqual([]);
  });

  it('ends after a CONNECT, and reads nothing more', async ({ cleanUp }) => {
    const { handler, client, begun } = await start(cleanUp);
    const asked = client().send(`CONNECT a:443 HTTP/1.1\r\nHost: a\r\n\r\n${get}`);
    await begun(1);
    expect(handler.requests[0]).toMatchObject({ method: 'CONNECT', target: 'a:443', body: null });
    handler.responses[0]?.send(501, [], 'no', false);
    await asked.closed();
    expect(asked.text).toContain('Connection: close');
    expect(handler.requests).toHaveLength(1);
  });

  it('ignores a response that is already complete', async ({ cleanUp }) => {
    const { handler, client, begun } = await start(cleanUp);
    const asked = client().send(get);
    await begun(1);
    const [first] = handler.responses;
    first?.send(200, [], 'one', false);
    asked.send(get);
    await begun(2);
    first?.abort();
    void first?.write(Buffer.from('late'));
    first?.end([]);
    handler.responses[1]?.send(200, [], 'two', true);
    await asked.closed();
    expect(asked.text).toMatch(/one.*two$/s);
    expect(asked.text).not.toContain('late');
  });
});
