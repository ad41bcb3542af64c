import { describe, expect } from 'vitest';
import type { ClientResponse } from '../../../../../../src/application/ports/gateway/http-exchange.js';
import {
  endStream,
  frame,
  frameTypes,
  getRequest,
  postRequest,
  uint32,
} from '../../../../../support/gateway/http2-frames.js';
import { http2Call, http2Session } from '../../../../../support/gateway/http2-session.js';
import { RawHttp2Client } from '../../../../../support/gateway/raw-http2-client.js';
import { recordedListener } from '../../../../../support/gateway/tls-listener.js';
import type { CleanUp } from '../../../../../support/shared/clean-up.js';
import { eventually } from '../../../../../support/shared/eventually.js';
import { it } from '../../../../../support/shared/fixtures.js';

type Changes = Parameters<typeof recordedListener>[2];

/** Answers every request with this. */
const answering = async (cleanUp: CleanUp, answer: (response: ClientResponse) => void, changes: Changes = {}) => {
  const { listener, handler } = await recordedListener(cleanUp, null, { http2: true, ...changes });
  const told: boolean[] = [];
  handler.handle = (request, response) => {
    handler.requests.push(request);
    response.onClosed((completed) => told.push(completed));
    answer(response);
  };
  const { host, port } = listener.address();
  const session = http2Session(cleanUp, `http://${host}:${port}`);
  const raw = (): RawHttp2Client => {
    const client = new RawHttp2Client(listener.address());
    cleanUp.add(() => client.socket.destroy());
    return client;
  };
  return { handler, session, told, raw };
};

const without = (headers: readonly string[], name: string): readonly string[] => {
  const at = headers.indexOf(name);
  return at < 0 ? headers : [...headers.slice(0, at), ...headers.slice(at + 2)];
};

describe('an HTTP/2 response', () => {
  it('has lower-case fields without hop-by-hop fields, and a date', async ({ cleanUp }) => {
    const { session, told } = await answering(cleanUp, (response) => {
      const connection = [
        'Connection',
        'close, x',
        'Keep-Alive',
        '1',
        'Transfer-Encoding',
        'chunked',
        'Upgrade',
        'h2c',
      ];
      response.begin(200, [...connection, 'X-One', 'ä', 'Set-Cookie', 'a', 'Set-Cookie', 'b', 'X-One', 'c'], false);
      void response.write(Buffer.from('hello'));
      response.end([]);
    });
    const { status, headers, body } = await http2Call(session);
    expect([status, body.toString()]).toEqual([200, 'hello']);
    expect(headers).toContain('date');
    expect(without(headers, 'date')).toEqual(['x-one', 'ä, c', 'set-cookie', 'a', 'set-cookie', 'b']);
    expect(told).toEqual([true]);
  });

  it('keeps a repeated field that should occur once', async ({ cleanUp }) => {
    const { session } = await answering(cleanUp, (response) => {
      response.send(
        200,
        ['Content-Type', 'a', 'content-type', 'a', 'ETag', '"1"', 'ETag', '"2"', 'Date', 'now'],
        'x',
        false,
      );
    });
    const { headers } = await http2Call(session);
    expect(headers).toEqual(['content-type', 'a', 'etag', '"1", "2"', 'date', 'now', 'content-length', '1']);
  });

  it('can have the maximum of fields, and its connection continues', async ({ cleanUp }) => {
    const fields = Array.from({ length: 20 }, (_, index) => [`x-${index}`, 'a'.repeat(20_000)]).flat();
    const { raw } = await answering(cleanUp, (response) => response.send(200, fields, 'ok', false));
    const client = raw();
    client.send(getRequest(1));
    await eventually(() =>
      client.frames.some(({ type, flags }) => type === frameTypes.data && (flags & endStream) > 0),
    );
    const isHead = (type: number): boolean => type === frameTypes.headers || type === frameTypes.continuation;
    const octets = client.frames.reduce((sum, { type, payload }) => sum + (isHead(type) ? payload.length : 0), 0);
    expect(octets).toBeGreaterThan(250_000);
    await client.seen();
    expect([client.isClosed, client.of(frameTypes.goaway, 0)]).toEqual([false, undefined]);
  });

  it('has trailers, with a length and without', async ({ cleanUp }) => {
    const { session } = await answering(cleanUp, (response) => {
      response.begin(200, [], false);
      void response.write(Buffer.from('hello'));
      response.end(['X-Sum', '1', 'Connection', 'close']);
    });
    expect(await http2Call(session)).toMatchObject({ trailers: ['x-sum', '1'], code: 0 });
    const sized = await answering(cleanUp, (response) => {
      response.begin(200, ['Content-Length', '5'], false);
      void response.write(Buffer.from('hello'));
      response.end(['X-Sum', '1']);
    });
    expect(await http2Call(sized.session)).toMatchObject({ trailers: ['x-sum', '1'], code: 0 });
  });

  it('ends with its head without a body', async ({ cleanUp }) => {
    const { raw, told } = await answering(cleanUp, (response) => {
      response.begin(200, ['grpc-status', '5'], false);
      response.end([]);
    });
    const client = raw();
    client.send(getRequest(1));
    const { flags } = await client.frame(frameTypes.headers, 1);
    expect(flags & endStream).toBe(endStream);
    await client.seen();
    expect(client.of(frameTypes.data, 1)).toBeUndefined();
    expect(told).toEqual([true]);
  });

  it.for([
    ['a HEAD', 'HEAD', 200],
    ['a 204', 'GET', 204],
    ['a 304', 'GET', 304],
  ] as const)('to %s has no body', async ([_, method, status], { cleanUp }) => {
    const { session, told } = await answering(cleanUp, (response) => {
      response.begin(status, ['X-A', '1'], false);
      expect(response.write(Buffer.from('hello'))).toBeUndefined();
      response.end([]);
    });
    const answer = await http2Call(session, { ':method': method });
    expect(answer).toMatchObject({ status, code: 0 });
    expect(answer.body.length).toBe(0);
    expect(told).toEqual([true]);
  });

  it("can be large, within the client's window", async ({ cleanUp }) => {
    const pieces = 400;
    const sendAll = async (response: ClientResponse): Promise<void> => {
      response.begin(200, [], false);
      for (let piece = 0; piece < pieces; piece += 1) await response.write(Buffer.alloc(50_000, piece));
      response.end([]);
    };
    const { session, told } = await answering(cleanUp, (response) => void sendAll(response));
    const { body, code } = await http2Call(session);
    expect([body.length, code]).toEqual([pieces * 50_000, 0]);
    expect(body.subarray(7 * 50_000, 8 * 50_000).every((octet) => octet === 7)).toBe(true);
    expect(told).toEqual([true]);
  });

  it('waits for its client until the client reads nothing for too long', async ({ cleanUp }) => {
    let written = 0;
    const sendSome = async (response: ClientResponse): Promise<void> => {
      response.begin(200, [], false);
      for (; written < 100 && told.length === 0; written += 1) await response.write(Buffer.alloc(16_000));
    };
    const { raw, told, handler } = await answering(cleanUp, (response) => void sendSome(response), { bodyMs: 150 });
    const client = raw();
    client.send(getRequest(1));
    // The window is used up, and never widened.
    expect(await client.resetCode(1)).toBe(8);
    await eventually(() => told.length === 1);
    expect(told).toEqual([false]);
    expect(written).toBeLessThan(10);
    client.send(getRequest(3));
    await eventually(() => handler.requests.length === 2);
  });

  it('has the same limit at its end', async ({ cleanUp }) => {
    const { raw, told } = await answering(cleanUp, (response) => response.send(200, [], 'x'.repeat(200_000), false), {
      bodyMs: 150,
    });
    const client = raw();
    client.send(getRequest(1));
    expect(await client.resetCode(1)).toBe(8);
    await eventually(() => told.length === 1);
    expect(told).toEqual([false]);
  });

  it('continues for a slow client that keeps reading', async ({ cleanUp }) => {
    const { raw, told } = await answering(cleanUp, (response) => response.send(200, [], 'x'.repeat(80_000), false), {
      bodyMs: 400,
    });
    const client = raw();
    client.send(getRequest(1));
    const taking = setInterval(
      () =>
        client.send(
          frame(frameTypes.windowUpdate, 0, 1, uint32(600)),
          frame(frameTypes.windowUpdate, 0, 0, uint32(600)),
        ),
      40,
    );
    cleanUp.add(() => clearInterval(taking));
    await eventually(() => client.frames.some(({ type, flags }) => type === frameTypes.data && flags === endStream));
    await eventually(() => told.length === 1);
    expect(told).toEqual([true]);
  });

  it.for([
    ['before its head', (response: ClientResponse) => response.abort()],
    [
      'behind its head',
      (response: ClientResponse) => {
        response.begin(200, [], false);
        void response.write(Buffer.alloc(0));
        response.abort();
      },
    ],
    [
      'within its body',
      (response: ClientResponse) => {
        response.begin(200, [], false);
        void response.write(Buffer.from('hello'));
        setImmediate(() => response.abort());
      },
    ],
    [
      'while much of it is still to be written',
      (response: ClientResponse) => {
        response.begin(200, [], false);
        void response.write(Buffer.alloc(200_000));
        setImmediate(() => response.abort());
      },
    ],
    [
      'short of its length',
      (response: ClientResponse) => {
        response.begin(200, ['Content-Length', '6'], false);
        void response.write(Buffer.from('hello'));
        response.end([]);
      },
    ],
    [
      'beyond its length',
      (response: ClientResponse) => {
        response.begin(200, ['Content-Length', '5'], false);
        void response.write(Buffer.from('hello!'));
        response.end([]);
      },
    ],
  ] as const)('that is cut %s is visibly truncated, and its connection continues', async ([_, answer], { cleanUp }) => {
    const { raw, told, handler } = await answering(cleanUp, answer);
    const client = raw();
    client.send(getRequest(1));
    expect(await client.resetCode(1)).toBe(2);
    await client.seen();
    expect(client.frames.some(({ type, flags }) => type === frameTypes.data && (flags & endStream) > 0)).toBe(false);
    await eventually(() => told.length === 1);
    expect(told).toEqual([false]);
    client.send(getRequest(3));
    await eventually(() => handler.requests.length === 2);
  });

  it('before the end of the request is complete, and stops the request', async ({ cleanUp }) => {
    const { raw, told } = await answering(cleanUp, (response) => response.send(413, [], 'too much', false));
    const client = raw();
    client.send(postRequest(1), frame(frameTypes.data, 0, 1, Buffer.from('ab')));
    expect(await client.resetCode(1)).toBe(0);
    const types = client.frames
      .filter(({ stream }) => stream === 1)
      .map(({ type, flags }) => [type, flags & endStream]);
    expect(types).toEqual([
      [frameTypes.headers, 0],
      [frameTypes.data, 0],
      [frameTypes.data, endStream],
      [frameTypes.rstStream, 0],
    ]);
    await eventually(() => told.length === 1);
    expect(told).toEqual([true]);
  });

  it('to a request with an unread body ends the stream normally', async ({ cleanUp }) => {
    const { raw, told } = await answering(cleanUp, (response) => response.send(200, [], 'ok', false));
    const client = raw();
    client.send(postRequest(1), frame(frameTypes.data, endStream, 1, Buffer.from('ab')));
    await eventually(() => told.length === 1);
    expect(told).toEqual([true]);
    await client.seen();
    expect(client.of(frameTypes.rstStream, 1)).toBeUndefined();
  });

  it('with close ends the connection after its streams in flight', async ({ cleanUp }) => {
    const { session, handler } = await answering(cleanUp, (response) => handler.responses.push(response));
    const answers = [http2Call(session), http2Call(session)];
    await eventually(() => handler.responses.length === 2);
    let isGoing = false;
    session.on('goaway', () => {
      isGoing = true;
    });
    handler.responses[0]?.send(200, [], 'last', true);
    await eventually(() => isGoing);
    expect(session.destroyed).toBe(false);
    handler.responses[1]?.send(200, [], 'other', true);
    expect((await Promise.all(answers)).map(({ body }) => body.toString())).toEqual(['last', 'other']);
    await eventually(() => session.destroyed && handler.open === 0);
  });
});
