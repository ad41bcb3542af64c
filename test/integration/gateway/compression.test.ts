import { once } from 'node:events';
import { request, type ServerResponse } from 'node:http';
import { createGunzip } from 'node:zlib';
import fc from 'fast-check';
import { describe, expect } from 'vitest';
import { firstHeader } from '../../../src/domain/http/header-list.js';
import { decodedBody, startCompressing } from '../../support/gateway/compressing-gateway.js';
import { type HttpUpstream, startHttpUpstream } from '../../support/gateway/http-upstream.js';
import { http2Call, http2Session } from '../../support/gateway/http2-session.js';
import { rawExchange } from '../../support/gateway/raw-exchange.js';
import { startRawUpstream } from '../../support/gateway/raw-upstream.js';
import type { CleanUp } from '../../support/shared/clean-up.js';
import { curl } from '../../support/shared/curl.js';
import { it } from '../../support/shared/fixtures.js';
import { call } from '../../support/shared/http-call.js';
import { describeWithPeers } from '../../support/shared/peers.js';

const text = JSON.stringify(
  Array.from({ length: 200 }, (_, id) => ({ id, name: `user ${id * 7919}`, isActive: true })),
);
const etag = '"v1"';

const writeAll = async (response: ServerResponse, pieces: readonly Uint8Array[], pauses: boolean): Promise<void> => {
  for (const piece of pieces) {
    response.write(piece);
    if (pauses) await new Promise((resolve) => setTimeout(resolve, 1));
  }
};

/** An upstream of JSON with a tag, and of whatever a test gives. */
const startUpstream = async (
  cleanUp: CleanUp,
  others: Readonly<Record<string, (response: ServerResponse) => void>> = {},
): Promise<HttpUpstream> => {
  const upstream = await startHttpUpstream((asked, response) => {
    const other = others[asked.url ?? ''];
    response.setHeader('Content-Type', 'application/json');
    if (other !== undefined) {
      other(response);
      return;
    }
    response.setHeader('ETag', etag);
    response.setHeader('Accept-Ranges', 'bytes');
    if (/(?:^|, )(?:W\/)?"v1"/.test(asked.headers['if-none-match'] ?? '')) response.writeHead(304).end();
    else if (asked.headers.range === 'bytes=0-1999') {
      response.writeHead(206, { 'Content-Range': `bytes 0-1999/${text.length}`, 'Content-Length': 2_000 });
      response.end(text.slice(0, 2_000));
    } else {
      response.setHeader('Content-Length', text.length);
      response.end(asked.method === 'HEAD' ? undefined : text);
    }
  });
  cleanUp.add(() => upstream.close());
  return upstream;
};

const accepting = (coding: string) => ({ headers: { 'Accept-Encoding': coding } });

describe('a compressed response', () => {
  it('equals what the upstream sent, however it is cut, over HTTP/1.1 and HTTP/2', async ({ cleanUp }) => {
    let pieces: readonly Uint8Array[] = [];
    let pauses = false;
    let isDeclared = false;
    const upstream = await startUpstream(cleanUp, {
      '/pieces': (response) => {
        const length = pieces.reduce((sum, piece) => sum + piece.length, 0);
        if (isDeclared) response.setHeader('Content-Length', length);
        void writeAll(response, pieces, pauses).then(() => response.end());
      },
    });
    const gateway = await startCompressing(cleanUp, upstream.port);
    const session = http2Session(cleanUp, gateway.url);
    const octets = fc.oneof(
      fc.uint8Array({ maxLength: 300 }),
      fc.nat(40_000).map((length) => Buffer.alloc(length, text)),
    );
    await fc.assert(
      fc.asyncProperty(
        fc.array(octets, { maxLength: 8 }),
        fc.boolean(),
        fc.boolean(),
        fc.constantFrom('gzip', 'br', 'gzip;q=0.5, br', 'identity'),
        async (body, slow, declared, coding) => {
          pieces = body;
          pauses = slow;
          isDeclared = declared;
          const whole = Buffer.concat(body);
          const fetched = await fetch(`${gateway.url}/pieces`, accepting(coding));
          expect(Buffer.from(await fetched.arrayBuffer()).equals(whole)).toBe(true);
          const answer = await http2Call(session, { ':path': '/pieces', 'accept-encoding': coding });
          expect(answer.code).toBe(0);
          const used = firstHeader(answer.headers, 'content-encoding');
          expect(decodedBody(answer.body, used).equals(whole)).toBe(true);
          if (declared && whole.length >= 1_024 && coding !== 'identity') {
            expect(used).toBe(coding === 'gzip' ? 'gzip' : 'br');
            expect(fetched.headers.get('content-encoding')).toBe(used);
          }
        },
      ),
      { numRuns: 60 },
    );
  });

  it('has the head that its client and caches need', async ({ cleanUp }) => {
    const gateway = await startCompressing(cleanUp, (await startUpstream(cleanUp)).port);
    const { headers } = await fetch(gateway.url, accepting('gzip'));
    expect(headers.get('content-encoding')).toBe('gzip');
    expect(headers.get('etag')).toBe('W/"v1"');
    expect(headers.get('vary')).toBe('Accept-Encoding');
    expect(headers.has('accept-ranges')).toBe(false);
    expect(Number(headers.get('content-length'))).toBeLessThan(text.length / 4);
    const plain = await fetch(gateway.url, accepting('identity'));
    expect(plain.headers.get('etag')).toBe(etag);
    expect(plain.headers.get('vary')).toBe('Accept-Encoding');
    expect(plain.headers.get('content-length')).toBe(String(text.length));
    expect(await gateway.metrics()).toMatch(/gateway_responses_compressed_total\{[^}]*encoding="gzip"[^}]*\} 1/);
  });

  it('is revalidated by its weak tag', async ({ cleanUp }) => {
    const gateway = await startCompressing(cleanUp, (await startUpstream(cleanUp)).port);
    const { port } = gateway.address;
    for (const tag of ['W/"v1"', etag]) {
      const { status, headers, body } = await call(port, {
        headers: { 'Accept-Encoding': 'gzip', 'If-None-Match': tag },
      });
      expect([status, headers.etag, headers.vary, body]).toEqual([304, tag, 'Accept-Encoding', '']);
    }
  });

  it('arrives line by line where the upstream pauses', async ({ cleanUp }) => {
    let upstreamSide: ServerResponse | null = null;
    const upstream = await startUpstream(cleanUp, {
      '/lines': (response) => {
        upstreamSide = response;
        response.write('{"line":0}\n');
      },
    });
    const gateway = await startCompressing(cleanUp, upstream.port);
    const { port } = gateway.address;
    const sent = request({ port, host: '127.0.0.1', path: '/lines', agent: false, ...accepting('gzip') });
    sent.end();
    const [response] = await once(sent, 'response');
    expect(response.headers['content-encoding']).toBe('gzip');
    let decoded = '';
    const reader = response.pipe(createGunzip());
    reader.on('data', (piece: Buffer) => {
      decoded += piece.toString();
    });
    for (let line = 0; line < 5; line += 1) {
      await expect.poll(() => decoded).toMatch(new RegExp(`"line":${line}\\}\\n$`));
      (upstreamSide as ServerResponse | null)?.write(`{"line":${line + 1}}\n`);
    }
    (upstreamSide as ServerResponse | null)?.end();
    await once(reader, 'end');
    expect(decoded.split('\n')).toHaveLength(7);
  });

  it('keeps its trailers, without digests, over HTTP/1.1 and HTTP/2', async ({ cleanUp }) => {
    const head = 'HTTP/1.1 200 OK\r\nContent-Type: text/plain\r\nTransfer-Encoding: chunked\r\n\r\n';
    const body = 'ab'.repeat(1_000);
    const upstream = await startRawUpstream((socket) => {
      const trailers = 'X-Sum: 42\r\nContent-Digest: sha-256=:x:\r\n';
      socket.write(`${head}${body.length.toString(16)}\r\n${body}\r\n0\r\n${trailers}\r\n`);
    });
    cleanUp.add(() => upstream.close());
    const gateway = await startCompressing(cleanUp, upstream.port);
    const ask = 'GET / HTTP/1.1\r\nHost: a\r\nAccept-Encoding: gzip\r\nTE: trailers\r\nConnection: close\r\n\r\n';
    const answered = await rawExchange(gateway.address, ask);
    expect(decodedBody(Buffer.from(answered.body, 'latin1'), answered.headers['content-encoding']).toString()).toBe(
      body,
    );
    expect(answered.raw.slice(answered.raw.lastIndexOf('\r\n0\r\n'))).toBe('\r\n0\r\nX-Sum: 42\r\n\r\n');
    const session = http2Session(cleanUp, gateway.url);
    const answer = await http2Call(session, { 'accept-encoding': 'br', te: 'trailers' });
    expect(decodedBody(answer.body, 'br').toString()).toBe(body);
    expect(answer.trailers).toEqual(['x-sum', '42']);
  });

  it('is read whole first on a route that buffers', async ({ cleanUp }) => {
    const upstream = await startUpstream(cleanUp, {
      '/slow': (response) => {
        void writeAll(response, [Buffer.from(text.slice(0, 900)), Buffer.from(text.slice(900))], true).then(() =>
          response.end(),
        );
      },
    });
    const gateway = await startCompressing(cleanUp, upstream.port, {}, { bufferResponses: true });
    const response = await fetch(`${gateway.url}/slow`, accepting('br'));
    expect(response.headers.get('content-encoding')).toBe('br');
    expect(response.headers.has('content-length')).toBe(true);
    expect(await response.text()).toBe(text);
  });
});

describe('a response that is cut', () => {
  it.for(['/short', '/long'])('is cut for the client too: %s', async (path, { cleanUp }) => {
    const cut = (octets: number) => (response: ServerResponse) => {
      response.setHeader('Content-Length', 5_000_000);
      response.write(Buffer.alloc(octets, text));
      setTimeout(() => response.destroy(), 50);
    };
    const upstream = await startUpstream(cleanUp, { '/short': cut(2_000), '/long': cut(400_000) });
    const gateway = await startCompressing(cleanUp, upstream.port);
    await expect(fetch(`${gateway.url}${path}`, accepting('gzip')).then((got) => got.text())).rejects.toThrow();
    const answer = await http2Call(http2Session(cleanUp, gateway.url), { ':path': path, 'accept-encoding': 'br' });
    expect([answer.code === 0, answer.status]).not.toEqual([true, 200]);
  });

  it('before its body may be compressed at once is a 502', async ({ cleanUp }) => {
    const upstream = await startRawUpstream((socket) => {
      socket.end('HTTP/1.1 200 OK\r\nContent-Type: text/plain\r\nContent-Length: 4000\r\n\r\nabc');
    });
    cleanUp.add(() => upstream.close());
    const gateway = await startCompressing(cleanUp, upstream.port);
    const { status, headers } = await call(gateway.address.port, accepting('gzip'));
    expect([status, headers['content-encoding'], headers['content-type']]).toEqual([
      ...[502, undefined, 'application/problem+json'],
    ]);
  });
});

describe('on a compressing route', () => {
  const plainly = { headers: { 'Accept-Encoding': 'gzip, br' } };

  it('a range, HEAD, an event stream, no-transform and a coded body stay as they are', async ({ cleanUp }) => {
    const send =
      (fields: Record<string, string>, body = text) =>
      (response: ServerResponse) => {
        for (const [name, value] of Object.entries(fields)) response.setHeader(name, value);
        response.end(body);
      };
    const upstream = await startUpstream(cleanUp, {
      '/events': send({ 'Content-Type': 'text/event-stream' }),
      '/exact': send({ 'Cache-Control': 'no-transform' }),
      '/coded': send({ 'Content-Encoding': 'zstd' }),
      '/short': send({}, 'x'.repeat(1_023)),
      '/image': send({ 'Content-Type': 'image/png' }),
      '/digest': send({ 'Content-Digest': 'sha-256=:x:' }),
      '/none': (response) => void response.writeHead(204).end(),
    });
    const { address } = await startCompressing(cleanUp, upstream.port);
    for (const path of ['/events', '/exact', '/short', '/image', '/digest']) {
      const { headers, body } = await call(address.port, { path, ...plainly });
      expect([path, headers['content-encoding'], body.length > 1_000]).toEqual([path, undefined, true]);
    }
    const coded = await call(address.port, { path: '/coded', ...plainly });
    expect([coded.headers['content-encoding'], coded.body]).toEqual(['zstd', text]);
    expect((await call(address.port, { path: '/none', ...plainly })).headers['content-encoding']).toBeUndefined();
    const part = await call(address.port, { headers: { ...plainly.headers, Range: 'bytes=0-1999' } });
    expect([part.status, part.body, part.headers['content-encoding'], part.headers['accept-ranges']]).toEqual([
      ...[206, text.slice(0, 2_000), undefined, 'bytes'],
    ]);
    const head = await call(address.port, { method: 'HEAD', ...plainly });
    expect([head.headers['content-length'], head.headers['content-encoding']]).toEqual([undefined, undefined]);
    expect([head.headers.etag, head.headers.vary]).toEqual(['W/"v1"', 'Accept-Encoding']);
  });

  it('a problem of the gateway is not compressed', async ({ cleanUp }) => {
    const upstream = await startUpstream(cleanUp);
    const gateway = await startCompressing(cleanUp, upstream.port, { types: ['*/*'], minOctets: 0 });
    await upstream.close();
    const { status, headers, body } = await call(gateway.address.port, plainly);
    expect([status, headers['content-encoding']]).toEqual([502, undefined]);
    expect(JSON.parse(body)).toMatchObject({ status: 502 });
  });

  it('a client of HTTP/1.0 gets no coding', async ({ cleanUp }) => {
    const gateway = await startCompressing(cleanUp, (await startUpstream(cleanUp)).port);
    const { body, headers } = await rawExchange(gateway.address, 'GET / HTTP/1.0\r\nAccept-Encoding: gzip\r\n\r\n');
    expect([body, headers['vary']]).toEqual([text, 'Accept-Encoding']);
  });
});

describeWithPeers(['curl'], 'curl', () => {
  it('reads compressed responses over HTTP/1.1 and HTTP/2', async ({ cleanUp }) => {
    const large = text.repeat(50);
    const upstream = await startUpstream(cleanUp, { '/large': (response) => void response.end(large) });
    const gateway = await startCompressing(cleanUp, upstream.port);
    for (const version of ['--http1.1', '--http2-prior-knowledge']) {
      for (const [path, expected] of [
        ['/', text],
        ['/large', large],
      ] as const) {
        const { status, body } = await curl(version, '--compressed', `${gateway.url}${path}`);
        expect([status, body === expected]).toEqual([200, true]);
      }
    }
    expect(await gateway.metrics()).toMatch(/gateway_responses_compressed_total\{[^}]*encoding="br"[^}]*\} 4/);
  });
});
