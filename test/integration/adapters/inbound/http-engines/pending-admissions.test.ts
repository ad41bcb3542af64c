import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import { afterAll, beforeAll, describe, expect } from 'vitest';
import type { ConnectionAdmission } from '../../../../../src/application/ports/gateway/http-engine.js';
import { rawExchange } from '../../../../support/gateway/raw-exchange.js';
import { tlsCall } from '../../../../support/gateway/tls-call.js';
import { preparedTls, recordedListener } from '../../../../support/gateway/tls-listener.js';
import type { CleanUp } from '../../../../support/shared/clean-up.js';
import { eventually } from '../../../../support/shared/eventually.js';
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

const refusal = { status: 503, headers: ['Retry-After', '7'], body: '{"code":"full"}' };

/** A listener whose handler takes its time: `decide` lets those that wait know. */
const hesitating = async (cleanUp: CleanUp, tls: Parameters<typeof recordedListener>[1]) => {
  const recorded = await recordedListener(cleanUp, tls);
  const { handler } = recorded;
  const admit = handler.admit.bind(handler);
  const waiting: (() => void)[] = [];
  const asked: (() => void)[] = [];
  const hesitant = (listener: string, peerAddress: string): Promise<ConnectionAdmission> =>
    new Promise((resolve) => {
      waiting.push(() => resolve(admit(listener, peerAddress)));
      for (const told of asked.splice(0)) told();
    });
  Object.assign(handler, { admit: hesitant });
  return {
    ...recorded,
    address: recorded.listener.address(),
    /** Resolves once a connection waits. */
    asked: async () => {
      if (waiting.length === 0) await new Promise<void>((resolve) => asked.push(resolve));
    },
    count: () => waiting.length,
    decide: () => {
      for (const told of waiting.splice(0)) told();
    },
  };
};

const request = 'GET / HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n';

/** A connection that has sent a request by the time it waits. */
const waitingClient = async (cleanUp: CleanUp, port: number): Promise<Socket> => {
  const socket = connect({ port, host: '127.0.0.1' });
  cleanUp.add(() => socket.destroy());
  socket.on('error', () => undefined);
  await once(socket, 'connect');
  socket.write(request);
  return socket;
};

describe('a connection with a pending admission', () => {
  it('is served once admitted, with the octets sent before', async ({ cleanUp }) => {
    const { address, asked, decide, handler } = await hesitating(cleanUp, null);
    const answered = rawExchange(address, request);
    await asked();
    expect([handler.open, handler.requests.length]).toEqual([0, 0]);
    decide();
    expect((await answered).status).toBe(200);
  });

  it('gets an answer if refused', async ({ cleanUp }) => {
    const { address, asked, decide, handler } = await hesitating(cleanUp, null);
    handler.refusal = refusal;
    const answered = rawExchange(address, request);
    await asked();
    decide();
    expect(await answered).toMatchObject({ status: 503, body: refusal.body });
    expect(handler.requests).toEqual([]);
  });

  it('gets no TLS octet before admission, and its handshake after', async ({ cleanUp }) => {
    const { address, asked, decide } = await hesitating(cleanUp, preparedTls([server]));
    const answered = tlsCall(address, { ca: root.certificate, servername: 'a.example' });
    await asked();
    decide();
    expect((await answered).status).toBe(200);
  });

  it('is released at once if its client disconnected', async ({ cleanUp }) => {
    const { address, asked, decide, handler, listener } = await hesitating(cleanUp, null);
    const socket = await waitingClient(cleanUp, address.port);
    await asked();
    socket.resetAndDestroy();
    await once(socket, 'close');
    // The next one shows that the engine has heard of the reset before it decides.
    const next = await waitingClient(cleanUp, address.port);
    await asked();
    decide();
    await once(next, 'data');
    next.destroy();
    await listener.drain(1_000);
    expect(handler.open).toBe(0);
  });

  it('releases its place if its client closed it silently', async ({ cleanUp }) => {
    const { address, count, decide, handler, listener } = await hesitating(cleanUp, null);
    const socket = connect({ port: address.port, host: '127.0.0.1' });
    await eventually(() => count() === 1);
    socket.destroy();
    // The engine hears of the end before it hears of the next one.
    const next = await waitingClient(cleanUp, address.port);
    await eventually(() => count() === 2);
    decide();
    await once(next, 'data');
    next.destroy();
    await eventually(() => handler.open === 0);
    expect(listener.connections()).toBe(0);
  });

  it('ends with a drain and returns its slot', async ({ cleanUp }) => {
    const { address, asked, decide, handler, listener } = await hesitating(cleanUp, null);
    const socket = await waitingClient(cleanUp, address.port);
    await asked();
    const closed = new Promise((resolve) => socket.once('close', resolve));
    const drained = listener.drain(0);
    await closed;
    decide();
    await drained;
    expect([handler.open, handler.requests.length]).toEqual([0, 0]);
  });
});
