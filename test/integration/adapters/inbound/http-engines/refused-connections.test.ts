import { connect, type Socket } from 'node:net';
import { afterAll, beforeAll, describe, expect } from 'vitest';
import { CoreHttpEngine } from '../../../../../src/adapters/inbound/http-engines/core/core-http-engine.js';
import { NodeListeningSockets } from '../../../../../src/adapters/outbound/node-listening-sockets/node-listening-sockets.js';
import { defaultEngineLimits } from '../../../../../src/application/ports/gateway/http-engine.js';
import { plainTimeouts } from '../../../../support/gateway/plain-configurations.js';
import { rawExchange } from '../../../../support/gateway/raw-exchange.js';
import { RecordingHandler } from '../../../../support/gateway/recording-handler.js';
import { testSocketLayers } from '../../../../support/gateway/socket-layers.js';
import { tlsCall, tlsConnection } from '../../../../support/gateway/tls-call.js';
import { preparedTls, recordedListener } from '../../../../support/gateway/tls-listener.js';
import type { CleanUp } from '../../../../support/shared/clean-up.js';
import { it } from '../../../../support/shared/fixtures.js';
import { type OpensslCertificate, OpensslCertificates } from '../../../../support/shared/openssl-certificates.js';

const pki = new OpensslCertificates();
let root: OpensslCertificate;
let server: OpensslCertificate;

beforeAll(() => {
  root = pki.authority('root');
  server = pki.server('server', { by: root, names: ['DNS:a.example'] });
});
afterAll(() => pki.remove());

const trusting = () => ({ ca: root.certificate, servername: 'a.example' });

const refusal = { status: 503, headers: ['Retry-After', '7'], body: '{"code":"full"}' };

const refusing = async (cleanUp: CleanUp, tls: Parameters<typeof recordedListener>[1]) => {
  const recorded = await recordedListener(cleanUp, tls);
  recorded.handler.refusal = refusal;
  return { ...recorded, address: recorded.listener.address() };
};

/** Connects and sends nothing, not even the end of its own side. `ended` gives what came until the end of the other. */
const silent = (cleanUp: CleanUp, port: number): { readonly socket: Socket; readonly ended: Promise<string> } => {
  const socket = connect({ port, host: '127.0.0.1', allowHalfOpen: true });
  cleanUp.add(() => socket.destroy());
  let came = '';
  socket.on('error', () => undefined);
  socket.on('data', (data) => {
    came += String(data);
  });
  const ended = new Promise<string>((resolve) => {
    for (const event of ['end', 'close']) socket.once(event, () => resolve(came));
  });
  return { socket, ended };
};

describe('a refused connection', () => {
  it('gets a response and ends, and begins no request', async ({ cleanUp }) => {
    const { address, handler } = await refusing(cleanUp, null);
    const { status, headers, body } = await rawExchange(address, 'GET / HTTP/1.1\r\nHost: a\r\n\r\n');
    expect({ status, body }).toEqual({ status: 503, body: refusal.body });
    expect(headers).toMatchObject({ 'retry-after': '7', connection: 'close', 'content-length': '15' });
    expect(handler.requests).toEqual([]);
    expect(handler.peers).toEqual(['127.0.0.1']);
    expect(handler.open).toBe(0);
  });

  it('gets a response within an upload of megabytes', async ({ cleanUp }) => {
    const { address } = await refusing(cleanUp, null);
    const upload = `POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 4000000\r\n\r\n${'x'.repeat(4_000_000)}`;
    expect((await rawExchange(address, upload)).body).toBe(refusal.body);
  });

  it('is closed if its client ignores the response', async ({ cleanUp }) => {
    const { address } = await refusing(cleanUp, null);
    const { socket, ended } = silent(cleanUp, address.port);
    expect(await ended).toContain('503 Service Unavailable');
    const closed = new Promise((resolve) => socket.once('close', resolve));
    const more = setInterval(() => socket.write('more of it'), 50);
    await closed;
    clearInterval(more);
  });

  it('does not count as open', async ({ cleanUp }) => {
    const { address, listener } = await refusing(cleanUp, null);
    const { socket } = silent(cleanUp, address.port);
    await new Promise((resolve) => socket.once('data', resolve));
    expect(listener.connections()).toBe(0);
  });

  it('does not delay the end of its listener', async ({ cleanUp }) => {
    const { address, listener } = await refusing(cleanUp, null);
    const { socket, ended } = silent(cleanUp, address.port);
    await new Promise((resolve) => socket.once('data', resolve));
    await listener.drain(0);
    expect(await ended).toContain('503 Service Unavailable');
  });
});

describe('a refused connection over TLS', () => {
  it('gets a response after the handshake', async ({ cleanUp }) => {
    const { address, handler } = await refusing(cleanUp, preparedTls([server]));
    const call = await tlsCall(address, trusting());
    expect(call).toMatchObject({ status: 503, error: null });
    expect(call.text).toContain('Retry-After: 7\r\n');
    expect(call.text.endsWith(refusal.body)).toBe(true);
    expect(handler.requests).toEqual([]);
  });

  it('without TLS ends without a log line', async ({ cleanUp }) => {
    const { address, handler } = await refusing(cleanUp, preparedTls([server]));
    await rawExchange(address, 'GET / HTTP/1.1\r\nHost: a\r\n\r\n');
    const { socket, ended } = silent(cleanUp, address.port);
    socket.write(Buffer.from('\x16\x03\x01\x01\x00\x01', 'latin1'));
    expect(await ended).toBe('');
    expect(handler.failures).toEqual([]);
  });

  it('without a required certificate fails the handshake', async ({ cleanUp }) => {
    const tls = preparedTls([server], { clientAuth: 'require', clientAuthorities: root.certificate });
    const { address, handler } = await refusing(cleanUp, tls);
    expect((await tlsCall(address, trusting())).status).toBeNull();
    expect(handler.failures).toEqual([]);
    expect(handler.open).toBe(0);
  });
});

describe('a flood of refused connections', () => {
  it('gets complete responses or none, and then connections are accepted again', async ({ cleanUp }) => {
    const { address, handler } = await refusing(cleanUp, null);
    const all = Array.from({ length: 400 }, () => silent(cleanUp, address.port));
    const texts = await Promise.all(all.map(({ ended }) => ended));
    expect(handler.peers).toHaveLength(400);
    const answered = texts.filter((text) => text.endsWith(refusal.body)).length;
    expect(answered).toBeGreaterThanOrEqual(256);
    expect(texts.filter((text) => text === '')).toHaveLength(400 - answered);
    handler.refusal = null;
    expect((await rawExchange(address, 'GET / HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n')).status).toBe(200);
  });

  it('shares one bound over all listeners of an engine', async ({ cleanUp }) => {
    const engine = new CoreHttpEngine(new NodeListeningSockets(), testSocketLayers);
    const handler = new RecordingHandler();
    handler.refusal = refusal;
    const options = {
      name: 'main',
      limits: defaultEngineLimits,
      timeouts: plainTimeouts,
      tls: preparedTls([server]),
      proxyHeaderFrom: null,
      http2: false,
    };
    const address = { host: '127.0.0.1', port: 0 };
    const [first, second] = [
      await engine.bind('first', address, handler, options),
      await engine.bind('second', address, handler, { ...options, tls: null }),
    ];
    cleanUp.add(() => Promise.all([first.drain(0), second.drain(0)]));
    await Promise.all([first.listen(), second.listen()]);
    // Handshakes that do not come on hold their places.
    const held = Array.from({ length: 256 }, () => silent(cleanUp, first.address().port));
    await expect.poll(() => handler.peers.length).toBe(256);
    expect(await silent(cleanUp, second.address().port).ended).toBe('');
    for (const { socket } of held) socket.destroy();
    await expect.poll(async () => silent(cleanUp, second.address().port).ended).toContain(refusal.body);
  });
});

describe('an admitted connection', () => {
  const get = 'GET / HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n';

  it('is admitted once, before reads, and released once at its end', async ({ cleanUp }) => {
    const { listener, handler } = await recordedListener(cleanUp, null);
    const { port } = listener.address();
    const { socket } = silent(cleanUp, port);
    await expect.poll(() => handler.open).toBe(1);
    expect(handler.requests).toEqual([]);
    socket.write('GET / HTTP/1.1\r\nHost: a\r\n\r\nGET / HTTP/1.1\r\nHost: a\r\n\r\n');
    await expect.poll(() => handler.requests.length).toBe(2);
    socket.destroy();
    await expect.poll(() => handler.open).toBe(0);
    expect(handler.peers).toHaveLength(1);
  });

  it('is released for every kind of end', async ({ cleanUp }) => {
    const tls = preparedTls([server]);
    const { listener, handler } = await recordedListener(cleanUp, tls, {
      proxyHeaderMs: 5_000,
      headMs: 200,
      handshakeTimeoutMs: 200,
    });
    const address = listener.address();
    const stalled = silent(cleanUp, address.port);
    stalled.socket.write(Buffer.from('\x16\x03\x01\x01\x00\x01', 'latin1'));
    await Promise.all([
      tlsCall(address, trusting(), get),
      tlsCall(address, trusting(), 'no HTTP\r\n\r\n'),
      tlsCall(address, trusting(), 'GET / HTTP/1.1\r\nX-Slow'),
      tlsCall(address, { ...trusting(), minVersion: 'TLSv1.1', maxVersion: 'TLSv1.1' }).catch(() => undefined),
      rawExchange(address, get),
      stalled.ended,
      (await tlsConnection(address, trusting())).destroy(),
    ]);
    await expect.poll(() => handler.open).toBe(0);
    expect(handler.peers).toHaveLength(7);
  });
});
