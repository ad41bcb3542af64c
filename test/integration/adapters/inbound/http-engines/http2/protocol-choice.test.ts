import { connect, type Socket } from 'node:net';
import { connect as connectTls } from 'node:tls';
import { afterAll, beforeAll, describe, expect } from 'vitest';
import { connectionPreface, frame, frameTypes, getRequest } from '../../../../../support/gateway/http2-frames.js';
import { http2Call, http2Session } from '../../../../../support/gateway/http2-session.js';
import { rawExchange } from '../../../../../support/gateway/raw-exchange.js';
import { RawHttp2Client } from '../../../../../support/gateway/raw-http2-client.js';
import { preparedTls, recordedListener } from '../../../../../support/gateway/tls-listener.js';
import type { CleanUp } from '../../../../../support/shared/clean-up.js';
import { curl } from '../../../../../support/shared/curl.js';
import { eventually } from '../../../../../support/shared/eventually.js';
import { it } from '../../../../../support/shared/fixtures.js';
import { type OpensslCertificate, OpensslCertificates } from '../../../../../support/shared/openssl-certificates.js';

const pki = new OpensslCertificates();
let identity: OpensslCertificate;
beforeAll(() => {
  identity = pki.server('a.example', { by: pki.authority('root'), names: ['DNS:a.example'] });
});
afterAll(() => pki.remove());

type Changes = Parameters<typeof recordedListener>[2];
const plain = (cleanUp: CleanUp, changes: Changes = {}) => recordedListener(cleanUp, null, { http2: true, ...changes });
const secured = (cleanUp: CleanUp, http2: boolean, changes: Changes = {}) =>
  recordedListener(cleanUp, preparedTls([identity], { http2 }), changes);

const get = 'GET /one HTTP/1.1\r\nHost: a.example\r\nConnection: close\r\n\r\n';

describe('over TLS', () => {
  it.for([
    [true, ['h2', 'http/1.1'], 'h2'],
    [true, ['http/1.1', 'h2'], 'h2'],
    [true, ['http/1.1'], 'http/1.1'],
    [true, [], false],
    [false, ['h2', 'http/1.1'], 'http/1.1'],
  ] as const)(
    'with HTTP/2 %s, ALPN answers a client of %j with %s',
    async ([http2, ALPNProtocols, spoken], { cleanUp }) => {
      const { listener } = await secured(cleanUp, http2);
      const socket = connectTls({ port: listener.address().port, ALPNProtocols, rejectUnauthorized: false });
      cleanUp.add(() => socket.destroy());
      await new Promise((resolve) => socket.once('secureConnect', resolve));
      expect(socket.alpnProtocol).toBe(spoken);
    },
  );

  it('requests have the TLS facts of their connection', async ({ cleanUp }) => {
    const { listener, handler } = await secured(cleanUp, true);
    const session = http2Session(cleanUp, `https://localhost:${listener.address().port}`, {
      rejectUnauthorized: false,
      servername: 'a.example',
    });
    expect(await http2Call(session)).toMatchObject({ status: 200 });
    expect(handler.connection()).toMatchObject({
      scheme: 'https',
      tls: { version: 'TLSv1.3', serverName: 'a.example' },
    });
  });

  it('HTTP/1.1 works beside it', async ({ cleanUp }) => {
    const { listener, handler } = await secured(cleanUp, true);
    const url = `https://127.0.0.1:${listener.address().port}/x`;
    expect((await curl('-k', '--http1.1', url)).status).toBe(200);
    expect((await curl('-k', '--http2', url)).status).toBe(200);
    expect(handler.requests.map(({ httpVersion }) => httpVersion)).toEqual(['1.1', '2.0']);
  });

  it('a refused connection gets the reason in its own protocol', async ({ cleanUp }) => {
    const { listener, handler } = await secured(cleanUp, true);
    handler.refusal = { status: 503, headers: ['X-Why', 'full'], body: 'full' };
    const session = http2Session(cleanUp, `https://127.0.0.1:${listener.address().port}`, {
      rejectUnauthorized: false,
    });
    const { status, headers, body } = await http2Call(session);
    expect([status, body.toString()]).toEqual([503, 'full']);
    expect(headers).toContain('x-why');
    await eventually(() => session.destroyed);
  });
});

describe('on a plain listener with HTTP/2', () => {
  it('curl uses either protocol', async ({ cleanUp }) => {
    const { listener, handler } = await plain(cleanUp);
    const url = `http://127.0.0.1:${listener.address().port}/x`;
    expect((await curl('--http2-prior-knowledge', url)).status).toBe(200);
    expect((await curl('--http1.1', url)).status).toBe(200);
    // An Upgrade to h2c is ignored.
    expect((await curl('--http2', url)).status).toBe(200);
    expect(handler.requests.map(({ httpVersion }) => httpVersion)).toEqual(['2.0', '1.1', '1.1']);
  });

  it.for([1, 3, 24, 30])('octets that arrive in pieces of %i are complete', async (size, { cleanUp }) => {
    const { listener, handler } = await plain(cleanUp);
    const sends = async (socket: Socket, octets: Buffer): Promise<void> => {
      socket.setNoDelay(true);
      for (let start = 0; start < octets.length; start += size) {
        await new Promise((resolve) => socket.write(octets.subarray(start, start + size), resolve));
        await new Promise(setImmediate);
      }
    };
    const open = (): Socket => {
      const socket = connect({ host: '127.0.0.1', port: listener.address().port });
      cleanUp.add(() => socket.destroy());
      socket.resume();
      return socket;
    };
    await sends(open(), Buffer.concat([connectionPreface, frame(frameTypes.settings, 0, 0), getRequest(1)]));
    await sends(open(), Buffer.from(get.replace('GET', 'PROPFIND')));
    await eventually(() => handler.requests.length === 2);
    expect(new Set(handler.requests.map(({ method, httpVersion }) => `${method} ${httpVersion}`))).toEqual(
      new Set(['GET 2.0', 'PROPFIND 1.1']),
    );
  });

  it.for([
    ['nothing', ''],
    ['a part of the preface', 'PRI * HTTP/2.0\r\n'],
  ] as const)('%s in time is answered like a missing head', async ([_, octets], { cleanUp }) => {
    const { listener, handler } = await plain(cleanUp, { headMs: 100 });
    expect((await rawExchange(listener.address(), octets)).status).toBe(400);
    expect(handler.rejections).toMatchObject([{ reason: 'timed_out', connection: { peerAddress: '127.0.0.1' } }]);
  });

  it('a reload applies to new connections, and open ones continue', async ({ cleanUp }) => {
    const { listener, handler } = await recordedListener(cleanUp, null);
    const url = `http://127.0.0.1:${listener.address().port}`;
    expect((await rawExchange(listener.address(), connectionPreface.toString('latin1'))).status).toBe(400);
    listener.acceptHttp2(true);
    const session = http2Session(cleanUp, url);
    expect((await http2Call(session)).status).toBe(200);
    listener.acceptHttp2(false);
    expect((await http2Call(session)).status).toBe(200);
    expect((await rawExchange(listener.address(), connectionPreface.toString('latin1'))).status).toBe(400);
    expect(handler.requests).toHaveLength(2);
  });
});

describe('an HTTP/2 connection', () => {
  it('ends after the head timeout without a request', async ({ cleanUp }) => {
    const { listener } = await plain(cleanUp, { headMs: 120 });
    const client = new RawHttp2Client(listener.address());
    expect(await client.goawayCode()).toBe(0);
    await client.closed();
  });

  it('ends after the idle time, despite frames that are no request', async ({ cleanUp }) => {
    const { listener, handler } = await plain(cleanUp, { idleMs: 150 });
    const client = new RawHttp2Client(listener.address());
    const pinging = setInterval(() => client.send(frame(frameTypes.ping, 0, 0, Buffer.alloc(8))), 20);
    cleanUp.add(() => clearInterval(pinging));
    client.send(getRequest(1));
    expect(await client.goawayCode()).toBe(0);
    await client.closed();
    expect(handler.requests).toHaveLength(1);
    await eventually(() => handler.open === 0);
  });

  it('gets GOAWAY when its listener drains, and ends at once if idle', async ({ cleanUp }) => {
    const { listener, handler } = await plain(cleanUp, { drainLingerMs: 0 });
    handler.held = true;
    const [busy, idle] = [new RawHttp2Client(listener.address()), new RawHttp2Client(listener.address())];
    busy.send(getRequest(1));
    await Promise.all([idle.seen(), eventually(() => handler.requests.length === 1)]);
    const drained = listener.drain(60_000);
    expect(await idle.goawayCode()).toBe(0);
    await idle.closed();
    handler.responses[0]?.send(200, [], 'last', true);
    await busy.frame(frameTypes.data, 1);
    expect(await busy.goawayCode()).toBe(0);
    await Promise.all([busy.closed(), drained]);
  });

  it('is aborted at the end of the grace period', async ({ cleanUp }) => {
    const { listener, handler } = await plain(cleanUp);
    handler.held = true;
    const client = new RawHttp2Client(listener.address());
    client.send(getRequest(1));
    await eventually(() => handler.requests.length === 1);
    const told: boolean[] = [];
    handler.responses[0]?.onClosed((completed) => told.push(completed));
    await listener.drain(50);
    await eventually(() => told.length > 0);
    expect(told).toEqual([false]);
  });

  it('that loses trust ends with its streams in flight', async ({ cleanUp }) => {
    const { listener, handler } = await plain(cleanUp);
    handler.held = true;
    const [busy, idle, stuck] = [0, 1, 2].map(() => new RawHttp2Client(listener.address())) as [
      RawHttp2Client,
      RawHttp2Client,
      RawHttp2Client,
    ];
    busy.send(getRequest(1));
    stuck.send(getRequest(1));
    await Promise.all([idle.seen(), eventually(() => handler.requests.length === 2)]);
    listener.secure(preparedTls([identity], { http2: true }), 400);
    await idle.closed();
    await busy.frame(frameTypes.goaway, 0);
    handler.responses[0]?.send(200, [], 'last', false);
    handler.responses[1]?.begin(200, [], false);
    await Promise.all([busy.closed(), stuck.closed()]);
    expect(handler.open).toBe(0);
  });
});
