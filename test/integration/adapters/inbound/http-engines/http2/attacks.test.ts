import { describe, expect } from 'vitest';
import {
  endHeaders,
  endStream,
  fieldBlock,
  frame,
  frameTypes,
  getFields,
  getRequest,
  postRequest,
  type RawField,
  uint32,
} from '../../../../../support/gateway/http2-frames.js';
import { RawHttp2Client } from '../../../../../support/gateway/raw-http2-client.js';
import { recordedListener } from '../../../../../support/gateway/tls-listener.js';
import type { CleanUp } from '../../../../../support/shared/clean-up.js';
import { eventually } from '../../../../../support/shared/eventually.js';
import { it } from '../../../../../support/shared/fixtures.js';

const attacked = async (
  cleanUp: CleanUp,
  changes: Parameters<typeof recordedListener>[2] = {},
  acknowledges = true,
) => {
  const { listener, handler } = await recordedListener(cleanUp, null, { http2: true, ...changes });
  const client = new RawHttp2Client(listener.address(), acknowledges);
  cleanUp.add(() => client.socket.destroy());
  return { client, handler };
};

const changed = (name: string, value: string | null): Buffer => {
  const fields = getFields.flatMap(([own, before]): RawField[] =>
    own !== name ? [[own, before]] : value === null ? [] : [[own, value]],
  );
  return frame(frameTypes.headers, endHeaders + endStream, 1, fieldBlock(fields));
};

const protocolError = 1;
const calm = 11;
const refused = 7;

describe('a malformed HTTP/2 request', () => {
  it.for([
    ['a name in capitals', getRequest(1, [['X-A', '1']])],
    ['Connection', getRequest(1, [['connection', 'close']])],
    ['Transfer-Encoding', getRequest(1, [['transfer-encoding', 'chunked']])],
    ['Upgrade', getRequest(1, [['upgrade', 'websocket']])],
    ['Keep-Alive', getRequest(1, [['keep-alive', '1']])],
    ['Proxy-Connection', getRequest(1, [['proxy-connection', 'close']])],
    ['a TE of codings', getRequest(1, [['te', 'gzip']])],
    [
      'a pseudo-header field behind others',
      getRequest(1, [
        ['x', '1'],
        [':path', '/b'],
      ]),
    ],
    ['a pseudo-header field twice', getRequest(1, [[':path', '/b']])],
    ['an unknown pseudo-header field', getRequest(1, [[':foo', '1']])],
    [
      'two Host fields',
      getRequest(1, [
        ['host', 'a.example'],
        ['host', 'a.example'],
      ]),
    ],
    ['a length that is none', getRequest(1, [['content-length', '+0']])],
    [
      'two lengths',
      getRequest(1, [
        ['content-length', '0'],
        ['content-length', '0'],
      ]),
    ],
    ['a length without a body', getRequest(1, [['content-length', '5']])],
    ['a path with a line end', changed(':path', '/\r\nx: y')],
    ['a path with a blank', changed(':path', '/ HTTP/1.1')],
    ['an absolute path', changed(':path', 'http://b.example/')],
    ['no path', changed(':path', null)],
    ['an empty path', changed(':path', '')],
    ['no authority and no Host', changed(':authority', null)],
    ['an authority with a line end', changed(':authority', 'a\r\nx: y')],
    ['a method with a blank', changed(':method', 'GET /x')],
    ['no method', changed(':method', null)],
    ['no scheme', changed(':scheme', null)],
    ['an extended CONNECT', getRequest(1, [[':protocol', 'websocket']])],
  ] as const)('is %s', async ([_, octets], { cleanUp }) => {
    const { client, handler } = await attacked(cleanUp);
    client.send(octets);
    expect(await client.resetCode(1)).toBe(protocolError);
    client.send(getRequest(3));
    await client.frame(frameTypes.headers, 3);
    expect(handler.requests).toHaveLength(1);
    expect(handler.requests[0]?.headers).toEqual(['host', 'a.example']);
  });

  it('has a target with octets outside visible ASCII, and gets a response', async ({ cleanUp }) => {
    const { client, handler } = await attacked(cleanUp);
    client.send(changed(':path', '/\x80'));
    await client.frame(frameTypes.headers, 1);
    expect(handler.rejections).toMatchObject([{ reason: 'malformed', connection: { peerAddress: '127.0.0.1' } }]);
    expect(handler.requests).toEqual([]);
  });

  it.for([
    ['a line end', 'x-a', 'b\r\nx-b: c'],
    ['a bare line feed', 'x-a', 'b\nx-b: c'],
    ['a NUL', 'x-a', 'b\0c'],
    ['a blank before it', 'x-a', ' b'],
    ['a blank behind it', 'x-a', 'b '],
    ['a delete', 'x-a', '\x7f'],
    ['a name with a blank', 'x a', 'b'],
    ['a name with a line end', 'x\r\ny', 'b'],
    ['a name with a colon', 'x:a', 'b'],
    ['no name', '', 'b'],
  ] as const)('has a field with %s', async ([_, name, value], { cleanUp }) => {
    const { client, handler } = await attacked(cleanUp);
    client.send(getRequest(1, [[name, value]]));
    await client.frame(frameTypes.headers, 1);
    expect(handler.requests[0]?.headers).toEqual(['host', 'a.example']);
  });

  it.for([
    [
      'short of its length',
      [postRequest(1, [['content-length', '5']]), frame(frameTypes.data, endStream, 1, Buffer.from('a'))],
    ],
    [
      'beyond its length',
      [postRequest(1, [['content-length', '1']]), frame(frameTypes.data, endStream, 1, Buffer.from('abc'))],
    ],
    [
      'with pseudo-header fields for trailers',
      [postRequest(1), frame(frameTypes.headers, endHeaders + endStream, 1, fieldBlock([[':path', '/b']]))],
    ],
    [
      'with Transfer-Encoding for a trailer',
      [
        postRequest(1),
        frame(frameTypes.headers, endHeaders + endStream, 1, fieldBlock([['transfer-encoding', 'chunked']])),
      ],
    ],
  ] as const)('has a body %s: the stream ends, and the reader gets an error', async ([_, frames], { cleanUp }) => {
    const { client, handler } = await attacked(cleanUp);
    handler.held = true;
    client.send(...frames);
    expect(await client.resetCode(1)).toBe(protocolError);
    await client.seen();
    for (const { body } of handler.requests) {
      await expect(
        (async () => {
          while ((await body?.read()) !== null);
        })(),
      ).rejects.toMatchObject({ code: 'aborted' });
    }
  });
});

describe('a head that is too large', () => {
  const block = fieldBlock([
    ...getFields,
    ...Array.from({ length: 11 }, (_, index): RawField => [`x-${index}`, 'a'.repeat(10_000)]),
  ]);
  const heads = [
    frame(frameTypes.headers, endStream, 1, block.subarray(0, 16_000)),
    ...Array.from({ length: 6 }, (_, index) => {
      const start = 16_000 * (index + 1);
      return frame(frameTypes.continuation, index === 5 ? endHeaders : 0, 1, block.subarray(start, start + 16_000));
    }),
  ];

  it('gets a response, and its stream is reset if the client knew the limit', async ({ cleanUp }) => {
    const { client, handler } = await attacked(cleanUp);
    await client.frame(frameTypes.settings, 0);
    await client.seen();
    client.send(...heads);
    expect(await client.resetCode(1)).toBe(calm);
    expect(handler.requests).toEqual([]);
  });

  it('is refused like one of HTTP/1.1 if the limit was not acknowledged', async ({ cleanUp }) => {
    const { client, handler } = await attacked(cleanUp, {}, false);
    client.send(...heads);
    await client.frame(frameTypes.headers, 1);
    expect(handler.rejections).toMatchObject([{ reason: 'header_too_large' }]);
    expect(handler.requests).toEqual([]);
  });

  it('of too many CONTINUATION frames ends the connection', async ({ cleanUp }) => {
    const { client, handler } = await attacked(cleanUp);
    client.send(frame(frameTypes.headers, endStream, 1, fieldBlock(getFields)));
    for (let index = 0; index < 200; index += 1)
      client.send(frame(frameTypes.continuation, 0, 1, fieldBlock([['x', 'y']])));
    await client.closed();
    expect(handler.requests).toEqual([]);
  });
});

/** Sends it again and again, until the connection has ended or so much has gone. */
const flood = async (client: RawHttp2Client, octets: Uint8Array, times: number): Promise<void> => {
  const { socket } = client;
  let goOn: () => void = () => undefined;
  const wake = (): void => goOn();
  socket.on('drain', wake).on('close', wake);
  for (let sent = 0; sent < times && !client.isClosed; sent += 1) {
    if (!socket.write(octets)) {
      await new Promise<void>((resolve) => {
        goOn = resolve;
        if (client.isClosed) resolve();
      });
    }
  }
  socket.off('drain', wake).off('close', wake);
};

const many = (octets: Buffer, times: number): Buffer => Buffer.concat(Array.from({ length: times }, () => octets));

describe('a flood', () => {
  it.for([
    ['of PING', many(frame(frameTypes.ping, 0, 0, Buffer.alloc(8)), 4_000)],
    ['of SETTINGS', many(frame(frameTypes.settings, 0, 0), 4_000)],
    ['of PRIORITY', many(frame(frameTypes.priority, 0, 3, Buffer.from([0, 0, 0, 0, 9])), 4_000)],
    ['of WINDOW_UPDATE', many(frame(frameTypes.windowUpdate, 0, 0, uint32(1)), 4_000)],
  ] as const)('%s ends the connection', async ([_, octets], { cleanUp }) => {
    const { client } = await attacked(cleanUp);
    await flood(client, octets, 1_000_000);
    await expect.poll(() => client.isClosed).toBe(true);
  });

  it('that has ended by then gets the reason in GOAWAY', async ({ cleanUp }) => {
    const { client } = await attacked(cleanUp);
    const octets = many(frame(frameTypes.priority, 0, 3, Buffer.from([0, 0, 0, 0, 9])), 4_000);
    await flood(client, octets, Math.ceil(9_000_000 / octets.length));
    expect(await client.goawayCode()).toBe(calm);
  });

  it('of empty DATA ends the connection', async ({ cleanUp }) => {
    const { client, handler } = await attacked(cleanUp);
    handler.held = true;
    client.send(postRequest(1), many(frame(frameTypes.data, 0, 1), 2_000));
    await expect.poll(() => client.isClosed).toBe(true);
  });

  it('of streams with an immediate reset ends the connection (CVE-2023-44487)', async ({ cleanUp }) => {
    const { client, handler } = await attacked(cleanUp);
    handler.held = true;
    for (let stream = 1; stream < 8_000; stream += 2)
      client.send(getRequest(stream), frame(frameTypes.rstStream, 0, stream, uint32(8)));
    await client.closed();
    expect(handler.requests.length).toBeLessThan(2_000);
    await eventually(() => handler.open === 0);
  });

  it('of streams that force the gateway to reset them ends the connection', async ({ cleanUp }) => {
    const { client, handler } = await attacked(cleanUp);
    handler.held = true;
    for (let stream = 1; stream < 4_000 && !client.isClosed; stream += 2) {
      const beyond = frame(frameTypes.data, 0, stream, Buffer.from('abc'));
      client.send(postRequest(stream, [['content-length', '1']]), beyond);
      if (stream % 100 === 1) await client.seen();
    }
    await client.closed();
    expect(handler.requests.length).toBeLessThan(500);
  });

  it('of concurrent streams is refused beyond 128', async ({ cleanUp }) => {
    const { client, handler } = await attacked(cleanUp);
    handler.held = true;
    for (let stream = 1; stream <= 129 * 2; stream += 2) client.send(getRequest(stream));
    expect(await client.resetCode(257)).toBe(7);
    await eventually(() => handler.requests.length === 128);
  });

  it('of streams before the settings is refused beyond 128 without an error (RFC 9113, 5.1.2)', async ({ cleanUp }) => {
    const { client, handler } = await attacked(cleanUp);
    handler.held = true;
    const flight = Array.from({ length: 300 }, (_, index) => getRequest(2 * index + 1));
    client.send(...flight);
    await eventually(() => client.frames.filter(({ type }) => type === frameTypes.rstStream).length === 172);
    await eventually(() => handler.requests.length === 128);
    for (const response of handler.responses) response.send(204, [], null, false);
    await eventually(() => client.frames.filter(({ type }) => type === frameTypes.headers).length === 128);
    for (const { type, payload } of client.frames)
      if (type === frameTypes.rstStream) expect(payload.readUInt32BE(0)).toBe(refused);
    client.send(getRequest(601));
    await eventually(() => handler.requests.length === 129);
    expect(client.of(frameTypes.goaway, 0)).toBeUndefined();
  });
});

describe('octets that are not HTTP/2 end the connection at once', () => {
  const compressionError = 9;
  const internalError = 2;
  const frameSizeError = 6;

  it.for([
    ['DATA where there is no stream', protocolError, frame(frameTypes.data, endStream, 1, Buffer.from('ab'))],
    ['DATA of no stream', protocolError, frame(frameTypes.data, endStream, 0, Buffer.from('ab'))],
    ['a frame that is too long', frameSizeError, frame(frameTypes.data, 0, 1, Buffer.alloc(20_000))],
    ['an index of no field', compressionError, frame(frameTypes.headers, endHeaders, 1, Buffer.of(0xff, 0xff, 0x7f))],
    ['SETTINGS of a stream', internalError, frame(frameTypes.settings, 0, 1)],
    ['a PING of seven octets', frameSizeError, frame(frameTypes.ping, 0, 0, Buffer.alloc(7))],
    ['a stream of the other side', internalError, getRequest(2)],
    ['more of a window than there can be', internalError, frame(frameTypes.windowUpdate, 0, 0, uint32(0x7fffffff))],
  ] as const)('%s', async ([_, code, octets], { cleanUp }) => {
    const { client, handler } = await attacked(cleanUp);
    // Its own side has no end.
    client.socket.allowHalfOpen = true;
    client.send(octets);
    expect(await client.goawayCode()).toBe(code);
    await eventually(() => handler.open === 0);
    expect(handler.requests).toEqual([]);
  });

  it('and reads continue only for octets in transit', async ({ cleanUp }) => {
    const { client } = await attacked(cleanUp);
    client.socket.on('error', () => undefined);
    client.send(frame(frameTypes.data, 0, 0));
    const much = Buffer.alloc(1_048_576);
    let taken = 0;
    const flood = (): void => {
      client.socket.write(much, (error) => {
        if (error) return;
        taken += much.length;
        flood();
      });
    };
    flood();
    await new Promise((resolve) => client.socket.once('close', resolve));
    // What two systems hold may come to it.
    expect(taken).toBeLessThan(48 * 1_048_576);
  });

  it('and requests in flight end', async ({ cleanUp }) => {
    const { client, handler } = await attacked(cleanUp);
    client.send(postRequest(1));
    handler.held = true;
    await eventually(() => handler.requests.length === 1);
    const isCompleted = new Promise((resolve) => handler.responses[0]?.onClosed(resolve));
    client.send(frame(frameTypes.data, 0, 0));
    await client.closed();
    expect(await isCompleted).toBe(false);
  });
});
