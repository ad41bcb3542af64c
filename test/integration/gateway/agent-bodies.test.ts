import { brotliCompressSync, deflateSync, gzipSync } from 'node:zlib';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { type AgentAnswer, type AgentEvent, allowAnswer } from '../../../src/domain/agent-protocol/messages.js';
import type {
  AgentConfiguration,
  LimitsConfiguration,
} from '../../../src/domain/gateway/configuration/gateway-configuration.js';
import { fakeCapabilities } from '../../support/agent/fake-agent-service.js';
import { type HttpUpstream, startHttpUpstream } from '../../support/gateway/http-upstream.js';
import { rawExchange } from '../../support/gateway/raw-exchange.js';
import { type AgentGateway, type ShapedAgentService, startAgentGateway } from '../../support/shared/agent-gateway.js';

/** A request as the upstream got it. */
interface Reached {
  readonly url: string;
  readonly headers: Readonly<Record<string, string | string[] | undefined>>;
  readonly body: Buffer;
}

let upstream: HttpUpstream;
let reached: Reached[];
let started: AgentGateway | null = null;

beforeEach(async () => {
  reached = [];
  upstream = await startHttpUpstream((request, response) => {
    const pieces: Buffer[] = [];
    request.on('error', () => response.destroy());
    request.on('data', (piece: Buffer) => pieces.push(piece));
    request.on('end', () => {
      reached.push({ url: request.url ?? '', headers: request.headers, body: Buffer.concat(pieces) });
      response.end(`answer to ${request.url}`);
    });
  });
});

afterEach(async () => {
  await started?.gateway.stop();
  await upstream.close();
  started = null;
});

const wantsMore: AgentAnswer = { ...allowAnswer, needsMore: true };
const readsAll = (event: AgentEvent): AgentAnswer =>
  event.kind === 'request_body_chunk' && event.isLast ? allowAnswer : wantsMore;

/** Makes of each chunk what `change` says, to the last one. */
const changing =
  (change: (data: Uint8Array, event: { readonly chunkIndex: number; readonly isLast: boolean }) => string | null) =>
  (event: AgentEvent): AgentAnswer => {
    if (event.kind !== 'request_body_chunk') return wantsMore;
    const text = change(event.data, event);
    const data = text === null ? null : Buffer.from(text, 'latin1');
    return { ...readsAll(event), requestBodyMutation: { chunkIndex: event.chunkIndex, data } };
  };

const start = async (
  limits: Partial<LimitsConfiguration> = {},
  agents: Readonly<Record<string, Partial<AgentConfiguration>>> = { auth: {} },
): Promise<ShapedAgentService> => {
  started = await startAgentGateway(upstream.port, agents, limits);
  const service = started.service();
  service.answer = readsAll;
  return service;
};

const gatewayUrl = (): string => started?.gateway.url ?? '';

/** Sends a body with its length, or in chunks. */
const post = async (
  body: Uint8Array | string,
  headers: Record<string, string> = {},
  isChunked = false,
): Promise<{
  readonly status: number;
  readonly problem: Record<string, unknown> | null;
  readonly headers: Headers;
}> => {
  const stream = new ReadableStream({
    start: (controller) => {
      controller.enqueue(typeof body === 'string' ? new TextEncoder().encode(body) : body);
      controller.close();
    },
  });
  const response = await fetch(gatewayUrl(), {
    method: 'POST',
    headers,
    ...(isChunked ? { body: stream, duplex: 'half' } : { body }),
  } as RequestInit);
  const text = await response.text();
  return {
    status: response.status,
    problem: response.ok ? null : (JSON.parse(text) as Record<string, unknown>),
    headers: response.headers,
  };
};

const shown = (service: ShapedAgentService): Buffer =>
  Buffer.concat(service.events.map((event) => (event.kind === 'request_body_chunk' ? event.data : new Uint8Array(0))));

const noise = (octets: number): Buffer => {
  const made = Buffer.alloc(octets);
  let state = 1;
  for (let index = 0; index < octets; index += 1) {
    state = (state * 48_271) % 2_147_483_647;
    made[index] = state & 0xff;
  }
  return made;
};

describe('the limits of body inspection', () => {
  it.each([
    ['max-body-inspection-bytes', { maxBodyInspectionBytes: 1_000, maxAgentBodyBytes: 2_000 }],
    ['max-agent-body-bytes', { maxBodyInspectionBytes: 2_000, maxAgentBodyBytes: 1_000 }],
  ])('apply to %s, with and without a declared length', async (name, limits) => {
    await start(limits);
    for (const isChunked of [false, true]) {
      expect((await post(noise(999), {}, isChunked)).status).toBe(200);
      expect((await post(noise(1_000), {}, isChunked)).status).toBe(200);
      const over = await post(noise(1_001), {}, isChunked);
      expect(over).toMatchObject({ status: 413, problem: { code: 'body_too_large', detail: `${name} is 1000.` } });
    }
    expect(reached).toHaveLength(4);
  });

  it('apply to limits of the agent', async () => {
    const service = await start();
    service.said = { limits: { ...fakeCapabilities.limits, maxBodySize: 500 } };
    expect((await post(noise(500))).status).toBe(200);
    expect((await post(noise(501))).problem).toMatchObject({ detail: 'max_body_size of the agent "auth" is 500.' });
    expect(service.cancels).toMatchObject([{ reason: 'manual' }]);
    expect(reached).toHaveLength(1);
  });

  it('do not apply to an agent that decides earlier or reads nothing', async () => {
    const service = await start({ maxBodyInspectionBytes: 200_000 });
    service.answer = (event) => (event.kind === 'request_headers' ? wantsMore : allowAnswer);
    expect((await post(noise(300_000), {}, true)).status).toBe(200);
    service.answer = () => allowAnswer;
    expect((await post(noise(300_000))).status).toBe(200);
    expect(reached.map(({ body }) => body.equals(noise(300_000)))).toEqual([true, true]);
  });

  it('pass a body of single octets completely in few calls', async () => {
    const service = await start();
    const text = 'one octet at a time '.repeat(100);
    const chunks = [...text].map((octet) => `1\r\n${octet}\r\n`).join('');
    const head = 'POST / HTTP/1.1\r\nHost: a\r\nConnection: close\r\nTransfer-Encoding: chunked\r\n\r\n';
    const address = started?.gateway.address ?? { host: '', port: 0 };
    expect((await rawExchange(address, `${head}${chunks}0\r\n\r\n`)).status).toBe(200);
    expect(shown(service).toString()).toBe(text);
    expect(reached[0]?.body.toString()).toBe(text);
    expect(service.events.length).toBeLessThan(300);
  });
});

describe('an encoded body', () => {
  const text = 'What is said in plain text. '.repeat(100);

  it.each([
    ['gzip', gzipSync(text)],
    ['X-GZIP', gzipSync(text)],
    ['deflate', deflateSync(text)],
    ['br', brotliCompressSync(text)],
    ['identity', Buffer.from(text)],
    ['gzip, br', brotliCompressSync(gzipSync(text))],
  ])('is decoded for the agent and forwarded unchanged: %s', async (coding, body) => {
    const service = await start();
    for (const isChunked of [false, true]) {
      service.events.length = 0;
      expect((await post(body, { 'Content-Encoding': coding }, isChunked)).status).toBe(200);
      expect(shown(service).toString()).toBe(text);
      expect(reached.at(-1)?.body).toEqual(body);
      expect(reached.at(-1)?.headers['content-encoding']).toBe(coding);
    }
  });

  it('is forwarded decoded with its new length if the agent changes it', async () => {
    const service = await start();
    service.answer = changing((data) => Buffer.from(data).toString().replaceAll('plain', 'other'));
    expect((await post(gzipSync(text), { 'Content-Encoding': 'gzip' })).status).toBe(200);
    const changed = text.replaceAll('plain', 'other');
    expect(reached[0]?.body.toString()).toBe(changed);
    expect(reached[0]?.headers).toMatchObject({ 'content-length': `${changed.length}` });
    expect(reached[0]?.headers).not.toHaveProperty('content-encoding');
  });

  it('in an unsupported coding gets 415 with the supported ones', async () => {
    const service = await start();
    const { status, problem, headers } = await post('???', { 'Content-Encoding': 'gzip, compress' });
    expect([status, problem?.['code']]).toEqual([415, 'unsupported_content_encoding']);
    expect(headers.get('accept-encoding')).toBe('gzip, deflate, br, identity');
    expect(service.cancels).toMatchObject([{ reason: 'manual' }]);
    service.answer = () => allowAnswer;
    expect((await post('???', { 'Content-Encoding': 'compress' })).status).toBe(200);
  });

  it.each([
    ['no such thing', Buffer.from('plain text')],
    ['cut short', gzipSync(text).subarray(0, -4)],
    ['followed by more', Buffer.concat([gzipSync(text), Buffer.from('<script>')])],
  ])('that is %s gets 400 and does not reach the upstream', async (_, body) => {
    const service = await start();
    const { status, problem } = await post(body, { 'Content-Encoding': 'gzip' });
    expect([status, problem?.['code']]).toEqual([400, 'malformed_request']);
    expect(service.cancels).toMatchObject([{ reason: 'manual' }]);
    expect(reached).toHaveLength(0);
  });
});

describe('a zip bomb', () => {
  const size = { maxBodyInspectionBytes: 10_000_000, maxAgentBodyBytes: 10_000_000 };

  it.each([
    ['gzip', gzipSync(noise(20_000))],
    ['br', brotliCompressSync(noise(20_000))],
  ])('exceeds max-decompressed-size-bytes: %s', async (coding, body) => {
    const headers = { 'Content-Encoding': coding };
    for (const [maxDecompressedSizeBytes, status] of [
      [20_001, 200],
      [20_000, 200],
      [19_999, 413],
    ] as const) {
      await start({ ...size, maxDecompressedSizeBytes });
      for (const isChunked of [false, true]) {
        const answer = await post(body, headers, isChunked);
        expect(answer.status).toBe(status);
        if (status === 413) expect(answer.problem?.['detail']).toBe('max-decompressed-size-bytes is 19999.');
      }
      await started?.gateway.stop();
    }
  });

  it('exceeds max-decompression-ratio', async () => {
    const plain = Buffer.alloc(500_000);
    const body = gzipSync(plain);
    const ratio = plain.length / body.length;
    for (const [maxDecompressionRatio, status] of [
      [ratio + 0.01, 200],
      [ratio, 200],
      [ratio - 0.01, 413],
    ] as const) {
      await start({ ...size, maxDecompressionRatio });
      expect((await post(body, { 'Content-Encoding': 'gzip' })).status).toBe(status);
      await started?.gateway.stop();
    }
  });

  it('is refused before most of it is decompressed, nested or not', async () => {
    const service = await start(size);
    const bomb = gzipSync(Buffer.alloc(50_000_000));
    for (const [coding, body] of [
      ['gzip', bomb],
      ['gzip, gzip', gzipSync(bomb)],
      ['gzip, br', brotliCompressSync(bomb)],
    ] as const) {
      service.events.length = 0;
      expect((await post(body, { 'Content-Encoding': coding })).status).toBe(413);
      expect(shown(service).length).toBeLessThanOrEqual(10_000_000);
    }
    expect(reached).toHaveLength(0);
  });

  it('does not reach the upstream after a changed beginning', async () => {
    const limits = { ...size, maxDecompressedSizeBytes: 1_000_000, maxDecompressionRatio: 10_000 };
    const service = await start(limits, { auth: {}, other: {} });
    service.answer = (event) =>
      event.kind === 'request_body_chunk'
        ? { ...allowAnswer, requestBodyMutation: { chunkIndex: 0, data: Buffer.from('<') } }
        : wantsMore;
    const other = started?.service('other') as ShapedAgentService;
    for (const answer of [() => allowAnswer, readsAll]) {
      other.answer = answer;
      const { status, problem } = await post(gzipSync(Buffer.alloc(5_000_000)), { 'Content-Encoding': 'gzip' });
      expect([status, problem?.['detail']]).toEqual([413, 'max-decompressed-size-bytes is 1000000.']);
    }
    expect(reached).toHaveLength(0);
  });
});

describe('a body that an agent changes', () => {
  const first = (method: string, framing: string): string =>
    `${method} /first HTTP/1.1\r\nHost: a\r\n${
      framing === 'length'
        ? 'Content-Length: 11\r\n\r\nhello world'
        : 'Transfer-Encoding: chunked\r\n\r\n5\r\nhello\r\n6\r\n world\r\n0\r\n\r\n'
    }`;
  const second = 'POST /second HTTP/1.1\r\nHost: a\r\nContent-Length: 3\r\nConnection: close\r\n\r\nend';
  /** What a careless framing would let the upstream take for a request of its own. */
  const smuggled = 'GET /smuggled HTTP/1.1\r\nHost: a\r\n\r\n';

  const cases: [string, (data: string, event: { readonly isLast: boolean }) => string | null][] = [
    ['grows', (data) => (data === '' ? null : `${data}${smuggled}`)],
    ['shrinks', (data) => data.slice(0, 1)],
    ['is dropped', () => ''],
    ['becomes a request', (_, { isLast }) => (isLast ? smuggled : '')],
    ['is passed on', () => null],
  ];

  it.each(
    cases.flatMap(([what, change]) =>
      ['POST length', 'POST chunks', 'GET length', 'GET chunks'].map((sent) => [what, sent, change] as const),
    ),
  )('and that %s is reframed (%s), so that the next request is intact on both sides', async (_, sent, change) => {
    const [method, framing] = sent.split(' ') as [string, string];
    const service = await start();
    const made: string[] = [];
    service.answer = (event) => {
      if (event.kind === 'request_headers' && event.uri === '/second') return allowAnswer;
      return changing((data, chunk) => {
        const text = Buffer.from(data).toString('latin1');
        const result = change(text, chunk);
        made.push(result ?? text);
        return result;
      })(event);
    };
    const address = started?.gateway.address ?? { host: '', port: 0 };
    const { raw } = await rawExchange(address, first(method, framing) + second);
    expect(raw.match(/HTTP\/1\.1 200/g)).toHaveLength(2);
    expect(raw).toContain('answer to /first');
    expect(raw).toContain('answer to /second');
    expect(reached.map(({ url, body }) => [url, body.toString('latin1')])).toEqual([
      ['/first', made.join('')],
      ['/second', 'end'],
    ]);
    const { headers } = reached[0] as Reached;
    const text = made.join('');
    const isAsItCame = text === 'hello world';
    const framings = [headers['content-length'], headers['transfer-encoding']].filter((value) => value !== undefined);
    // What has no body needs no length, unless its method promises one (RFC 9110, section 8.6).
    if (text === '' && method === 'GET') expect(framings).toEqual([]);
    else expect(framings).toEqual([framing === 'chunks' && isAsItCame ? 'chunked' : `${text.length}`]);
  });

  it('at its beginning is followed by the unchanged rest, with the total length', async () => {
    const service = await start();
    service.answer = (event) =>
      event.kind === 'request_body_chunk'
        ? { ...allowAnswer, requestBodyMutation: { chunkIndex: 0, data: Buffer.from('changed:') } }
        : wantsMore;
    const body = noise(500_000);
    expect((await post(body)).status).toBe(200);
    const seen = shown(service).length;
    expect(seen).toBeLessThan(body.length);
    expect(reached[0]?.headers['content-length']).toBe(`${body.length - seen + 8}`);
    expect(reached[0]?.body.equals(Buffer.concat([Buffer.from('changed:'), body.subarray(seen)]))).toBe(true);
    expect((await post(body, {}, true)).status).toBe(200);
    expect(reached[1]?.headers).toMatchObject({ 'transfer-encoding': 'chunked' });
    expect(reached[1]?.headers).not.toHaveProperty('content-length');
  });

  it('is passed to the next agent', async () => {
    await start({}, { first: {}, second: {} });
    const first = started?.service('first') as ShapedAgentService;
    const second = started?.service('second') as ShapedAgentService;
    first.answer = changing((data) => Buffer.from(data).toString().toUpperCase());
    second.answer = changing((data) => `${Buffer.from(data).toString()}!`);
    expect((await post(gzipSync('hello'), { 'Content-Encoding': 'gzip' })).status).toBe(200);
    expect(shown(second).toString()).toBe('HELLO');
    expect(second.events[0]).toMatchObject({
      headers: expect.arrayContaining(['Content-Length', '5'].map((part) => part.toLowerCase())),
    });
    expect(reached[0]?.body.toString()).toMatch(/^HELLO!/);
  });

  it('may have a coding set by the agent', async () => {
    const service = await start();
    service.answer = (event) => ({
      ...changing(() => 'as the agent codes it')(event),
      requestHeaders:
        event.kind === 'request_body_chunk' && event.isLast
          ? [{ kind: 'set', name: 'Content-Encoding', value: 'x-its-own' }]
          : [],
    });
    expect((await post(gzipSync('hello'), { 'Content-Encoding': 'gzip' })).status).toBe(200);
    expect(reached[0]?.headers['content-encoding']).toBe('x-its-own');
  });
});

describe('an agent that accepts only one body chunk', () => {
  it('gets the body in one chunk', async () => {
    const service = await start();
    service.said = { features: { ...fakeCapabilities.features, streamingBody: false } };
    const body = noise(300_000);
    expect((await post(body, {}, true)).status).toBe(200);
    expect(service.events.slice(1)).toMatchObject([{ chunkIndex: 0, isLast: true, totalSize: 300_000 }]);
    expect(reached[0]?.body.equals(body)).toBe(true);
  });
});
