import { connect, type Socket } from 'node:net';
import { connect as connectTls } from 'node:tls';
import { afterAll, beforeAll, describe, expect } from 'vitest';
import type { TlsContext } from '../../../../../src/application/ports/gateway/http-engine.js';
import type { SocketAddress } from '../../../../../src/domain/configuration/network-addresses.js';
import { preparedTls, recordedListener } from '../../../../support/gateway/tls-listener.js';
import { it } from '../../../../support/shared/fixtures.js';
import { type OpensslCertificate, OpensslCertificates } from '../../../../support/shared/openssl-certificates.js';

const pki = new OpensslCertificates();
let identity: OpensslCertificate;

beforeAll(() => {
  identity = pki.server('a.example', { by: pki.authority('root'), names: ['DNS:a.example'] });
});
afterAll(() => pki.remove());

/** Far more than the system takes at once. */
const octets = 24_000_000;

/** Takes a mebibyte ten times a second; gives what has come when the connection ends. */
const readSlowly = (socket: Socket): Promise<number> =>
  new Promise((resolve) => {
    let came = 0;
    let wanted = 0;
    const pace = setInterval(() => {
      wanted = came + 1_048_576;
      socket.resume();
    }, 100);
    socket.on('data', ({ length }: Buffer) => {
      came += length;
      if (came >= wanted) socket.pause();
    });
    socket.on('error', () => undefined);
    socket.once('close', () => {
      clearInterval(pace);
      resolve(came);
    });
    socket.write('GET / HTTP/1.1\r\nHost: a\r\n\r\n');
  });

const connections: readonly [string, () => TlsContext | null, (address: SocketAddress) => Socket][] = [
  ['plain HTTP', () => null, ({ host, port }) => connect({ host, port })],
  [
    'TLS',
    () => preparedTls([identity]),
    // What is looked at here is the pace alone.
    ({ host, port }) => connectTls({ host, port, rejectUnauthorized: false }),
  ],
];

describe.each(connections)('a client that reads slowly, over %s', (_, tls, open) => {
  it('gets a large piece that takes several stall timeouts', async ({ cleanUp }) => {
    const { listener, handler } = await recordedListener(cleanUp, tls(), { bodyMs: 800 });
    handler.held = true;
    const socket = open(listener.address());
    cleanUp.add(() => void socket.destroy());
    const came = readSlowly(socket);
    await expect.poll(() => handler.responses.length).toBe(1);
    const [response] = handler.responses;
    response?.begin(200, ['Content-Length', String(octets)], true);
    await response?.write(Buffer.alloc(octets));
    response?.end([]);
    expect(await came).toBeGreaterThan(octets);
  });

  it('is disconnected if it reads nothing', async ({ cleanUp }) => {
    const { listener, handler } = await recordedListener(cleanUp, tls(), { bodyMs: 300 });
    handler.held = true;
    const socket = open(listener.address());
    cleanUp.add(() => void socket.destroy());
    socket.on('error', () => undefined);
    socket.pause();
    socket.write('GET / HTTP/1.1\r\nHost: a\r\n\r\n');
    await expect.poll(() => handler.responses.length).toBe(1);
    const [response] = handler.responses;
    response?.begin(200, ['Content-Length', String(octets)], true);
    await response?.write(Buffer.alloc(octets));
    await expect.poll(() => listener.connections()).toBe(0);
  });
});
