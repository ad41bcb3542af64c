import { brotliDecompressSync, gunzipSync } from 'node:zlib';
import { describe, expect, it } from 'vitest';
import { CompressionPlaces } from '../../../../../src/adapters/outbound/node-zlib-compressor/compression-places.js';
import { NodeZlibCompressor } from '../../../../../src/adapters/outbound/node-zlib-compressor/node-zlib-compressor.js';
import {
  compressAndRelay,
  maxWholeOctets,
  ResponseCompressor,
} from '../../../../../src/application/gateway/proxy-request/compress-response.js';
import { AgentAnswers } from '../../../../../src/application/gateway/proxy-request/exchange.js';
import { type BodyCompressor, CompressionError } from '../../../../../src/application/ports/gateway/body-compressor.js';
import type { BodySource } from '../../../../../src/application/ports/gateway/body-source.js';
import type { UpstreamResponse } from '../../../../../src/application/ports/gateway/upstream-client.js';
import type { HeaderOperation } from '../../../../../src/domain/agent-protocol/messages.js';
import { firstHeader } from '../../../../../src/domain/http/header-list.js';
import { newExchange } from '../../../../support/gateway/exchanges.js';
import { bodyOctets } from '../../../../support/gateway/scripted-body.js';
import { recordedExchange } from '../../../../support/gateway/sending-stage.js';
import { ManualClock } from '../../../../support/shared/manual-clock.js';
import { ManualScheduler } from '../../../../support/shared/manual-scheduler.js';

const text = Buffer.from(JSON.stringify(Array.from({ length: 100 }, (_, id) => ({ id, name: `user ${id}` }))));
const long = Buffer.alloc(maxWholeOctets + 1, text);

/** A body whose pieces are there, but for promises among them. */
const available = (
  pieces: readonly (Uint8Array | Promise<Uint8Array | null>)[],
  declaredLength: number | null,
  trailers: readonly string[] = [],
): BodySource => {
  const left = [...pieces];
  return { declaredLength, read: () => left.shift() ?? null, trailers: () => trailers, cancel: () => undefined };
};

const responseOf = (body: BodySource, changes: Partial<UpstreamResponse> = {}): UpstreamResponse => ({
  status: 200,
  headers: ['Content-Type', 'application/json', 'ETag', '"1"', 'Content-Length', String(body.declaredLength)],
  received: null,
  body,
  isBodyLate: false,
  tunnel: null,
  ...changes,
});

const setUp = (encodings: readonly ('br' | 'gzip')[] = ['gzip']) => {
  const counts: string[] = [];
  const scheduler = new ManualScheduler(new ManualClock());
  const compressor = new ResponseCompressor(
    { types: ['application/json'], minOctets: 100, encodings },
    {
      compressor: new NodeZlibCompressor(),
      scheduler,
      metrics: { compressed: (coding) => counts.push(coding), compressionSkipped: () => counts.push('skipped') },
    },
  );
  const compress = (response: UpstreamResponse, operations: readonly HeaderOperation[] = []) => {
    const exchange = newExchange({ headers: ['Accept-Encoding', 'br, gzip'] });
    exchange.agents = new AgentAnswers([]);
    exchange.agents.responseOperations = operations;
    return compressor.compress(exchange, response);
  };
  return { compress, counts, scheduler };
};

const codingOf = ({ headers }: UpstreamResponse): string | undefined => firstHeader(headers, 'content-encoding');

describe('a short body', () => {
  it('that is there is compressed at once and has a length', async () => {
    const { compress, counts } = setUp();
    const response = compress(responseOf(available([text.subarray(0, 50), text.subarray(50)], text.length)));
    if (response instanceof Promise) throw new Error('it waits');
    const coded = await bodyOctets(response.body);
    expect(gunzipSync(coded).equals(text)).toBe(true);
    expect(firstHeader(response.headers, 'content-length')).toBe(String(coded.length));
    expect(firstHeader(response.headers, 'etag')).toBe('W/"1"');
    expect(counts).toEqual(['gzip']);
  });

  it('is awaited for a moment', async () => {
    const { compress, scheduler } = setUp(['br']);
    const late = new Promise<Uint8Array>((resolve) => setImmediate(resolve, text));
    const response = await compress(responseOf(available([late], text.length)));
    expect(brotliDecompressSync(await bodyOctets(response.body)).equals(text)).toBe(true);
    expect(firstHeader(response.headers, 'content-length')).toBeDefined();
    expect(scheduler.waiting).toBe(0);
  });

  it('that pauses longer is compressed while it is relayed', async () => {
    const { compress, scheduler } = setUp();
    let go: (piece: Uint8Array) => void = () => undefined;
    const rest = new Promise<Uint8Array>((resolve) => {
      go = resolve;
    });
    const waiting = compress(responseOf(available([text.subarray(0, 300), rest], text.length)));
    await scheduler.advance(10);
    const response = await waiting;
    expect(firstHeader(response.headers, 'content-length')).toBeUndefined();
    go(text.subarray(300));
    expect(gunzipSync(await bodyOctets(response.body)).equals(text)).toBe(true);
  });

  it('of unknown length stays as it is below the minimum', async () => {
    const { compress, counts } = setUp();
    const response = await compress(responseOf(available([text.subarray(0, 99)], null)));
    expect(codingOf(response)).toBeUndefined();
    expect(firstHeader(response.headers, 'vary')).toBe('Accept-Encoding');
    expect((await bodyOctets(response.body)).toString()).toBe(text.subarray(0, 99).toString());
    expect(counts).toEqual([]);
  });

  it('with trailers keeps them, without digests, and has no length', async () => {
    const { compress } = setUp();
    const body = available([text], null, ['X-Sum', '1', 'Content-Digest', 'sha-256=:x:']);
    const response = await compress(responseOf(body));
    expect(firstHeader(response.headers, 'content-length')).toBeUndefined();
    expect(gunzipSync(await bodyOctets(response.body)).equals(text)).toBe(true);
    expect(response.body?.trailers()).toEqual(['X-Sum', '1']);
  });
});

describe('a long body', () => {
  it.each([
    ['by its length', long.length],
    ['of unknown length', null],
  ])('%s is compressed while it is relayed', async (_, length) => {
    const { compress } = setUp();
    const response = await compress(responseOf(available([long.subarray(0, 9_000), long.subarray(9_000)], length)));
    expect(firstHeader(response.headers, 'content-length')).toBeUndefined();
    expect(gunzipSync(await bodyOctets(response.body)).equals(long)).toBe(true);
  });

  it('beyond the limit of the process passes unchanged, and is counted', async () => {
    const { compress, counts } = setUp();
    const all: UpstreamResponse[] = [];
    for (let count = 0; count < 65; count += 1) all.push(await compress(responseOf(available([long], long.length))));
    expect(all.map(codingOf).filter((coding) => coding === 'gzip')).toHaveLength(64);
    const last = all.at(-1) as UpstreamResponse;
    expect(firstHeader(last.headers, 'vary')).toBe('Accept-Encoding');
    expect(firstHeader(last.headers, 'etag')).toBe('"1"');
    expect((await bodyOctets(last.body)).equals(long)).toBe(true);
    expect(counts.at(-1)).toBe('skipped');
    for (const { body } of all) body?.cancel();
    expect(codingOf(await compress(responseOf(available([long], long.length))))).toBe('gzip');
  });
});

describe('operations of agents on a response', () => {
  it.each<[string, HeaderOperation]>([
    ['no-transform', { kind: 'set', name: 'Cache-Control', value: 'no-transform' }],
    ['another type', { kind: 'set', name: 'Content-Type', value: 'text/event-stream' }],
    ['a coding', { kind: 'set', name: 'Content-Encoding', value: 'identity' }],
    ['no coding', { kind: 'remove', name: 'Content-Encoding' }],
    ['a tag', { kind: 'set', name: 'ETag', value: '"2"' }],
    ['Vary', { kind: 'set', name: 'Vary', value: 'Cookie' }],
  ])('that set %s turn compression off', async (_, operation) => {
    const response = responseOf(available([text], text.length));
    expect(await setUp().compress(response, [operation])).toBe(response);
  });

  it('on other fields do not', async () => {
    const operations: HeaderOperation[] = [
      { kind: 'add', name: 'Vary', value: 'Cookie' },
      { kind: 'set', name: 'X-Judged', value: 'yes' },
    ];
    expect(codingOf(await setUp().compress(responseOf(available([text], text.length)), operations))).toBe('gzip');
  });
});

describe('HEAD', () => {
  it('has the tag and Vary of the GET, and no length', async () => {
    const exchange = newExchange({ method: 'HEAD', headers: ['Accept-Encoding', 'gzip'] });
    const { compressor } = { compressor: new NodeZlibCompressor() };
    const metrics = { compressed: () => undefined, compressionSkipped: () => undefined };
    const rules = { types: ['application/json'], minOctets: 100, encodings: ['gzip'] as const };
    const subject = new ResponseCompressor(rules, {
      compressor,
      scheduler: new ManualScheduler(new ManualClock()),
      metrics,
    });
    const head = { ...responseOf(available([], 4_000)), body: null };
    expect((await subject.compress(exchange, head)).headers).toEqual([
      ...['Content-Type', 'application/json', 'ETag', 'W/"1"', 'Vary', 'Accept-Encoding'],
    ]);
    const short = { ...responseOf(available([], 50)), body: null };
    expect(await subject.compress(exchange, short)).toBe(short);
  });
});

describe('a compressed response that cannot be relayed', () => {
  const rules = { types: ['application/json'], minOctets: 100, encodings: ['gzip'] as const };
  const metrics = { compressed: () => undefined, compressionSkipped: () => undefined };
  const compressing = (compressor: BodyCompressor) =>
    new ResponseCompressor(rules, { compressor, scheduler: new ManualScheduler(new ManualClock()), metrics });
  const accepting = { headers: ['Accept-Encoding', 'gzip'] };

  it('gives its place back when the client cannot be written to', async () => {
    const places = new CompressionPlaces(1);
    const { exchange, response } = recordedExchange(accepting);
    response.write = () => {
      throw new Error('the stream refuses these fields');
    };
    const upstream = responseOf(available([long], long.length));
    const fault = await compressAndRelay(exchange, upstream, compressing(new NodeZlibCompressor(places)));
    expect(fault).toMatchObject({ kind: 'upstream' });
    expect(places.bodies).toBe(0);
  });

  it('gives its place back when the client is gone', async () => {
    const places = new CompressionPlaces(1);
    const { exchange, response } = recordedExchange(accepting);
    const write = response.write.bind(response);
    response.write = (piece) => {
      exchange.abandoned = true;
      return write(piece);
    };
    const noise = Array.from({ length: 5 }, () => crypto.getRandomValues(new Uint8Array(60_000)));
    const upstream = responseOf(available(noise, 300_000));
    expect(await compressAndRelay(exchange, upstream, compressing(new NodeZlibCompressor(places)))).toBeNull();
    expect(places.bodies).toBe(0);
  });

  it('ends with an internal error, not with a fault of the upstream, when the compressor fails', async () => {
    const { exchange } = recordedExchange(accepting);
    let isCancelled = false;
    const failing: BodyCompressor = {
      codings: new Set(['gzip']),
      compressWhole: () => {
        throw new CompressionError('out of memory');
      },
      compress: (body) => ({
        ...body,
        read: () => Promise.reject(new CompressionError('out of memory')),
        cancel: () => {
          isCancelled = true;
        },
      }),
    };
    const relay = async (body: Uint8Array) =>
      compressAndRelay(exchange, responseOf(available([body], body.length)), compressing(failing));
    await expect(relay(text)).rejects.toBeInstanceOf(CompressionError);
    await expect(relay(long)).rejects.toBeInstanceOf(CompressionError);
    expect(isCancelled).toBe(true);
  });
});
