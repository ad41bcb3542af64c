import { Agent, request } from 'node:http';
import { afterEach, describe, expect, it } from 'vitest';
import type { SocketAddress } from '../../../src/domain/configuration/network-addresses.js';
import { echo, type HttpUpstream, startHttpUpstream } from '../../support/gateway/http-upstream.js';
import {
  type InProcessGateway,
  startInProcess,
  testConfiguration,
  testRoute,
  testUpstream,
} from '../../support/gateway/in-process-gateway.js';
import { plainTimeouts } from '../../support/gateway/plain-configurations.js';
import { freePort } from '../../support/shared/free-port.js';

const upstreams: HttpUpstream[] = [];
let gateway: InProcessGateway | null = null;

const upstreamWith = async (handle: Parameters<typeof startHttpUpstream>[0]): Promise<HttpUpstream> => {
  const upstream = await startHttpUpstream(handle);
  upstreams.push(upstream);
  return upstream;
};

afterEach(async () => {
  await gateway?.stop();
  await Promise.all(upstreams.splice(0).map((upstream) => upstream.close()));
  gateway = null;
});

const get = (url: string, agent?: Agent): Promise<{ status: number; connection: string | undefined; body: string }> =>
  new Promise((resolve, reject) => {
    const sent = request(url, agent ? { agent } : {}, (response) => {
      let body = '';
      response.on('data', (piece: Buffer) => {
        body += piece.toString();
      });
      response.on('end', () =>
        resolve({ status: response.statusCode ?? 0, connection: response.headers.connection, body }),
      );
    });
    sent.on('error', reject);
    sent.end();
  });

describe('a reload', () => {
  it('swaps routes and upstreams at once, and keeps the listener and its connections', async () => {
    const first = await upstreamWith((_, response) => response.end('first'));
    const second = await upstreamWith((_, response) => response.end('second'));
    gateway = await startInProcess(testConfiguration([testUpstream(first.port)]));
    const keepAlive = new Agent({ keepAlive: true, maxSockets: 1 });
    expect((await get(gateway.url, keepAlive)).body).toBe('first');
    const connections = gateway.state.openConnections();
    expect(await gateway.reload(testConfiguration([testUpstream(second.port)]))).toMatchObject({ ok: true });
    expect((await get(gateway.url, keepAlive)).body).toBe('second');
    expect(gateway.state.openConnections()).toBe(connections);
    expect(gateway.state.reloads().count).toBe(1);
    keepAlive.destroy();
  });

  it('lets a request in flight finish on the old configuration', async () => {
    let finish!: () => void;
    let arrived!: () => void;
    const received = new Promise<void>((resolve) => {
      arrived = resolve;
    });
    const slow = await upstreamWith((_, response) => {
      finish = () => response.end('old');
      arrived();
    });
    const other = await upstreamWith(echo);
    gateway = await startInProcess(testConfiguration([testUpstream(slow.port)]));
    const pending = get(gateway.url);
    await received;
    await gateway.reload(testConfiguration([testUpstream(other.port)]));
    finish();
    expect((await pending).body).toBe('old');
  });

  it('that repurposes an address serves only the new purpose there', async () => {
    const upstream = await upstreamWith((_, response) => response.end('upstream'));
    const [one, two] = [await freePort(), await freePort()].map((port) => ({ host: '127.0.0.1', port })) as [
      SocketAddress,
      SocketAddress,
    ];
    const serving = (listener: SocketAddress, admin: SocketAddress) =>
      testConfiguration([testUpstream(upstream.port)], {
        listeners: [
          {
            name: 'main',
            address: listener,
            tls: null,
            trustedProxies: [],
            proxyProtocol: false,
            acceptClientCertHeader: null,
            http2: false,
            timeouts: plainTimeouts,
          },
        ],
        admin: { address: admin, token: null, readyRequires: [] },
      });
    const stats = ({ port }: SocketAddress) => get(`http://127.0.0.1:${port}/admin/stats`);
    gateway = await startInProcess(serving(one, two));
    expect((await stats(one)).body).toBe('upstream');
    expect((await stats(two)).body).toContain('"connections"');
    await gateway.reload(serving(two, one));
    expect((await stats(one)).body).toContain('"connections"');
    expect((await stats(two)).body).toBe('upstream');
  });

  it('with an unavailable address changes nothing', async () => {
    const upstream = await upstreamWith(echo);
    const configuration = testConfiguration([testUpstream(upstream.port)]);
    gateway = await startInProcess(configuration);
    const taken = { name: 'second', address: { host: '127.0.0.1', port: upstream.port } } as const;
    const reloaded = await gateway.reload({
      ...configuration,
      routes: [testRoute({ id: 'other' })],
      listeners: [
        ...configuration.listeners,
        {
          ...taken,
          tls: null,
          trustedProxies: [],
          proxyProtocol: false,
          acceptClientCertHeader: null,
          http2: false,
          timeouts: plainTimeouts,
        },
      ],
    });
    expect(reloaded).toMatchObject({ ok: false, error: { cause: { code: 'EADDRINUSE' } } });
    expect(gateway.state.routesInOrder().map(({ id }) => id)).toEqual(['all']);
    expect((await get(gateway.url)).status).toBe(200);
    expect(await gateway.metrics()).toMatch(/gateway_config_reloads_total\{[^}]*result="failure"[^}]*\} 1/);
  });
});

describe('a drain', () => {
  it('finishes requests in flight with Connection: close, and accepts none', async () => {
    let finish!: () => void;
    let arrived!: () => void;
    const received = new Promise<void>((resolve) => {
      arrived = resolve;
    });
    const upstream = await upstreamWith((_, response) => {
      finish = () => response.end('done');
      arrived();
    });
    gateway = await startInProcess(testConfiguration([testUpstream(upstream.port)]));
    const keepAlive = new Agent({ keepAlive: true });
    const pending = get(gateway.url, keepAlive);
    await received;
    const stopped = gateway.stop(5_000);
    expect(gateway.state.phase()).toBe('draining');
    await expect(get(gateway.url)).rejects.toThrow(/ECONNREFUSED/);
    finish();
    expect(await pending).toMatchObject({ status: 200, body: 'done', connection: 'close' });
    await stopped;
    keepAlive.destroy();
  });

  it('aborts the rest after the grace period', async () => {
    let arrived!: () => void;
    const received = new Promise<void>((resolve) => {
      arrived = resolve;
    });
    const upstream = await upstreamWith(() => arrived());
    gateway = await startInProcess(testConfiguration([testUpstream(upstream.port)]));
    const pending = get(gateway.url).catch(() => 'cut');
    await received;
    await gateway.stop(50);
    expect(await pending).toBe('cut');
  });
});
