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
let client: OpensslCertificate;

beforeAll(() => {
  root = pki.authority('root');
  first = pki.server('first', { by: root, names: ['DNS:a.example'] });
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

describe('the connections of a listener with TLS', () => {
  it('leak nothing when a thousand of them end in different ways', { timeout: 90_000 }, async ({ cleanUp }) => {
    const tls = preparedTls([first], { clientAuth: 'request', clientAuthorities: root.certificate });
    const { listener, handler } = await recordedListener(cleanUp, tls);
    const shown = { cert: client.certificate, key: client.key };
    const outdated = { minVersion: 'TLSv1.1', maxVersion: 'TLSv1.1', ciphers: 'DEFAULT@SECLEVEL=0' };
    const ways: readonly (() => Promise<unknown>)[] = [
      async () => (await connected(listener.address().port)).destroy(),
      () => rawExchange(listener.address(), 'GET / HTTP/1.1\r\n\r\n'),
      async () => {
        const socket = await connected(listener.address().port);
        socket.end(Buffer.from('\x16\x03\x01\x01\x00\x01', 'latin1'));
        socket.resume();
        await closed(socket);
      },
      async () => {
        const socket = await tlsConnection(listener.address(), trusting(shown));
        await ask(socket);
        socket.destroy();
      },
      () => tlsCall(listener.address(), trusting(outdated)),
    ];
    for (let round = 0; round < 20; round += 1) {
      await Promise.all(
        Array.from({ length: 50 }, (_, index) => (ways[index % ways.length] as () => Promise<unknown>)()),
      );
    }
    await expect.poll(() => listener.connections()).toBe(0);
    // Those that sent anything that is no handshake are told of once each; those who left without a word are not.
    const count = (code: string) => handler.failures.filter((failure) => failure.code === code).length;
    expect(handler.failures).toHaveLength(600);
    expect([count('ERR_SSL_HTTP_REQUEST'), count('ECONNRESET'), count('ERR_SSL_UNSUPPORTED_PROTOCOL')]).toEqual([
      200, 200, 200,
    ]);
    expect(handler.requests).toHaveLength(200);
    // Resolves when Node's own server has no connection left either.
    await listener.drain(600_000);
  });
});
