import { createHash, randomBytes } from 'node:crypto';
import { type AddressInfo, connect, createServer, type Socket } from 'node:net';
import { afterEach, describe, expect, it } from 'vitest';
import { WebSocket, WebSocketServer } from 'ws';
import { echo, type HttpUpstream, startHttpUpstream } from '../../support/gateway/http-upstream.js';
import {
  type InProcessGateway,
  startInProcess,
  testConfiguration,
  testUpstream,
} from '../../support/gateway/in-process-gateway.js';
import { rawExchange } from '../../support/gateway/raw-exchange.js';

let upstream: HttpUpstream | null = null;
let sockets: WebSocketServer | null = null;
let gateway: InProcessGateway | null = null;

afterEach(async () => {
  await gateway?.stop();
  for (const each of sockets?.clients ?? []) each.terminate();
  await upstream?.close();
  gateway = null;
  upstream = null;
});

const start = async (): Promise<InProcessGateway> => {
  upstream = await startHttpUpstream(echo);
  sockets = new WebSocketServer({ server: upstream.server });
  sockets.on('connection', (socket, request) => {
    socket.send(`path ${request.url}`);
    socket.on('message', (data, isBinary) => socket.send(data, { binary: isBinary }));
  });
  gateway = await startInProcess(testConfiguration([testUpstream(upstream.port)]));
  return gateway;
};

const opened = (url: string): Promise<{ socket: WebSocket; first: string }> =>
  new Promise((resolve, reject) => {
    const socket = new WebSocket(url.replace('http:', 'ws:'));
    socket.once('error', reject);
    socket.once('message', (data) => resolve({ socket, first: data.toString() }));
  });

const next = (socket: WebSocket): Promise<Buffer> =>
  new Promise((resolve) => socket.once('message', (data) => resolve(data as Buffer)));

const digest = (data: Buffer): string => createHash('sha256').update(data).digest('hex');

describe('a WebSocket through the gateway', () => {
  it('carries messages in both directions, large ones too', async () => {
    const { url } = await start();
    const { socket, first } = await opened(`${url}/chat?room=1`);
    expect(first).toBe('path /chat?room=1');
    const large = randomBytes(5_000_000);
    socket.send(large);
    expect(digest(await next(socket))).toBe(digest(large));
    socket.close();
  });

  it('ends for one side when the other disconnects', async () => {
    const { url, state } = await start();
    const { socket } = await opened(url);
    const closed = new Promise((resolve) => socket.once('close', resolve));
    for (const each of sockets?.clients ?? []) each.terminate();
    await closed;
    await expect.poll(() => state.requestsInFlight()).toBe(0);
  });

  it('delivers the rest to a half-closed client, and releases the upstream', async () => {
    // It never ends its own side.
    const raw = createServer({ allowHalfOpen: true }, (socket) => {
      held.add(socket);
      socket.on('error', () => undefined);
      socket.on('close', () => held.delete(socket));
      socket.once('data', () => {
        socket.write('HTTP/1.1 101 Switching Protocols\r\nConnection: Upgrade\r\nUpgrade: websocket\r\n\r\n');
        socket.on('data', () => undefined);
      });
    });
    const held = new Set<Socket>();
    await new Promise<void>((resolve) => raw.listen(0, '127.0.0.1', resolve));
    gateway = await startInProcess(testConfiguration([testUpstream((raw.address() as AddressInfo).port)]));
    const client = connect({ host: gateway.address.host, port: gateway.address.port });
    client.write(
      'GET / HTTP/1.1\r\nHost: a\r\nConnection: Upgrade\r\nUpgrade: websocket\r\n' +
        'Sec-WebSocket-Version: 13\r\nSec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\n\r\n',
    );
    await new Promise((resolve) => client.once('data', resolve));
    expect(held.size).toBe(1);
    client.end();
    for (const socket of held) await new Promise((resolve) => socket.once('end', resolve));
    const last = new Promise((resolve) => client.once('data', (octets) => resolve(octets.toString())));
    for (const socket of held) socket.write('last words');
    expect(await last).toBe('last words');
    client.resetAndDestroy();
    // Whatever it sends now comes to nobody.
    const heldAfterWriting = (): number => {
      for (const socket of held) socket.write('still here');
      return held.size;
    };
    await expect.poll(heldAfterWriting).toBe(0);
    const { state } = gateway;
    await expect.poll(() => state.requestsInFlight()).toBe(0);
    await new Promise((resolve) => raw.close(resolve));
  });

  it('appears in the access log at its end, with a correlation id in its 101', async () => {
    const running = await start();
    const { socket } = await opened(running.url);
    socket.terminate();
    await expect.poll(() => running.accessRecords).toMatchObject([{ status: 101, route: 'all' }]);
  });
});

describe('a WebSocket request with a declared body', () => {
  it.each(['Content-Length: 5', 'Transfer-Encoding: chunked'])('(%s) is refused', async (framing) => {
    const { address } = await start();
    const { status } = await rawExchange(
      address,
      `GET / HTTP/1.1\r\nHost: a\r\nConnection: Upgrade\r\nUpgrade: websocket\r\n${framing}\r\n\r\nhello`,
    );
    expect(status).toBe(400);
  });
});

describe('another upgrade', () => {
  it.each(['h2c', 'TLS/1.0', 'websocket, h2c'])(
    'to %s is ignored, and the request gets a normal response',
    async (protocol) => {
      const { address } = await start();
      const { status, body } = await rawExchange(
        address,
        `GET / HTTP/1.1\r\nHost: a\r\nConnection: Upgrade, HTTP2-Settings\r\nUpgrade: ${protocol}\r\nHTTP2-Settings: AAMAAABk\r\n\r\nGET /second HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n`,
      );
      expect(status).toBe(200);
      expect(body.toLowerCase()).not.toContain('h2c');
      expect(body.toLowerCase()).not.toContain('"upgrade"');
    },
  );

  it('by an upstream without a request for one becomes 502', async () => {
    upstream = await startHttpUpstream((_, response) => {
      response.socket?.end('HTTP/1.1 101 Switching Protocols\r\nConnection: Upgrade\r\nUpgrade: websocket\r\n\r\n');
    });
    gateway = await startInProcess(testConfiguration([testUpstream(upstream.port)]));
    expect((await fetch(gateway.url)).status).toBe(502);
  });
});
