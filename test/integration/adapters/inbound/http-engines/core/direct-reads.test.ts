import { connect, createServer, type Socket } from 'node:net';
import { connect as connectTls, createServer as createTlsServer } from 'node:tls';
import { afterAll, describe, expect } from 'vitest';
import { readAsStream, readDirectly } from '../../../../../../src/adapters/stream-sockets/stream-socket.js';
import type { CleanUp } from '../../../../../support/shared/clean-up.js';
import { eventually } from '../../../../../support/shared/eventually.js';
import { it } from '../../../../../support/shared/fixtures.js';
import { OpensslCertificates } from '../../../../../support/shared/openssl-certificates.js';

const pki = new OpensslCertificates();
afterAll(() => pki.remove());
const certificate = pki.authority('server');

/** Both ends of a connection; the accepted one has no listeners. */
const connected = async (
  cleanUp: CleanUp,
  isTls: boolean,
): Promise<{ readonly accepted: Socket; readonly client: Socket }> => {
  const { certificate: cert, key } = certificate;
  const server = isTls ? createTlsServer({ cert, key, allowHalfOpen: true }) : createServer({ allowHalfOpen: true });
  const accepting = new Promise<Socket>((resolve) => {
    server.once(isTls ? 'secureConnection' : 'connection', resolve);
  });
  await new Promise<void>((resolve) => void server.listen(0, '127.0.0.1', resolve));
  const address = server.address();
  const port = typeof address === 'object' && address !== null ? address.port : 0;
  const client = isTls
    ? connectTls({ host: '127.0.0.1', port, rejectUnauthorized: false })
    : connect({ host: '127.0.0.1', port });
  client.setNoDelay(true);
  const accepted = await accepting;
  cleanUp.add(() => {
    client.destroy();
    accepted.destroy();
    server.close();
  });
  return { accepted, client };
};

/** What comes, by either way. */
class Reader {
  text = '';
  ended = false;
  /** Pieces that the stream gave to its listener, and those that it never had. */
  listened = 0;
  direct = 0;
  readonly #socket: Socket;

  constructor(socket: Socket) {
    this.#socket = socket;
    socket.on('data', (octets: Buffer) => {
      this.text += octets.toString('latin1');
      this.listened += 1;
    });
    socket.on('end', () => {
      this.ended = true;
    });
    readDirectly(socket, (octets) => {
      this.text += octets.toString('latin1');
      this.direct += 1;
    });
  }

  pause(): void {
    this.#socket.pause();
  }

  resume(): void {
    this.#socket.resume();
  }
}

describe.each([
  ['of TCP', false],
  ['of TLS', true],
])('a socket %s that is read directly', (_, isTls) => {
  it('delivers all octets once and in order over pauses, then its end', async ({ cleanUp }) => {
    const { accepted, client } = await connected(cleanUp, isTls);
    const reader = new Reader(accepted);
    let sent = '';
    for (let piece = 0; piece < 60; piece += 1) {
      const text = `${piece} ${'x'.repeat((piece * 7919) % 40_000)};`;
      if (piece % 7 === 3) reader.pause();
      client.write(text, 'latin1');
      sent += text;
      if (piece % 7 === 3) {
        const before = reader.text.length;
        // The piece is there, or as much of it as the stream takes.
        await eventually(() => accepted.readableLength > 0);
        expect(reader.text.length).toBe(before);
        reader.resume();
      }
      if (piece % 3 === 0) await eventually(() => reader.text.length === sent.length);
    }
    client.end();
    await eventually(() => reader.ended);
    expect(reader.text === sent).toBe(true);
    expect(reader.direct).toBeGreaterThan(0);
    expect(reader.listened).toBeGreaterThan(0);
  });

  it('delivers unshifted octets first', async ({ cleanUp }) => {
    const { accepted, client } = await connected(cleanUp, isTls);
    accepted.unshift(Buffer.from('first '));
    const reader = new Reader(accepted);
    client.write('second');
    await eventually(() => reader.text.length === 12);
    expect(reader.text).toBe('first second');
  });

  it('becomes a stream again on handover', async ({ cleanUp }) => {
    const { accepted, client } = await connected(cleanUp, isTls);
    const taken: string[] = [];
    const take = (octets: Buffer): void => void taken.push(octets.toString());
    accepted.on('data', take);
    readDirectly(accepted, take);
    client.write('before');
    await eventually(() => taken.length === 1);
    accepted.pause();
    readAsStream(accepted, take);
    client.end('behind');
    let rest = '';
    for await (const octets of accepted) rest += String(octets);
    expect([taken, rest]).toEqual([['before'], 'behind']);
  });
});
