import { Readable } from 'node:stream';
import { describe, expect } from 'vitest';
import type {
  UpstreamRequest,
  UpstreamResponse,
} from '../../../../../../src/application/ports/gateway/upstream-client.js';
import { startHttp2Upstream } from '../../../../../support/gateway/http2-upstream.js';
import { frameTypes, startRawHttp2Upstream } from '../../../../../support/gateway/raw-http2-upstream.js';
import { bodyOctets, ScriptedBody } from '../../../../../support/gateway/scripted-body.js';
import { plainUpstreamRequest, targetClient } from '../../../../../support/gateway/target-clients.js';
import { eventually } from '../../../../../support/shared/eventually.js';
import { it } from '../../../../../support/shared/fixtures.js';

const http2 = { httpVersion: '2' } as const;
const get: UpstreamRequest = { ...plainUpstreamRequest, method: 'GET' };

const answered = async (sent: { response: Promise<{ ok: boolean }> }): Promise<UpstreamResponse> => {
  const outcome = (await sent.response) as { ok: true; value: UpstreamResponse } | { ok: false; error: object };
  if (!outcome.ok) throw new Error(JSON.stringify(outcome.error));
  return outcome.value;
};

describe('a request over HTTP/2', () => {
  it('has pseudo-headers, and no hop-by-hop fields', async ({ cleanUp }) => {
    let seen: readonly string[] = [];
    const { port } = await startHttp2Upstream(cleanUp, (stream, _, raw) => {
      seen = raw;
      stream.respond({ ':status': 204 });
      stream.end();
    });
    const client = targetClient(port, cleanUp, http2);
    const headers = [
      ...['Host', 'api.example', 'Connection', 'keep-alive, X-Odd', 'Keep-Alive', 'timeout=5', 'TE', 'trailers'],
      ...['Upgrade', 'h2c', 'Transfer-Encoding', 'chunked', 'Proxy-Connection', 'close', 'Cookie', 'a=1; b=2'],
      ...['X-One', 'b', 'X-Two', '1', 'x-one', 'a', '__proto__', 'p', 'X-Octets', '\u00e4\u00ff'],
    ];
    const response = await answered(client.send({ ...get, target: '/a?b=c', headers }));
    expect(response).toMatchObject({ status: 204, body: null, tunnel: null });
    expect(seen).toEqual([
      ...[':method', 'GET', ':scheme', 'http', ':authority', 'api.example', ':path', '/a?b=c', 'te', 'trailers'],
      ...['cookie', 'a=1; b=2', 'x-one', 'b', 'x-one', 'a', 'x-two', '1', '__proto__', 'p'],
      ...['x-octets', '\u00e4\u00ff'],
    ]);
  });

  it('without a Host has the configured name of its target', async ({ cleanUp }) => {
    let authority: unknown;
    const { port } = await startHttp2Upstream(cleanUp, (stream, headers) => {
      authority = headers[':authority'];
      stream.respond({ ':status': 204 }, { endStream: true });
    });
    const client = targetClient(port, cleanUp, { ...http2, authority: 'api.internal:8080' });
    await answered(client.send({ ...get, headers: [] }));
    expect(authority).toBe('api.internal:8080');
  });

  it.for([
    ['a value with NUL', { headers: ['X-A', 'a\0b'] }],
    ['a value with a line end', { headers: ['X-A', 'a\r\nb'] }],
    ['a name that is a pseudo-header', { headers: [':path', '/other'] }],
    ['a name with NUL', { headers: ['x\0:path', '/other'] }],
    ['a host with a space', { headers: ['Host', 'a b'] }],
    ['a target with a space', { target: '/a b' }],
    ['a method that is none', { method: 'GE T' }],
    ['CONNECT', { method: 'CONNECT' }],
    ['two lengths', { headers: ['Content-Length', '0', 'Content-Length', '0'] }],
    ['a length without a body', { headers: ['Content-Length', '4'] }],
    ['two credentials', { headers: ['Authorization', 'a', 'Authorization', 'b'] }],
  ] as const)('with %s is refused before it is sent', async ([_, changes], { cleanUp }) => {
    const upstream = await startHttp2Upstream(cleanUp, (stream) => stream.respond({}, { endStream: true }));
    const client = targetClient(upstream.port, cleanUp, http2);
    expect(await client.send({ ...get, ...changes }).response).toMatchObject({
      error: { code: 'refused_request', neverSent: true },
    });
    expect(upstream.streams()).toBe(0);
    await answered(client.send(get));
  });

  it('sends its body with flow control', async ({ cleanUp }) => {
    const taken: Buffer[] = [];
    let go: () => void = () => undefined;
    const { port } = await startHttp2Upstream(cleanUp, (stream) => {
      go = () => stream.on('data', (chunk: Buffer) => taken.push(chunk));
      stream.on('end', () => {
        stream.respond({ ':status': 200 });
        stream.end('thanks');
      });
    });
    const pieces = Array.from({ length: 200 }, (_, index) => Buffer.alloc(10_000, index));
    const body = new ScriptedBody(pieces, 2_000_000);
    const client = targetClient(port, cleanUp, http2);
    const sent = client.send({ ...plainUpstreamRequest, headers: ['Content-Length', '2000000'], body });
    await eventually(() => body.reads > 2);
    let before = 0;
    await eventually(() => {
      const isStill = body.reads === before;
      before = body.reads;
      return isStill;
    });
    expect(body.reads).toBeLessThan(60);
    go();
    const response = await answered(sent);
    expect((await bodyOctets(response.body)).toString()).toBe('thanks');
    expect(
      Buffer.concat(taken).equals(Buffer.concat(Array.from({ length: 200 }, (_, i) => Buffer.alloc(10_000, i)))),
    ).toBe(true);
  });

  it.for([
    ['shorter', ['abc'], '4'],
    ['longer', ['abc', 'de'], '4'],
  ] as const)('with a body %s than declared is aborted', async ([_, pieces, length], { cleanUp }) => {
    let code: number | null = null;
    const { port } = await startHttp2Upstream(cleanUp, (stream) => {
      stream.resume();
      stream.on('close', () => {
        code = stream.rstCode ?? null;
      });
    });
    const client = targetClient(port, cleanUp, http2);
    const body = new ScriptedBody(pieces);
    const sent = client.send({ ...plainUpstreamRequest, headers: ['Content-Length', length], body });
    expect(await sent.response).toMatchObject({ error: { code: 'refused_request', neverSent: false } });
    await expect.poll(() => code).toBe(8);
  });

  it('is aborted when its client disconnects', async ({ cleanUp }) => {
    const upstream = await startRawHttp2Upstream(cleanUp, () => undefined);
    const client = targetClient(upstream.port, cleanUp, http2);
    const sent = client.send({ ...plainUpstreamRequest, body: new ScriptedBody(['abc', null]) });
    expect(await sent.response).toMatchObject({ error: { code: 'request_body' } });
    await eventually(() => upstream.peers[0]?.of(frameTypes.resetStream).length === 1);
    // Had any of it END_STREAM, what came would look like all there is.
    const data = upstream.peers[0]?.of(frameTypes.data) ?? [];
    expect(Buffer.concat(data.map(({ payload }) => payload)).toString()).toBe('abc');
    expect(data.map(({ flags }) => flags % 2)).not.toContain(1);
  });

  it.for(['before its answer', 'in the middle of its answer'])(
    'that is cancelled %s is reset',
    async (when, { cleanUp }) => {
      let code: number | null = null;
      const { port } = await startHttp2Upstream(cleanUp, (stream) => {
        if (when !== 'before its answer') {
          stream.respond({ ':status': 200 });
          stream.write('some');
        }
        stream.on('close', () => {
          code = stream.rstCode ?? null;
        });
      });
      const client = targetClient(port, cleanUp, http2);
      const sent = client.send(get);
      if (when === 'before its answer') {
        await eventually(() => client.figures().activeConnections === 1);
        sent.cancel();
        expect(await sent.response).toMatchObject({ error: { code: 'cancelled' } });
      } else {
        const response = await answered(sent);
        await response.body?.read();
        const more = response.body?.read();
        response.body?.cancel();
        await expect(more).rejects.toMatchObject({ code: 'aborted' });
      }
      await eventually(() => code === 8 && client.figures().idleConnections === 1);
    },
  );
});

describe('a response over HTTP/2', () => {
  it('has its original fields, body and trailers', async ({ cleanUp }) => {
    const { port } = await startHttp2Upstream(cleanUp, (stream) => {
      stream.respond({ ':status': 200, 'set-cookie': ['a=1', 'b=2'], 'x-a': '\u00e4' }, { waitForTrailers: true });
      stream.on('wantTrailers', () => stream.sendTrailers({ 'x-sum': '42', 'grpc-status': '0' }));
      stream.write('one');
      stream.end('two');
    });
    const client = targetClient(port, cleanUp, http2);
    const { status, headers, body } = await answered(client.send(get));
    expect(status).toBe(200);
    expect(headers.slice(0, 6)).toEqual(['set-cookie', 'a=1', 'set-cookie', 'b=2', 'x-a', '\u00e4']);
    expect(headers.some((name) => name.startsWith(':'))).toBe(false);
    expect((await bodyOctets(body)).toString()).toBe('onetwo');
    expect(body?.trailers()).toEqual(['x-sum', '42', 'grpc-status', '0']);
  });

  it('that is only a head has an empty body', async ({ cleanUp }) => {
    const { port } = await startHttp2Upstream(cleanUp, (stream) => {
      stream.respond({ ':status': 200, 'grpc-status': '5' }, { endStream: true });
    });
    const { headers, body } = await answered(targetClient(port, cleanUp, http2).send(plainUpstreamRequest));
    expect(headers.slice(0, 2)).toEqual(['grpc-status', '5']);
    expect([body?.declaredLength, await body?.read(), body?.trailers()]).toEqual([0, null, []]);
  });

  it('to HEAD has no body and keeps its length', async ({ cleanUp }) => {
    const { port } = await startHttp2Upstream(cleanUp, (stream) => {
      stream.respond({ ':status': 200, 'content-length': '1000' }, { endStream: true });
    });
    const client = targetClient(port, cleanUp, http2);
    const { headers, body } = await answered(client.send({ ...get, method: 'HEAD' }));
    expect([headers.slice(0, 2), body]).toEqual([['content-length', '1000'], null]);
    await eventually(() => client.figures().idleConnections === 1);
  });

  it('is distinguished from interim responses before it', async ({ cleanUp }) => {
    const { port } = await startHttp2Upstream(cleanUp, (stream) => {
      stream.additionalHeaders({ ':status': 103, link: '</a>' });
      stream.additionalHeaders({ ':status': 102 });
      stream.respond({ ':status': 201 });
      stream.end('made');
    });
    const { status, headers, body } = await answered(targetClient(port, cleanUp, http2).send(get));
    expect([status, headers.includes('link'), (await bodyOctets(body)).toString()]).toEqual([201, false, 'made']);
  });

  it('with a late body is reported at once', async ({ cleanUp }) => {
    let end: () => void = () => undefined;
    const { port } = await startHttp2Upstream(cleanUp, (stream) => {
      stream.respond({ ':status': 200 });
      end = () => stream.end('late');
    });
    const { isBodyLate, body } = await answered(targetClient(port, cleanUp, http2).send(get));
    expect(isBodyLate).toBe(true);
    end();
    expect((await bodyOctets(body)).toString()).toBe('late');
  });

  it('that is unread applies backpressure only to its stream', async ({ cleanUp }) => {
    let given = 0;
    const large = Buffer.alloc(10_000, 'a');
    const upstream = await startHttp2Upstream(cleanUp, (stream, { ':path': path }) => {
      stream.respond({ ':status': 200 });
      if (path === '/small') {
        stream.end('small');
        return;
      }
      let left = 800;
      const source = new Readable({
        read() {
          given += 1;
          left -= 1;
          this.push(left < 0 ? null : large);
        },
      });
      source.pipe(stream);
    });
    const client = targetClient(upstream.port, cleanUp, http2);
    const responses = await Promise.all([1, 2].map(() => answered(client.send({ ...get, target: '/large' }))));
    for (let round = 0; round < 50; round += 1) {
      const { body } = await answered(client.send({ ...get, target: '/small' }));
      expect((await bodyOctets(body)).toString()).toBe('small');
    }
    // A window, and what the upstream's own buffers take, for each.
    expect(given).toBeLessThan(2 * 50);
    for (const { body } of responses) expect((await bodyOctets(body)).length).toBe(8_000_000);
    expect(upstream.sessions).toHaveLength(1);
  });

  it('that arrived completely is available after its session ends', async ({ cleanUp }) => {
    const upstream = await startHttp2Upstream(cleanUp, (stream) => {
      stream.respond({ ':status': 200 }, { waitForTrailers: true });
      stream.on('wantTrailers', () => stream.sendTrailers({ 'x-sum': '1' }));
      stream.end(Buffer.alloc(200_000, 'a'));
    });
    const client = targetClient(upstream.port, cleanUp, http2);
    const { body } = await answered(client.send(get));
    await eventually(() => client.figures().idleConnections === 1);
    setImmediate(() => upstream.sessions[0]?.destroy());
    await eventually(() => client.figures().idleConnections === 0);
    expect((await bodyOctets(body)).length).toBe(200_000);
    expect(body?.trailers()).toEqual(['x-sum', '1']);
  });

  it('may begin before the end of the request', async ({ cleanUp }) => {
    const { port } = await startHttp2Upstream(cleanUp, (stream) => {
      stream.respond({ ':status': 200 });
      stream.pipe(stream);
    });
    const pending: ((piece: Uint8Array | null) => void)[] = [];
    const body = Object.assign(new ScriptedBody([]), {
      read: () => new Promise<Uint8Array | null>((resolve) => pending.push(resolve)),
    });
    const response = await answered(targetClient(port, cleanUp, http2).send({ ...plainUpstreamRequest, body }));
    expect(response.isBodyLate).toBe(true);
    for (const text of ['one', 'two', 'three']) {
      await eventually(() => pending.length > 0);
      pending.shift()?.(Buffer.from(text));
      expect(Buffer.from((await response.body?.read()) ?? []).toString()).toBe(text);
    }
    await eventually(() => pending.length > 0);
    pending.shift()?.(null);
    expect(await response.body?.read()).toBeNull();
  });

  it('that ends before the request ends the request', async ({ cleanUp }) => {
    let code: number | null = null;
    const { port } = await startHttp2Upstream(cleanUp, (stream) => {
      stream.respond({ ':status': 413 });
      stream.end('too much');
      stream.on('close', () => {
        code = stream.rstCode ?? null;
      });
    });
    const client = targetClient(port, cleanUp, http2);
    const body = Object.assign(new ScriptedBody([]), { read: () => new Promise<null>(() => undefined) });
    const response = await answered(client.send({ ...plainUpstreamRequest, body }));
    expect([response.status, (await bodyOctets(response.body)).toString()]).toEqual([413, 'too much']);
    await eventually(() => code !== null && client.figures().idleConnections === 1);
  });
});
