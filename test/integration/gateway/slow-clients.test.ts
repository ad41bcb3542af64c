import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import { afterEach, describe, expect, it } from 'vitest';
import type {
  GatewayConfiguration,
  ListenerTimeouts,
} from '../../../src/domain/gateway/configuration/gateway-configuration.js';
import { echo, type HttpUpstream, startHttpUpstream } from '../../support/gateway/http-upstream.js';
import {
  type InProcessGateway,
  startInProcess,
  testConfiguration,
  testRoute,
  testUpstream,
} from '../../support/gateway/in-process-gateway.js';
import { plainPolicies, plainTimeouts } from '../../support/gateway/plain-configurations.js';
import { rawExchange } from '../../support/gateway/raw-exchange.js';

let upstream: HttpUpstream | null = null;
let gateway: InProcessGateway | null = null;
let client: Socket | null = null;

afterEach(async () => {
  client?.destroy();
  await gateway?.stop();
  await upstream?.close();
  client = null;
  gateway = null;
  upstream = null;
});

const impatient: ListenerTimeouts = {
  proxyHeaderMs: 5_000,
  headMs: 200,
  bodyMs: 200,
  minBodyOctetsPerSecond: 0,
  idleMs: 200,
};

/** A configuration whose listener waits this long for its clients. */
const waiting = ({ port }: HttpUpstream, timeouts: ListenerTimeouts): GatewayConfiguration => {
  const configuration = testConfiguration([testUpstream(port)]);
  return { ...configuration, listeners: configuration.listeners.map((listener) => ({ ...listener, timeouts })) };
};

const start = async (handle = echo): Promise<InProcessGateway> => {
  upstream = await startHttpUpstream(handle);
  gateway = await startInProcess(waiting(upstream, impatient));
  return gateway;
};

/** Sends a text over and over until the connection ends; gives what came on it. */
const trickling = ({ address }: InProcessGateway, begin: string, text: string, everyMs: number): Promise<string> =>
  new Promise((resolve) => {
    let came = '';
    const socket = connect({ host: address.host, port: address.port });
    client = socket;
    const trickle = setInterval(() => socket.write(text), everyMs);
    socket.on('error', () => undefined);
    socket.on('data', (data) => {
      came += String(data);
    });
    socket.once('close', () => {
      clearInterval(trickle);
      resolve(came);
    });
    socket.write(begin);
  });

describe('a client that is too slow', () => {
  it('with its head gets 408 and is disconnected', async () => {
    const { address } = await start();
    const { status, body } = await rawExchange(address, 'GET / HTTP/1.1\r\nHost: a\r\nX-Slow');
    expect(status).toBe(408);
    expect(JSON.parse(body)).toMatchObject({ code: 'request_timeout' });
  });

  it('with its head is disconnected in time, despite steady octets', async () => {
    const { address } = await start();
    let came = '';
    client = connect({ host: address.host, port: address.port });
    const socket = client;
    socket.on('error', () => undefined);
    const closed = new Promise((resolve) => socket.once('close', resolve));
    socket.on('data', (data) => {
      came += String(data);
    });
    socket.write('GET / HTTP/1.1\r\nHost: a\r\n');
    // Never silent for as long as a head may take.
    const trickle = setInterval(() => socket.write('X-Slow: 1\r\n'), 50);
    await closed;
    clearInterval(trickle);
    expect(came).toContain('408 Request Timeout');
  });

  it('to begin is disconnected', async () => {
    const { address } = await start();
    const { status } = await rawExchange(address, '');
    expect(status).toBe(408);
  });

  it('with its body gets 408 and is disconnected', async () => {
    const { address } = await start();
    const { status } = await rawExchange(address, 'POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 10\r\n\r\nabc');
    expect(status).toBe(408);
  });

  it('with its body gets 408 despite steady octets', async () => {
    upstream = await startHttpUpstream(echo);
    const timeouts = { ...plainTimeouts, bodyMs: 300, minBodyOctetsPerSecond: 1_000 };
    gateway = await startInProcess(waiting(upstream, timeouts), { engineLimits: { lingerMs: 100 } });
    const came = trickling(gateway, 'POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 1000000\r\n\r\n', 'a', 20);
    expect(await came).toContain('408 Request Timeout');
    await expect.poll(() => gateway?.state.requestsInFlight()).toBe(0);
  });

  it('with its body, but above the minimum rate, is awaited', async () => {
    upstream = await startHttpUpstream(echo);
    const timeouts = { ...plainTimeouts, bodyMs: 100, minBodyOctetsPerSecond: 10 };
    gateway = await startInProcess(waiting(upstream, timeouts));
    const head = 'POST / HTTP/1.1\r\nHost: a\r\nConnection: close\r\nContent-Length: 1500\r\n\r\n';
    expect(await trickling(gateway, head, 'a'.repeat(100), 50)).toContain('200 OK');
  });

  it('and stops within a refused body is not awaited', async () => {
    upstream = await startHttpUpstream(echo);
    const route = testRoute({ policies: { ...plainPolicies, maxBodySize: 10 } });
    const configuration = testConfiguration([testUpstream(upstream.port)], { routes: [route] });
    // Longer than the test may take.
    gateway = await startInProcess(configuration, { engineLimits: { lingerMs: 600_000 } });
    client = connect({ host: gateway.address.host, port: gateway.address.port });
    client.resume();
    const closed = new Promise((resolve) => client?.once('close', resolve));
    client.end('POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 100000\r\n\r\nsome of it');
    await closed;
    await expect.poll(() => gateway?.state.requestsInFlight()).toBe(0);
  });

  it('with its next request on a kept connection is disconnected', async () => {
    const { address } = await start();
    const { status } = await rawExchange(address, 'GET / HTTP/1.1\r\nHost: a\r\n\r\n');
    expect(status).toBe(200);
  });

  it('with its next request on a kept connection is disconnected, despite empty lines', async () => {
    upstream = await startHttpUpstream(echo);
    gateway = await startInProcess(waiting(upstream, { ...plainTimeouts, idleMs: 300 }));
    const came = await trickling(gateway, 'GET / HTTP/1.1\r\nHost: a\r\n\r\n', '\r\n', 50);
    expect(came.match(/HTTP\/1\.1 \d+/g)).toEqual(['HTTP/1.1 200']);
  });

  it('with the head of its next request has the head timeout', async () => {
    upstream = await startHttpUpstream(echo);
    const timeouts = { ...plainTimeouts, headMs: 1_000, idleMs: 300 };
    gateway = await startInProcess(waiting(upstream, timeouts));
    // The second head begins right behind the first, and never ends.
    const begin = 'GET / HTTP/1.1\r\nHost: a\r\n\r\n\r\nGET / HTTP/1.1\r\n';
    const came = await trickling(gateway, begin, 'X-Slow: 1\r\n', 50);
    expect(came.match(/HTTP\/1\.1 \d+/g)).toEqual(['HTTP/1.1 200', 'HTTP/1.1 408']);
  });

  it('to read its response is disconnected, and the upstream is released', async () => {
    let gone!: () => void;
    const released = new Promise<void>((resolve) => {
      gone = resolve;
    });
    const { address, state } = await start((_, response) => {
      response.once('close', gone);
      const piece = Buffer.alloc(65_536);
      const more = (): void => {
        while (response.writable && response.write(piece));
      };
      response.on('drain', more);
      more();
    });
    client = connect({ host: address.host, port: address.port });
    client.pause();
    client.write('GET / HTTP/1.1\r\nHost: a\r\n\r\n');
    await released;
    await expect.poll(() => state.requestsInFlight()).toBe(0);
  });

  it('to read a complete response is disconnected too', async () => {
    const { address, state } = await start((_, response) => response.end(Buffer.alloc(20_000_000)));
    client = connect({ host: address.host, port: address.port });
    client.pause();
    client.write('GET / HTTP/1.1\r\nHost: a\r\n\r\n');
    await expect.poll(() => state.openConnections()).toBe(1);
    await expect.poll(() => state.openConnections()).toBe(0);
  });
});

describe('the timeouts of a listener after a reload', () => {
  it('apply to the next requests of open and new connections', async () => {
    upstream = await startHttpUpstream(echo);
    gateway = await startInProcess(waiting(upstream, plainTimeouts));
    const { address } = gateway;
    client = connect({ host: address.host, port: address.port });
    const socket = client;
    socket.write('GET / HTTP/1.1\r\nHost: a\r\n\r\n');
    await once(socket, 'data');
    expect((await gateway.reload(waiting(upstream, impatient))).ok).toBe(true);

    const answers: string[] = [];
    socket.on('data', (data) => answers.push(String(data)));
    socket.write('POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 10\r\n\r\nabc');
    await once(socket, 'close');
    expect(answers.join('')).toContain('408 Request Timeout');
    expect((await rawExchange(address, 'GET / HTTP/1.1\r\nHost: a\r\nX-Slow')).status).toBe(408);
    expect((await rawExchange(address, 'GET / HTTP/1.1\r\nHost: a\r\n\r\n')).status).toBe(200);
  });
});
