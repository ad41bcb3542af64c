import { connect, type Socket } from 'node:net';
import { afterEach, describe, expect, it } from 'vitest';
import { echo, type HttpUpstream, startHttpUpstream } from '../../support/http-upstream.js';
import {
  type InProcessGateway,
  startInProcess,
  testConfiguration,
  testRoute,
  testUpstream,
} from '../../support/in-process-gateway.js';
import { plainPolicies } from '../../support/plain-configurations.js';
import { rawExchange } from '../../support/raw-exchange.js';

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

const impatient = { headTimeoutMs: 200, bodyTimeoutMs: 200, idleTimeoutMs: 200 };

const start = async (handle = echo): Promise<InProcessGateway> => {
  upstream = await startHttpUpstream(handle);
  gateway = await startInProcess(testConfiguration([testUpstream(upstream.port)]), { engineLimits: impatient });
  return gateway;
};

describe('a client that is too slow', () => {
  it('with its head gets a 408 and is closed', async () => {
    const { address } = await start();
    const { status, body } = await rawExchange(address, 'GET / HTTP/1.1\r\nHost: a\r\nX-Slow');
    expect(status).toBe(408);
    expect(JSON.parse(body)).toMatchObject({ code: 'request_timeout' });
  });

  it('to begin at all is closed', async () => {
    const { address } = await start();
    const { status } = await rawExchange(address, '');
    expect(status).toBe(408);
  });

  it('with its body gets a 408 and is closed', async () => {
    const { address } = await start();
    const { status } = await rawExchange(address, 'POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 10\r\n\r\nabc');
    expect(status).toBe(408);
  });

  it('and ends in the middle of a body that was refused is not waited for', async () => {
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

  it('with its next request on a kept connection is closed', async () => {
    const { address } = await start();
    const { status } = await rawExchange(address, 'GET / HTTP/1.1\r\nHost: a\r\n\r\n');
    expect(status).toBe(200);
  });

  it('to read its response is cut off, and the upstream is let go', async () => {
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

  it('to read a response that has ended is cut off too', async () => {
    const { address, state } = await start((_, response) => response.end(Buffer.alloc(20_000_000)));
    client = connect({ host: address.host, port: address.port });
    client.pause();
    client.write('GET / HTTP/1.1\r\nHost: a\r\n\r\n');
    await expect.poll(() => state.openConnections(), { timeout: 10_000 }).toBe(1);
    await expect.poll(() => state.openConnections(), { timeout: 10_000 }).toBe(0);
  });
});
