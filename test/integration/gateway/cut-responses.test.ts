import { connect, type IncomingHttpHeaders } from 'node:http2';
import { afterEach, describe, expect, it } from 'vitest';
import {
  type InProcessGateway,
  startInProcess,
  testConfiguration,
  testUpstream,
} from '../../support/gateway/in-process-gateway.js';
import { rawExchange } from '../../support/gateway/raw-exchange.js';
import {
  frame,
  frameTypes,
  headers,
  number32,
  startRawHttp2Upstream,
} from '../../support/gateway/raw-http2-upstream.js';
import { startRawUpstream } from '../../support/gateway/raw-upstream.js';
import { CleanUp } from '../../support/shared/clean-up.js';
import { eventually } from '../../support/shared/eventually.js';

const cleanUp = new CleanUp();
afterEach(() => cleanUp.run());

/** What a client saw of a response. `status` is null where no head came. */
interface SeenResponse {
  readonly status: number | null;
  readonly body: string;
  readonly isWhole: boolean;
}

type Client = (gateway: InProcessGateway) => Promise<SeenResponse>;

const overHttp1: Client = async ({ address }) => {
  const { raw, status } = await rawExchange(address, 'GET / HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n');
  if (raw === '') return { status: null, body: '', isWhole: false };
  const content = raw.slice(raw.indexOf('\r\n\r\n') + 4);
  const length = /^content-length: (\d+)\r$/im.exec(raw)?.[1];
  const isWhole = length === undefined ? content.endsWith('0\r\n\r\n') : content.length === Number(length);
  return { status, body: content, isWhole };
};

const overHttp2: Client = ({ url }) =>
  new Promise((resolve) => {
    const session = connect(url);
    const stream = session.request({ ':path': '/' });
    let status: number | null = null;
    let body = '';
    stream.setEncoding('latin1');
    stream.on('response', (head: IncomingHttpHeaders) => {
      status = Number(head[':status']);
    });
    stream.on('data', (text: string) => {
      body += text;
    });
    stream.on('error', () => undefined);
    stream.on('close', () => {
      session.close();
      resolve({ status, body, isWhole: stream.rstCode === 0 });
    });
  });

/** Starts an upstream that breaks its response off, and says over which protocol it speaks. */
type Upstream = () => Promise<{ readonly port: number; readonly httpVersion: '1.1' | '2' }>;

const http2Upstream =
  (respond: (stream: number) => readonly Buffer[]): Upstream =>
  async () => {
    const { port } = await startRawHttp2Upstream(cleanUp, ({ type, stream }, peer) => {
      if (type === frameTypes.headers) peer.write(...respond(stream));
    });
    return { port, httpVersion: '2' };
  };

const http1Upstream =
  (response: string): Upstream =>
  async () => {
    const upstream = await startRawUpstream((socket) => {
      socket.write(response, 'latin1');
      socket.resetAndDestroy();
    });
    cleanUp.add(() => upstream.close());
    return { port: upstream.port, httpVersion: '1.1' };
  };

const head = (stream: number, ...fields: (readonly [string, string])[]): Buffer =>
  headers(stream, [[':status', '200'], ['content-type', 'text/plain'], ...fields]);
const data = (stream: number, text: string): Buffer => frame(frameTypes.data, 0, stream, Buffer.from(text));
const reset = (stream: number, code: number): Buffer => frame(frameTypes.resetStream, 0, stream, number32(code));

const upstreams: readonly (readonly [string, Upstream])[] = [
  ...[
    ['NO_ERROR', 0],
    ['INTERNAL_ERROR', 2],
    ['CANCEL', 8],
  ].map(
    ([name, code]) =>
      [
        `HTTP/2: HEADERS, DATA and RST_STREAM (${name}) in one segment`,
        http2Upstream((stream) => [head(stream), data(stream, 'some'), reset(stream, Number(code))]),
      ] as const,
  ),
  ['HTTP/2: HEADERS and RST_STREAM in one segment', http2Upstream((stream) => [head(stream), reset(stream, 2)])],
  [
    'HTTP/2: HEADERS with Content-Length, DATA and RST_STREAM in one segment',
    http2Upstream((stream) => [head(stream, ['content-length', '9']), data(stream, 'some'), reset(stream, 2)]),
  ],
  [
    'HTTP/2: HEADERS, DATA and a DATA frame on a stream that does not exist in one segment',
    http2Upstream((stream) => [head(stream), data(stream, 'some'), data(stream + 100, 'x')]),
  ],
  [
    'HTTP/2: HEADERS, DATA and GOAWAY with an error in one segment',
    http2Upstream((stream) => [head(stream), data(stream, 'some'), frame(frameTypes.goaway, 0, 0, number32(0, 2))]),
  ],
  ['HTTP/1: a head and a reset', http1Upstream('HTTP/1.1 200 OK\r\nContent-Length: 9\r\n\r\n')],
  ['HTTP/1: a head, a part of its body and a reset', http1Upstream('HTTP/1.1 200 OK\r\nContent-Length: 9\r\n\r\nsome')],
  [
    'HTTP/1: a head, a chunk and a reset',
    http1Upstream('HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n4\r\nsome\r\n'),
  ],
  [
    'HTTP/1: a head, a chunk and a malformed chunk',
    http1Upstream('HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n4\r\nsome\r\nzz\r\n'),
  ],
  ['HTTP/1: a head, a body up to the end of the connection and a reset', http1Upstream('HTTP/1.1 200 OK\r\n\r\nsome')],
];

const clients: readonly (readonly [string, Client])[] = [
  ['HTTP/1', overHttp1],
  ['HTTP/2', overHttp2],
];

describe.each(clients)('a client of %s', (_name, call) => {
  it.each(upstreams)('gets a head with a logged status when the upstream sends %s', async (_case, startUpstream) => {
    const { port, httpVersion } = await startUpstream();
    const plain = testConfiguration([testUpstream(port, { httpVersion })]);
    const gateway = await startInProcess({
      ...plain,
      listeners: plain.listeners.map((listener) => ({ ...listener, http2: true })),
    });
    cleanUp.add(() => gateway.stop());
    const seen = await call(gateway);
    await eventually(() => gateway.accessRecords.length > 0);
    const [record] = gateway.accessRecords;
    expect([200, 502]).toContain(seen.status);
    expect(record?.status).toBe(seen.status);
    expect(seen.isWhole).toBe(seen.status === 502);
    expect(record?.errorType).toMatch(/^upstream_/);
  });
});
