import { connect as connectPlain, type Socket } from 'node:net';
import { afterAll, beforeAll, describe, expect } from 'vitest';
import { rawExchange } from '../../../../support/gateway/raw-exchange.js';
import { tlsCall, tlsConnection } from '../../../../support/gateway/tls-call.js';
import { preparedTls, recordedListener } from '../../../../support/gateway/tls-listener.js';
import { it } from '../../../../support/shared/fixtures.js';
import { type OpensslCertificate, OpensslCertificates } from '../../../../support/shared/openssl-certificates.js';

const pki = new OpensslCertificates();
let root: OpensslCertificate;
let first: OpensslCertificate;
let second: OpensslCertificate;
let client: OpensslCertificate;

beforeAll(() => {
  root = pki.authority('root');
  first = pki.server('first', { by: root, names: ['DNS:a.example'] });
  second = pki.server('second', { by: root, names: ['DNS:a.example'] });
  client = pki.client('client', { by: root });
});
afterAll(() => pki.remove());

const trusting = (changes: object = {}) => ({ ca: root.certificate, servername: 'a.example', ...changes });

const request = 'GET / HTTP/1.1\r\nHost: a\r\n\r\n';

/** Sends a request on a connection that stands, and gives what comes first. */
const ask = (socket: Socket): Promise<string> =>
  new Promise((resolve, reject) => {
    socket.once('data', (data) => resolve(String(data)));
    socket.once('close', () => reject(new Error('the connection was closed')));
    socket.write(request);
  });

const connected = async (port: number): Promise<Socket> => {
  const socket = connectPlain(port, '127.0.0.1');
  await new Promise((resolve) => socket.once('connect', resolve));
  socket.on('error', () => undefined);
  return socket;
};

const closed = (socket: Socket): Promise<void> =>
  new Promise((resolve) => {
    if (socket.destroyed) resolve();
    else socket.once('close', () => resolve());
  });

describe('the TLS of a listener', () => {
  it('changes at once for new connections, and for open ones without a required certificate', async ({ cleanUp }) => {
    const { listener, handler } = await recordedListener(cleanUp, preparedTls([first]));
    const address = listener.address();
    const standing = await tlsConnection(address, trusting());
    expect(standing.getPeerCertificate().subject.CN).toBe('first');

    listener.secure(preparedTls([second]), 0);
    const later = await tlsConnection(address, trusting());
    expect(later.getPeerCertificate().subject.CN).toBe('second');
    expect(await ask(standing)).toContain('200 OK');
    expect(await ask(later)).toContain('200 OK');

    listener.secure(preparedTls([first], { minVersion: '1.3' }), 0);
    expect((await tlsCall(address, trusting({ maxVersion: 'TLSv1.2' }))).text).toBe('');
    expect(await ask(later)).toContain('200 OK');

    listener.secure(preparedTls([first], { clientAuth: 'require', clientAuthorities: root.certificate }), 0);
    await Promise.all([closed(standing), closed(later)]);
    expect((await tlsCall(address, trusting())).text).toBe('');
    const shown = { cert: client.certificate, key: client.key };
    expect(await tlsCall(address, trusting(shown))).toMatchObject({ status: 200 });
    expect(handler.connection().tls?.clientCertificate).not.toBeNull();
  });

  it('can change to plain HTTP and back on the same port', async ({ cleanUp }) => {
    const { listener, handler } = await recordedListener(cleanUp, null);
    const address = listener.address();
    const plain = await connected(address.port);
    expect(await ask(plain)).toContain('"scheme":"http","tls":null');

    listener.secure(preparedTls([first]), 0);
    await closed(plain);
    const secured = await tlsConnection(address, trusting());
    expect(await ask(secured)).toContain('"scheme":"https"');
    expect((await rawExchange(address, request)).raw).not.toContain('HTTP/');

    listener.secure(null, 0);
    expect((await rawExchange(address, request.replace('\r\n\r\n', '\r\nConnection: close\r\n\r\n'))).status).toBe(200);
    expect((await tlsCall(address, trusting())).version).toBeNull();
    expect(await ask(secured)).toContain('"scheme":"https"');
    expect(handler.requests).toHaveLength(4);
    secured.destroy();
  });

  it('lets a started handshake finish', async ({ cleanUp }) => {
    const { listener } = await recordedListener(cleanUp, preparedTls([first]));
    const raw = await connected(listener.address().port);
    await expect.poll(() => listener.connections()).toBe(1);
    listener.secure(preparedTls([second]), 0);
    const socket = await tlsConnection(listener.address(), { ...trusting(), socket: raw });
    expect(socket.getPeerCertificate().subject.CN).toBe('first');
    expect(await ask(socket)).toContain('200 OK');
    socket.destroy();
  });

  it('refuses TLS of another engine', async ({ cleanUp }) => {
    const { listener } = await recordedListener(cleanUp, null);
    expect(() => listener.secure({ isTlsContext: true, warnings: [], certificates: [] }, 0)).toThrow('another engine');
  });

  it('resumes no session with another certificate', async ({ cleanUp }) => {
    const { listener } = await recordedListener(cleanUp, preparedTls([first]));
    const { sessions } = await tlsCall(listener.address(), trusting());
    listener.secure(preparedTls([first]), 0);
    const again = await tlsCall(listener.address(), { ...trusting(), session: sessions[0] });
    expect(again).toMatchObject({ status: 200, isResumed: false });
  });
});

describe('a draining listener with TLS', () => {
  it('closes unused connections and handshakes without reporting failures', async ({ cleanUp }) => {
    const { listener, handler } = await recordedListener(cleanUp, preparedTls([first]), {
      handshakeTimeoutMs: 600_000,
      drainLingerMs: 0,
    });
    const { port } = listener.address();
    const silent = await connected(port);
    const begun = await connected(port);
    begun.write(Buffer.from('\x16\x03\x01\x01\x00\x01\x00', 'latin1'));
    const secured = await tlsConnection(listener.address(), trusting());
    const idle = await tlsConnection(listener.address(), trusting());
    await ask(idle);
    await expect.poll(() => listener.connections()).toBe(4);
    // Far longer than the test may take: nothing here is cut off by the grace.
    await listener.drain(600_000);
    await Promise.all([silent, begun, secured, idle].map(closed));
    await expect.poll(() => listener.connections()).toBe(0);
    expect(handler.failures).toEqual([]);
  });

  it('waits for a request in flight, and aborts it after the grace period', async ({ cleanUp }) => {
    const { listener, handler } = await recordedListener(cleanUp, preparedTls([first]));
    handler.held = true;
    const socket = await tlsConnection(listener.address(), trusting());
    socket.write(request);
    await expect.poll(() => handler.requests.length).toBe(1);
    await listener.drain(50);
    await closed(socket);
    await expect.poll(() => listener.connections()).toBe(0);
  });
});

describe('the connections of a listener with TLS', () => {
  it('count from start to end', async ({ cleanUp }) => {
    const { listener } = await recordedListener(cleanUp, preparedTls([first]));
    const raw = await connected(listener.address().port);
    await expect.poll(() => listener.connections()).toBe(1);
    const secured = await tlsConnection(listener.address(), trusting());
    expect(listener.connections()).toBe(2);
    raw.destroy();
    await expect.poll(() => listener.connections()).toBe(1);
    secured.end();
    await expect.poll(() => listener.connections()).toBe(0);
  });
});
