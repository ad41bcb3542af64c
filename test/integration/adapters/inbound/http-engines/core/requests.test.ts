import { describe, expect } from 'vitest';
import type { BodyReadError } from '../../../../../../src/application/ports/gateway/body-source.js';
import type { ClientRequest } from '../../../../../../src/application/ports/gateway/http-exchange.js';
import { coreClient } from '../../../../../support/gateway/core-client.js';
import { recordedListener } from '../../../../../support/gateway/tls-listener.js';
import type { CleanUp } from '../../../../../support/shared/clean-up.js';
import { eventually } from '../../../../../support/shared/eventually.js';
import { it } from '../../../../../support/shared/fixtures.js';

const start = async (cleanUp: CleanUp, changes: Parameters<typeof recordedListener>[2] = {}) => {
  const recorded = await recordedListener(cleanUp, null, changes);
  return { ...recorded, client: () => coreClient(cleanUp, recorded.listener) };
};

/** All of a body, and its trailers. */
const readAll = async ({ body }: ClientRequest): Promise<{ text: string; trailers: readonly string[] }> => {
  const pieces: Uint8Array[] = [];
  for (let piece = await body?.read(); piece; piece = await body?.read()) pieces.push(piece);
  return { text: Buffer.concat(pieces).toString('latin1'), trailers: body?.trailers() ?? [] };
};

const get = 'GET /a?b=c HTTP/1.1\r\nHost: h\r\nX-One: 1\r\n\r\n';
const chunkedHead = 'POST / HTTP/1.1\r\nHost: h\r\nTransfer-Encoding: chunked\r\n\r\n';

describe('a request', () => {
  it('is the same at once or octet by octet, as is the next request', async ({ cleanUp }) => {
    const { handler, client } = await start(cleanUp);
    handler.held = true;
    const octets = `\r\n\r\n${chunkedHead}3\r\nabc\r\n2\r\nde\r\n0\r\nX-Sum: 5\r\n\r\n${get}`;
    const whole = client().send(octets);
    const dripping = client();
    for (const octet of octets) {
      dripping.send(octet);
      await new Promise(setImmediate);
    }
    await eventually(() => handler.requests.length === 2);
    const bodies = await Promise.all(handler.requests.slice(0, 2).map(readAll));
    expect(bodies).toEqual([
      { text: 'abcde', trailers: ['X-Sum', '5'] },
      { text: 'abcde', trailers: ['X-Sum', '5'] },
    ]);
    for (const response of handler.responses.slice()) response.send(200, [], 'first', false);
    await eventually(() => handler.requests.length === 4);
    for (const { method, target, headers, body, httpVersion } of handler.requests.slice(2)) {
      expect({ method, target, headers, body, httpVersion }).toEqual({
        method: 'GET',
        target: '/a?b=c',
        headers: ['Host', 'h', 'X-One', '1'],
        body: null,
        httpVersion: '1.1',
      });
    }
    for (const response of handler.responses.slice(2)) response.send(200, [], 'second', true);
    await Promise.all([whole.closed(), dripping.closed()]);
    expect(whole.text.match(/first|second/g)).toEqual(['first', 'second']);
    expect(dripping.text.match(/first|second/g)).toEqual(['first', 'second']);
  });

  it('has a body that arrived with the head at once, as one piece', async ({ cleanUp }) => {
    const { handler, client } = await start(cleanUp);
    const seen: unknown[] = [];
    handler.handle = ({ body }, response) => {
      const piece = body?.read();
      seen.push(piece instanceof Uint8Array ? Buffer.from(piece).toString() : piece, body?.read());
      response.send(200, [], 'done', true);
    };
    const chunks = Array.from('many tiny chunks', (letter) => `1\r\n${letter}\r\n`).join('');
    const asked = client().send(`${chunkedHead}${chunks}0\r\n\r\n`);
    await asked.closed();
    expect(seen).toEqual(['many tiny chunks', null]);
  });

  it('gets 100 Continue when its body is read, only if it still waits', async ({ cleanUp }) => {
    const { handler, client } = await start(cleanUp);
    handler.held = true;
    const head = 'POST / HTTP/1.1\r\nHost: h\r\nExpect: 100-continue\r\nContent-Length: 2\r\n\r\n';
    const patient = client().send(head);
    await eventually(() => handler.requests.length === 1);
    expect(handler.requests[0]?.expectsContinue).toBe(true);
    expect(patient.text).toBe('');
    const body = readAll(handler.requests[0] as ClientRequest);
    await patient.got('HTTP/1.1 100 Continue\r\n\r\n');
    patient.send('hi');
    expect(await body).toMatchObject({ text: 'hi' });
    handler.responses[0]?.send(200, [], 'done', true);
    const hasty = client().send(`${head}h`);
    await eventually(() => handler.requests.length === 2);
    const second = readAll(handler.requests[1] as ClientRequest);
    hasty.send('o');
    expect(await second).toMatchObject({ text: 'ho' });
    handler.responses[1]?.send(200, [], 'done', true);
    await hasty.closed();
    expect(hasty.text).not.toContain('100 Continue');
  });

  it.for([
    ['Upgrade: websocket\r\nConnection: Upgrade\r\n', true],
    ['Upgrade: WebSocket\r\nConnection: keep-alive, upgrade\r\n', true],
    ['Upgrade: websocket\r\n', false],
    ['Upgrade: websocket, h2c\r\nConnection: Upgrade\r\n', false],
    ['Upgrade: h2c\r\nConnection: Upgrade\r\n', false],
  ] as const)('with %j wants WebSocket: %s', async ([fields, wants], { cleanUp }) => {
    const { handler, client } = await start(cleanUp);
    const asked = client().send(`GET / HTTP/1.1\r\nHost: h\r\n${fields}\r\n`);
    await asked.got('200 OK');
    expect(handler.requests[0]?.wantsWebSocket).toBe(wants);
    // Nothing of it is lost where it is not heeded.
    asked.send(get);
    await eventually(() => handler.requests.length === 2);
  });
});

describe('a malformed head', () => {
  it.for([
    ['GET / HTTP/1.1\r\nHost: a\r\nHost: a\r\n\r\n', 'invalid_host'],
    ['GET / HTTP/1.1\nHost: a\r\n\r\n', 'malformed'],
    ['GET / HTTP/2.0\r\nHost: a\r\n\r\n', 'malformed'],
    ['POST / HTTP/1.1\r\nContent-Length: 1\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n', 'malformed'],
    [`GET /${'a'.repeat(3_000)} HTTP/1.1\r\n`, 'target_too_long'],
    [`GET / HTTP/1.1\r\nA: ${'a'.repeat(3_000)}`, 'header_too_large'],
  ] as const)('%j is refused, and nothing after it is a request', async ([octets, reason], { cleanUp }) => {
    const { handler, client } = await start(cleanUp, { maxHeadBytes: 2_000 });
    const asked = client().send(octets + get);
    await asked.closed();
    expect(handler.rejections.map((rejected) => rejected.reason)).toEqual([reason]);
    expect(handler.requests).toEqual([]);
    expect(asked.text).toMatch(/^HTTP\/1\.1 400 Bad Request\r\n(.*\r\n)*Connection: close\r\n/);
  });

  it('is refused as soon as it is too long, in pieces of any size', async ({ cleanUp }) => {
    const { handler, client } = await start(cleanUp, { maxHeadBytes: 2_000 });
    const asked = client().send('GET / HTTP/1.1\r\n');
    while (!asked.isClosed) {
      asked.send('A: aaaaaaaa\r\n');
      await new Promise(setImmediate);
    }
    expect(handler.rejections[0]?.reason).toBe('header_too_large');
  });

  it('is refused if truncated, and ignored if it never began', async ({ cleanUp }) => {
    const { handler, client } = await start(cleanUp);
    const begun = client().send('GET / HTTP');
    begun.socket.end();
    const silent = client().send('\r\n\r\n');
    silent.socket.end();
    await Promise.all([begun.closed(), silent.closed()]);
    expect(handler.rejections).toMatchObject([{ reason: 'malformed' }]);
    expect(silent.text).toBe('');
  });

  it('is refused if slow or absent', async ({ cleanUp }) => {
    const { handler, client } = await start(cleanUp, { headMs: 200 });
    const silent = client().send('\r\n');
    const slow = client().send('GET / HTTP/1.1\r\n');
    const drip = setInterval(() => slow.send('A: b\r\n'), 20);
    cleanUp.add(() => clearInterval(drip));
    await Promise.all([slow.closed(), silent.closed()]);
    expect(handler.rejections).toMatchObject([{ reason: 'timed_out' }, { reason: 'timed_out' }]);
  });
});

describe('a chunked body', () => {
  it.for([
    'x\r\n',
    '3;a=b\r\nabc\r\n',
    '3\nabc\r\n',
    '3\r\nabcd\r\n',
    '10000000000000000\r\n',
    '-1\r\n',
    '0x3\r\nabc\r\n',
    '0\r\nA : b\r\n\r\n',
    `0\r\nA: ${'b'.repeat(20_000)}\r\n\r\n`,
  ])('with %j is malformed, and the connection ends with the response', async (chunk, { cleanUp }) => {
    const { handler, client } = await start(cleanUp, { lingerMs: 50 });
    const errors: BodyReadError[] = [];
    handler.handle = (request, response) => {
      readAll(request).catch((error: BodyReadError) => {
        errors.push(error);
        response.send(400, [], 'no', false);
      });
    };
    const asked = client().send(`${chunkedHead}2\r\nok\r\n`).send(chunk).send(get);
    await asked.closed();
    expect(errors).toMatchObject([{ code: 'malformed' }]);
    expect(asked.text).toContain('Connection: close');
    expect(asked.text.match(/HTTP\/1\.1 /g)).toHaveLength(1);
  });
});
