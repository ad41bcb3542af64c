import { connect, type Socket } from 'node:net';
import { connect as connectTls } from 'node:tls';
import { afterAll, beforeAll, describe, expect } from 'vitest';
import type { ListenerOptions } from '../../../../../src/application/ports/gateway/http-engine.js';
import { type CidrSet, compileCidrs } from '../../../../../src/domain/http/cidr-set.js';
import { begunConnection, textUntilEnd } from '../../../../support/gateway/begun-connection.js';
import {
  binaryHeader,
  ipv4Addresses,
  ipv6Addresses,
  tlv,
  withChecksum,
} from '../../../../support/gateway/proxy-headers.js';
import { preparedTls, recordedListener } from '../../../../support/gateway/tls-listener.js';
import type { CleanUp } from '../../../../support/shared/clean-up.js';
import { it } from '../../../../support/shared/fixtures.js';
import { type OpensslCertificate, OpensslCertificates } from '../../../../support/shared/openssl-certificates.js';

const pki = new OpensslCertificates();
let server: OpensslCertificate;
beforeAll(() => {
  server = pki.server('server', { by: pki.authority('root'), names: ['DNS:a.example'] });
});
afterAll(() => pki.remove());

const blocks = (...texts: string[]): CidrSet => {
  const compiled = compileCidrs(texts);
  if (!compiled.ok) throw new Error(compiled.error);
  return compiled.value;
};

const proxied = (
  cleanUp: CleanUp,
  tls: ListenerOptions['tls'] = null,
  changes: NonNullable<Parameters<typeof recordedListener>[2]> = {},
) => recordedListener(cleanUp, tls, { proxyHeaderFrom: blocks('127.0.0.1'), ...changes });

const line = Buffer.from('PROXY TCP4 192.0.2.7 198.51.100.1 56324 443\r\n');
const binary = withChecksum(0x21, 0x21, Buffer.concat([ipv6Addresses, tlv(0x02, Buffer.from('a.example'))]));
const local = binaryHeader(0x20, 0x00, Buffer.alloc(0));
const requests = Buffer.from(
  'GET /one HTTP/1.1\r\nHost: a\r\n\r\nGET /two HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n',
);

/** A connection that sends this at once, and no end of its own. */
const opened = (cleanUp: CleanUp, port: number, ...pieces: Uint8Array[]): Socket => {
  const socket = connect({ port, host: '127.0.0.1', allowHalfOpen: true });
  cleanUp.add(() => socket.destroy());
  socket.on('error', () => undefined);
  for (const piece of pieces) socket.write(piece);
  return socket;
};

const closed = (socket: Socket): Promise<void> =>
  new Promise((resolve) => {
    socket.resume();
    socket.once('close', () => resolve());
    socket.once('end', () => {
      socket.end();
      resolve();
    });
  });

describe('a listener with PROXY headers', () => {
  it.for([
    ['version 1', line, { peerAddress: '192.0.2.7', peerPort: 56_324 }],
    ['version 2', binary, { peerAddress: '2001:db8::7', peerPort: 56_324 }],
  ] as const)('takes client addresses from them, at any cut (%s)', async ([_name, header, client], { cleanUp }) => {
    const { listener, handler } = await proxied(cleanUp);
    const { port } = listener.address();
    const whole = header.length + requests.length;
    for (let cut = 1; cut <= whole; cut += cut < header.length + 12 ? 1 : 9) {
      handler.requests.length = 0;
      const connection = begunConnection(port, header, cut);
      connection.write(requests);
      const text = await textUntilEnd(connection);
      expect([cut, text.match(/HTTP\/1\.1 200/g)?.length]).toEqual([cut, 2]);
      expect(handler.requests.map(({ target }) => target)).toEqual(['/one', '/two']);
      expect(handler.connection()).toMatchObject(client);
      expect(handler.peers.at(-1)).toBe(client.peerAddress);
    }
    expect(handler.headerFailures).toEqual([]);
    expect(handler.rejections).toEqual([]);
  });

  it.for([
    ['version 1', line, '192.0.2.7'],
    ['version 2', binary, '2001:db8::7'],
  ] as const)(
    'takes client addresses from them over TLS, at any cut (%s)',
    async ([_name, header, peerAddress], { cleanUp }) => {
      const { listener, handler } = await proxied(cleanUp, preparedTls([server]));
      const { port } = listener.address();
      for (let cut = 1; cut <= header.length + 30; cut += cut < header.length - 2 ? 5 : 1) {
        const socket = begunConnection(port, header, cut);
        const connection = connectTls({ socket, rejectUnauthorized: false, servername: 'a.example' });
        connection.write(requests);
        expect((await textUntilEnd(connection)).match(/HTTP\/1\.1 200/g)).toHaveLength(2);
        expect(handler.connection()).toMatchObject({ peerAddress, scheme: 'https', tls: { serverName: 'a.example' } });
      }
      expect(handler.failures).toEqual([]);
    },
  );

  it('answers a client that half-closes with its request', async ({ cleanUp }) => {
    for (const from of [blocks('127.0.0.1'), null]) {
      const { listener, handler } = await proxied(cleanUp, null, { proxyHeaderFrom: from });
      const socket = opened(cleanUp, listener.address().port);
      const text = textUntilEnd(socket);
      socket.end(Buffer.concat([from === null ? Buffer.alloc(0) : line, requests]));
      expect((await text).match(/HTTP\/1\.1 200/g)).toHaveLength(2);
      expect(handler.connection().peerAddress).toBe(from === null ? '127.0.0.1' : '192.0.2.7');
    }
  });

  it.for([
    ['LOCAL', local],
    ['UNKNOWN', Buffer.from('PROXY UNKNOWN\r\n')],
  ] as const)("uses the proxy's address if the header says %s", async ([_name, header], { cleanUp }) => {
    const { listener, handler } = await proxied(cleanUp);
    const socket = opened(cleanUp, listener.address().port, header, requests);
    await closed(socket);
    expect(handler.connection()).toMatchObject({ peerAddress: '127.0.0.1', peerPort: socket.localPort });
  });

  it.for([
    ['a request without one', requests, 'no_proxy_header'],
    ['TLS without one', Buffer.from('160301020001000001fc0303', 'hex'), 'no_proxy_header'],
    ['a malformed one', Buffer.from('PROXY TCP4 192.0.2.7\r\nGET / HTTP/1.1\r\n\r\n'), 'malformed'],
    ['a long one', Buffer.from(`PROXY UNKNOWN ${'x'.repeat(100)}`), 'too_long'],
    ['a wrong checksum', Buffer.concat([binary.subarray(0, -1), Buffer.from('!')]), 'wrong_checksum'],
  ] as const)('closes a connection silently for %s', async ([_name, octets, reason], { cleanUp }) => {
    const { listener, handler } = await proxied(cleanUp);
    const connection = begunConnection(listener.address().port, Buffer.alloc(0), octets.length);
    connection.on('error', () => undefined);
    connection.write(octets);
    expect(await textUntilEnd(connection).catch(() => '')).toBe('');
    expect(handler.headerFailures).toEqual([{ listener: 'main', peerAddress: '127.0.0.1', reason }]);
    expect([handler.peers, handler.requests, handler.rejections, handler.open]).toEqual([[], [], [], 0]);
  });

  it('closes a connection that ends within its header', async ({ cleanUp }) => {
    const { listener, handler } = await proxied(cleanUp);
    opened(cleanUp, listener.address().port).end(line.subarray(0, 20));
    expect(await handler.headerFailure()).toMatchObject({ reason: 'incomplete' });
    expect(handler.peers).toEqual([]);
  });

  it('waits for the header up to its timeout', async ({ cleanUp }) => {
    const { listener, handler } = await proxied(cleanUp, null, { proxyHeaderMs: 30 });
    const ended = closed(opened(cleanUp, listener.address().port, line.subarray(0, 20)));
    expect(await handler.headerFailure()).toMatchObject({ reason: 'timed_out' });
    await ended;
    expect(handler.peers).toEqual([]);
  });

  it('trusts no header of other peers', async ({ cleanUp }) => {
    const { listener, handler } = await proxied(cleanUp, null, { proxyHeaderFrom: blocks('192.0.2.0/24', '::/0') });
    await closed(opened(cleanUp, listener.address().port, line, requests));
    expect(handler.headerFailures).toEqual([{ listener: 'main', peerAddress: '127.0.0.1', reason: 'untrusted_peer' }]);
    expect(handler.peers).toEqual([]);
  });

  it.for([
    ['nothing', null],
    ['its own header alone', local],
    ['the header of a client alone', line],
  ] as const)('does not log a peer that connects, sends %s and disconnects', async ([_name, header], { cleanUp }) => {
    for (const tls of [null, preparedTls([server])]) {
      const { listener, handler } = await proxied(cleanUp, tls);
      const socket = opened(cleanUp, listener.address().port, ...(header === null ? [] : [header]));
      const ended = closed(socket);
      socket.end();
      await ended;
      await listener.drain(0);
      expect([handler.headerFailures, handler.failures, handler.rejections]).toEqual([[], [], []]);
      expect(handler.open).toBe(0);
    }
  });

  it('answers refused clients, plain and after the handshake', async ({ cleanUp }) => {
    for (const tls of [null, preparedTls([server])]) {
      const { listener, handler } = await proxied(cleanUp, tls);
      handler.refusal = { status: 503, headers: [], body: 'full' };
      const begun = begunConnection(listener.address().port, line, 7);
      const connection = tls === null ? begun : connectTls({ socket: begun, rejectUnauthorized: false });
      connection.write(requests);
      expect(await textUntilEnd(connection)).toMatch(/^HTTP\/1\.1 503 .*full$/s);
      expect(handler.peers).toEqual(['192.0.2.7']);
    }
  });

  it('closes connections with only a header when it drains', async ({ cleanUp }) => {
    for (const tls of [null, preparedTls([server])]) {
      const { listener, handler } = await proxied(cleanUp, tls, { drainLingerMs: 0, proxyHeaderMs: 60_000 });
      const { port } = listener.address();
      const sockets = [opened(cleanUp, port, line.subarray(0, 20)), opened(cleanUp, port), opened(cleanUp, port, line)];
      const ends = sockets.map(closed);
      // The last of them is known of, and so the others are.
      await handler.admitted();
      await listener.drain(60_000);
      await Promise.all(ends);
      expect(handler.open).toBe(0);
    }
  });

  it('closes connections of proxies that lost their trust', async ({ cleanUp }) => {
    const { listener, handler } = await proxied(cleanUp, null, { proxyHeaderMs: 60_000 });
    const { port } = listener.address();
    const [named, waiting] = [opened(cleanUp, port, line), opened(cleanUp, port)];
    const ends = [closed(named), closed(waiting)];
    named.write('GET / HTTP/1.1\r\nHost: a\r\n\r\n');
    await new Promise((resolve) => named.once('data', resolve));
    listener.expectProxyHeaders(blocks('127.0.0.0/8'), 1_000);
    named.write('GET / HTTP/1.1\r\nHost: a\r\n\r\n');
    await new Promise((resolve) => named.once('data', resolve));
    listener.expectProxyHeaders(blocks('192.0.2.1'), 1_000);
    await Promise.all(ends);
    expect(handler.requests).toHaveLength(2);
    listener.expectProxyHeaders(null, 1_000);
    await closed(opened(cleanUp, port, requests));
    expect(handler.connection().peerAddress).toBe('127.0.0.1');
  });
});

describe('a listener without PROXY headers', () => {
  it.for([line, binary, binaryHeader(0x21, 0x11, ipv4Addresses)])('refuses them (%#)', async (header, { cleanUp }) => {
    const { listener, handler } = await recordedListener(cleanUp, null);
    await closed(opened(cleanUp, listener.address().port, header, requests));
    expect(handler.requests).toEqual([]);
    expect(handler.rejections).toMatchObject([{ reason: 'malformed', connection: { peerAddress: '127.0.0.1' } }]);
    expect(handler.headerFailures).toEqual([]);
  });
});
