import { connect, type Socket } from 'node:net';
import { afterEach, describe, expect, it } from 'vitest';
import { type HttpUpstream, startHttpUpstream } from '../../support/gateway/http-upstream.js';
import {
  type InProcessGateway,
  startInProcess,
  testConfiguration,
  testUpstream,
} from '../../support/gateway/in-process-gateway.js';
import { rawExchange } from '../../support/gateway/raw-exchange.js';

let upstream: HttpUpstream | null = null;
let gateway: InProcessGateway | null = null;
const clients: Socket[] = [];
let reached: string[] = [];
let answerSlow: () => void = () => undefined;

afterEach(async () => {
  for (const client of clients.splice(0)) client.destroy();
  await gateway?.stop();
  await upstream?.close();
  gateway = null;
  upstream = null;
  reached = [];
});

/**
 * `/slow` answers when `answerSlow` is called, `/never` begins and does not end, `/large` is larger than any buffer.
 */
const start = async (): Promise<InProcessGateway> => {
  upstream = await startHttpUpstream((request, response) => {
    reached.push(request.url ?? '');
    request.resume();
    if (request.url === '/slow') answerSlow = () => response.end('slow');
    else if (request.url === '/never') response.write('first');
    else if (request.url === '/large') response.end(Buffer.alloc(20_000_000));
    else response.end(request.url);
  });
  gateway = await startInProcess(testConfiguration([testUpstream(upstream.port)]));
  return gateway;
};

const open = ({ address }: InProcessGateway, octets: string): Socket => {
  const client = connect({ host: address.host, port: address.port });
  client.on('error', () => undefined);
  client.resume();
  client.write(octets);
  clients.push(client);
  return client;
};

/** Sends octets that begin with a request for `/slow`, which is answered once it has reached the upstream. */
const exchangeSlowly = async ({ address }: InProcessGateway, octets: string) => {
  const exchange = rawExchange(address, octets);
  await expect.poll(() => reached).toEqual(['/slow']);
  answerSlow();
  return exchange;
};

const get = (path: string, more = ''): string => `GET ${path} HTTP/1.1\r\nHost: a\r\n${more}\r\n`;
const upgrade = 'Connection: Upgrade\r\nUpgrade: websocket\r\n';

describe('pipelined requests', () => {
  it('are answered in order', async () => {
    const { raw } = await exchangeSlowly(await start(), get('/slow') + get('/b') + get('/c', 'Connection: close\r\n'));
    expect([...raw.matchAll(/\r\n\r\n\d*\r?\n?(slow|\/b|\/c)/g)].map(([, body]) => body)).toEqual(['slow', '/b', '/c']);
  });

  it('do not begin after one whose response closes the connection', async () => {
    const running = await start();
    open(running, get('/slow') + get('/b') + get('/c'));
    await expect.poll(() => reached).toEqual(['/slow']);
    const stopped = running.stop(20_000);
    answerSlow();
    await stopped;
    expect(reached).toEqual(['/slow']);
  });

  it('are dropped with their connection', async () => {
    const running = await start();
    const client = open(running, get('/never') + get('/large') + get('/b'));
    await expect.poll(() => reached).toEqual(['/never']);
    client.destroy();
    await expect.poll(() => running.state.requestsInFlight()).toBe(0);
    expect(reached).toEqual(['/never']);
    expect(running.accessRecords).toHaveLength(1);
  });

  it('hold one upstream slot at a time', async () => {
    const running = await start();
    const client = open(running, get('/never').repeat(50));
    await expect.poll(() => reached.length).toBe(1);
    expect(running.state.requestsInFlight()).toBe(1);
    client.write(get('/never').repeat(50));
    client.destroy();
    await expect.poll(() => running.state.requestsInFlight()).toBe(0);
    expect(reached).toHaveLength(1);
  });

  it('end the connection if one requests an upgrade out of turn', async () => {
    const { raw } = await exchangeSlowly(await start(), get('/slow') + get('/ws', upgrade));
    expect(raw).not.toContain('HTTP/1.1 101');
    expect(raw).not.toContain('/ws');
  });
});

describe('garbage after a request', () => {
  it.each([
    ['without a body', get('/slow')],
    ['with a whole body', 'POST /slow HTTP/1.1\r\nHost: a\r\nContent-Length: 2\r\n\r\nhi'],
    ['that ends the connection', get('/slow', 'Connection: close\r\n')],
  ])('%s keeps its response, and ends the connection', async (_, request) => {
    const { raw, status, headers } = await exchangeSlowly(await start(), `${request}\x01garbage\r\n\r\n`);
    expect(status).toBe(200);
    expect(headers['connection']).toBe('close');
    expect(raw.match(/HTTP\/1\.1/g)).toHaveLength(1);
    expect(reached).toEqual(['/slow']);
  });
});

describe('a client that requests an upgrade', () => {
  it('and half-closes before the response is disconnected', async () => {
    const running = await start();
    const client = open(running, get('/slow', upgrade));
    await expect.poll(() => running.state.requestsInFlight()).toBe(1);
    client.end();
    await expect.poll(() => running.state.requestsInFlight()).toBe(0);
    await expect.poll(() => running.accessRecords).toMatchObject([{ status: 499, errorType: 'client_gone' }]);
  });

  it('over HTTP/1.0 gets a normal response', async () => {
    const { address } = await start();
    const { status } = await rawExchange(address, `GET /b HTTP/1.0\r\nHost: a\r\n${upgrade}\r\n`);
    expect(status).toBe(200);
  });
});
