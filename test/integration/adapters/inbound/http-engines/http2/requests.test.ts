import { describe, expect } from 'vitest';
import { BodyReadError } from '../../../../../../src/application/ports/gateway/body-source.js';
import type { ClientRequest } from '../../../../../../src/application/ports/gateway/http-exchange.js';
import {
  endHeaders,
  fieldBlock,
  frame,
  frameTypes,
  getRequest,
  postRequest,
} from '../../../../../support/gateway/http2-frames.js';
import { http2Answer, http2Call, http2Session } from '../../../../../support/gateway/http2-session.js';
import { RawHttp2Client } from '../../../../../support/gateway/raw-http2-client.js';
import { recordedListener } from '../../../../../support/gateway/tls-listener.js';
import type { CleanUp } from '../../../../../support/shared/clean-up.js';
import { eventually } from '../../../../../support/shared/eventually.js';
import { it } from '../../../../../support/shared/fixtures.js';

const plainListener = async (cleanUp: CleanUp, changes: Parameters<typeof recordedListener>[2] = {}) => {
  const { listener, handler } = await recordedListener(cleanUp, null, { http2: true, ...changes });
  const { host, port } = listener.address();
  return { listener, handler, url: `http://${host}:${port}` };
};

const readAll = async ({ body }: ClientRequest): Promise<Buffer> => {
  const pieces: Uint8Array[] = [];
  for (let piece = await body?.read(); piece; piece = await body?.read()) pieces.push(piece);
  return Buffer.concat(pieces);
};

describe('an HTTP/2 request', () => {
  it('is represented like a request of any version', async ({ cleanUp }) => {
    const { handler, url } = await plainListener(cleanUp);
    const answer = await http2Call(http2Session(cleanUp, url), {
      ':path': '/a?b=c',
      'x-one': '1',
      'X-Two': 'zwei \xfc',
    });
    expect(answer).toMatchObject({ status: 200, code: 0 });
    const [request] = handler.requests;
    expect(request).toMatchObject({ method: 'GET', target: '/a?b=c', httpVersion: '2.0', body: null });
    expect(request?.wantsWebSocket).toBe(false);
    expect(request?.headers).toEqual(['host', url.slice(7), 'x-one', '1', 'x-two', 'zwei \xfc']);
    expect(request?.connection).toMatchObject({
      listener: 'main',
      peerAddress: '127.0.0.1',
      scheme: 'http',
      tls: null,
    });
  });

  it('joins its cookies into one field', async ({ cleanUp }) => {
    const { handler, listener } = await plainListener(cleanUp);
    const client = new RawHttp2Client(listener.address());
    cleanUp.add(() => client.socket.destroy());
    client.send(
      getRequest(1, [
        ['cookie', 'a=1'],
        ['x', 'y'],
        ['cookie', 'b=2'],
        ['cookie', 'c=3'],
      ]),
    );
    await client.frame(frameTypes.headers, 1);
    expect(handler.requests[0]?.headers).toEqual(['host', 'a.example', 'cookie', 'a=1; b=2; c=3', 'x', 'y']);
  });

  it.for([
    ['the same Host', 'A.example', ['host', 'a.example']],
    ['another Host', 'b.example', ['host', 'a.example', 'host', 'b.example']],
  ] as const)('with an authority and %s keeps the difference', async ([_, host, headers], { cleanUp }) => {
    const { handler, listener } = await plainListener(cleanUp);
    const client = new RawHttp2Client(listener.address());
    cleanUp.add(() => client.socket.destroy());
    client.send(getRequest(1, [['host', host]]));
    await client.frame(frameTypes.headers, 1);
    expect(handler.requests[0]?.headers).toEqual(headers);
  });

  it('delivers its body and trailers as they arrive', async ({ cleanUp }) => {
    const { handler, url } = await plainListener(cleanUp);
    handler.held = true;
    const stream = http2Session(cleanUp, url).request({ ':method': 'POST', ':path': '/' }, { waitForTrailers: true });
    stream.on('wantTrailers', () => stream.sendTrailers({ 'x-sum': 'abc' }));
    const answered = http2Answer(stream);
    stream.write('one ');
    await eventually(() => handler.requests.length === 1);
    const [request] = handler.requests;
    expect(request?.body?.declaredLength).toBeNull();
    expect(Buffer.from((await request?.body?.read()) ?? []).toString()).toBe('one ');
    expect(request?.body?.trailers()).toEqual([]);
    stream.end('two');
    expect((await readAll(request as ClientRequest)).toString()).toBe('two');
    expect(request?.body?.trailers()).toEqual(['x-sum', 'abc']);
    handler.responses[0]?.send(200, [], 'done', false);
    expect(await answered).toMatchObject({ status: 200, code: 0 });
  });

  it('has a declared length, and no body if it ends with its head', async ({ cleanUp }) => {
    const { handler, url } = await plainListener(cleanUp);
    handler.handle = (request, response) => {
      handler.requests.push(request);
      void readAll(request).then((body) => response.send(200, [], String(body.length), false));
    };
    const session = http2Session(cleanUp, url);
    const large = Buffer.alloc(3_000_000, 'x');
    const answer = await http2Call(session, { ':method': 'POST', 'content-length': large.length }, large);
    expect(answer.body.toString()).toBe('3000000');
    await http2Call(session, { ':method': 'POST', 'content-length': 0 });
    expect(handler.requests.map(({ body }) => body?.declaredLength)).toEqual([3_000_000, undefined]);
  });

  it('gets 100 Continue on the first read of its body only', async ({ cleanUp }) => {
    const { handler, url } = await plainListener(cleanUp);
    handler.held = true;
    const session = http2Session(cleanUp, url);
    const ask = () => {
      const stream = session.request({ ':method': 'POST', ':path': '/', expect: '100-continue' });
      stream.on('continue', () => stream.end('body'));
      return http2Answer(stream);
    };
    const [read, unread] = [ask(), ask()];
    await eventually(() => handler.requests.length === 2);
    const [first] = handler.requests as [ClientRequest];
    expect(first.expectsContinue).toBe(true);
    expect((await readAll(first)).toString()).toBe('body');
    for (const response of handler.responses) response.send(200, [], null, false);
    expect(await read).toMatchObject({ status: 200, code: 0, informational: [100] });
    expect(await unread).toMatchObject({ status: 200, code: 0, informational: [] });
  });

  it('times out when its body stalls', async ({ cleanUp }) => {
    const { handler, listener } = await plainListener(cleanUp, { bodyMs: 120 });
    handler.held = true;
    const client = new RawHttp2Client(listener.address());
    cleanUp.add(() => client.socket.destroy());
    client.send(postRequest(1), frame(frameTypes.data, 0, 1, Buffer.from('ab')));
    await eventually(() => handler.requests.length === 1);
    const [request] = handler.requests as [ClientRequest];
    const failed = await readAll(request).catch((error: unknown) => error);
    expect(failed).toBeInstanceOf(BodyReadError);
    expect(failed).toMatchObject({ code: 'timed_out', message: 'the client fell silent' });
  });

  it('is too slow if its body is below the minimum pace', async ({ cleanUp }) => {
    const { handler, listener } = await plainListener(cleanUp, { bodyMs: 200, minBodyOctetsPerSecond: 1_000 });
    handler.held = true;
    const client = new RawHttp2Client(listener.address());
    const trickle = setInterval(() => client.send(frame(frameTypes.data, 0, 1, Buffer.from('a'))), 20);
    cleanUp.add(() => {
      clearInterval(trickle);
      client.socket.destroy();
    });
    client.send(postRequest(1));
    await eventually(() => handler.requests.length === 1);
    const failed = await readAll(handler.requests[0] as ClientRequest).catch((error: unknown) => error);
    expect(failed).toMatchObject({ code: 'timed_out', message: 'the client was too slow' });
  });

  it('for a tunnel has no body, and its authority as target', async ({ cleanUp }) => {
    const { handler, listener } = await plainListener(cleanUp);
    const client = new RawHttp2Client(listener.address());
    cleanUp.add(() => client.socket.destroy());
    const fields = fieldBlock([
      [':method', 'CONNECT'],
      [':authority', 'a.example:80'],
    ]);
    client.send(frame(frameTypes.headers, endHeaders, 1, fields));
    await client.frame(frameTypes.headers, 1);
    expect(handler.requests[0]).toMatchObject({ method: 'CONNECT', target: 'a.example:80', body: null });
    // The tunnel that it would be is closed.
    expect(await client.resetCode(1)).toBe(0);
  });

  it('can be one of several concurrent requests', async ({ cleanUp }) => {
    const { handler, url } = await plainListener(cleanUp);
    handler.held = true;
    const session = http2Session(cleanUp, url);
    const calls = ['/1', '/2', '/3'].map((path) => http2Call(session, { ':path': path }));
    await eventually(() => handler.requests.length === 3);
    handler.requests.forEach(({ target }, index) => handler.responses[2 - index]?.send(200, [], target, false));
    expect((await Promise.all(calls)).map(({ body }) => body.toString())).toEqual(['/3', '/2', '/1']);
    expect(handler.open).toBe(1);
  });

  it('ends once when the client disconnects', async ({ cleanUp }) => {
    const { handler, listener } = await plainListener(cleanUp);
    handler.held = true;
    const client = new RawHttp2Client(listener.address());
    client.send(getRequest(1), postRequest(3), frame(frameTypes.data, 0, 3, Buffer.from('ab')));
    await eventually(() => handler.requests.length === 2);
    const told: boolean[] = [];
    for (const response of handler.responses) response.onClosed((completed) => told.push(completed));
    client.socket.end();
    await eventually(() => handler.open === 0);
    expect(told).toEqual([false, false]);
    await expect(readAll(handler.requests[1] as ClientRequest)).rejects.toMatchObject({ code: 'aborted' });
  });

  it.for([
    ['NO_ERROR', 0],
    ['CANCEL', 8],
  ] as const)(
    'ends when the client resets it with %s, with its body read or unread',
    async ([_, code], { cleanUp }) => {
      const { handler, listener } = await plainListener(cleanUp);
      handler.held = true;
      const client = new RawHttp2Client(listener.address());
      cleanUp.add(() => client.socket.destroy());
      client.send(postRequest(1), frame(frameTypes.data, 0, 1, Buffer.from('ab')));
      await eventually(() => handler.requests.length === 1);
      const told: boolean[] = [];
      handler.responses[0]?.onClosed((completed) => told.push(completed));
      client.send(frame(frameTypes.rstStream, 0, 1, Buffer.from([0, 0, 0, code])));
      await eventually(() => told.length > 0);
      client.send(getRequest(3));
      await eventually(() => handler.requests.length === 2);
      expect(told).toEqual([false]);
    },
  );

  it('is received only up to its window while unread', async ({ cleanUp }) => {
    const { handler, url } = await plainListener(cleanUp);
    handler.held = true;
    const stream = http2Session(cleanUp, url).request({ ':method': 'POST', ':path': '/' });
    const answered = http2Answer(stream);
    stream.end(Buffer.alloc(1_000_000));
    await eventually(() => handler.requests.length === 1);
    const body = handler.requests[0]?.body;
    const first = await body?.read();
    expect(first?.length).toBeLessThanOrEqual(262_144);
    body?.cancel();
    handler.responses[0]?.send(413, [], 'too much', false);
    expect((await answered).status).toBe(413);
  });
});
