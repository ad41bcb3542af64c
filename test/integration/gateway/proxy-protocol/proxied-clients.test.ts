import { connect, type Socket } from 'node:net';
import { describe, expect } from 'vitest';
import { plainLimits } from '../../../support/gateway/plain-configurations.js';
import {
  fieldOf,
  type ProxiedGateway,
  proxiedListener,
  startProxiedGateway,
} from '../../../support/gateway/proxied-gateway.js';
import { binaryHeader } from '../../../support/gateway/proxy-headers.js';
import type { CleanUp } from '../../../support/shared/clean-up.js';
import { it } from '../../../support/shared/fixtures.js';

const headerOf = (client: string, port = 4711): string => `PROXY TCP4 ${client} 198.51.100.1 ${port} 80\r\n`;
const local = binaryHeader(0x20, 0x00, Buffer.alloc(0)).toString('latin1');

/** A kept connection that has sent this; the text is what came first. */
const sent = (
  cleanUp: CleanUp,
  { port }: ProxiedGateway,
  text: string,
): Promise<{ readonly socket: Socket; readonly text: string }> =>
  new Promise((resolve, reject) => {
    const socket = connect({ port, host: '127.0.0.1' });
    cleanUp.add(() => socket.destroy());
    socket.once('error', reject);
    socket.once('data', (data) => resolve({ socket, text: String(data) }));
    socket.once('close', () => resolve({ socket, text: '' }));
    socket.write(text, 'latin1');
  });

const ask = async (
  cleanUp: CleanUp,
  gateway: ProxiedGateway,
  header: string,
  ...fields: readonly string[]
): Promise<string> =>
  (await sent(cleanUp, gateway, `${header}${['GET / HTTP/1.1', 'Host: a.example', ...fields, '', ''].join('\r\n')}`))
    .text;

const statusOf = (text: string): number => Number(text.slice(9, 12));

describe('the client that a PROXY header names', () => {
  it('is the client of the request, for the upstream and the access log', async ({ cleanUp }) => {
    const gateway = await startProxiedGateway(cleanUp);
    const text = await ask(cleanUp, gateway, headerOf('192.0.2.7'));
    expect(fieldOf(text, 'x-forwarded-for')).toEqual(['192.0.2.7']);
    expect(fieldOf(text, 'forwarded')).toEqual(['for=192.0.2.7;proto=http;host=a.example']);
    expect(gateway.accessRecords.map(({ clientIp }) => clientIp)).toEqual(['192.0.2.7']);
    expect(gateway.complaints()).toEqual([]);
  });

  it('is not trusted to forward addresses, unless it is a trusted proxy', async ({ cleanUp }) => {
    const gateway = await startProxiedGateway(cleanUp, { trustedProxies: ['127.0.0.1', '10.0.0.0/8'] });
    const forged = ['X-Forwarded-For: 203.0.113.9', 'X-Forwarded-Proto: https', 'X-Real-IP: 203.0.113.9'];
    const stranger = await ask(cleanUp, gateway, headerOf('192.0.2.7'), ...forged);
    expect(fieldOf(stranger, 'x-forwarded-for')).toEqual(['192.0.2.7']);
    expect(fieldOf(stranger, 'x-forwarded-proto')).toEqual(['http']);
    expect(fieldOf(stranger, 'x-real-ip')).toEqual([]);
    const proxy = await ask(cleanUp, gateway, headerOf('10.1.2.3'), ...forged);
    expect(fieldOf(proxy, 'x-forwarded-for')).toEqual(['203.0.113.9, 10.1.2.3']);
    expect(fieldOf(proxy, 'x-forwarded-proto')).toEqual(['https']);
    expect(gateway.accessRecords.map(({ clientIp }) => clientIp)).toEqual(['192.0.2.7', '203.0.113.9']);
  });

  it('is the proxy for its own connection', async ({ cleanUp }) => {
    const gateway = await startProxiedGateway(cleanUp);
    expect(fieldOf(await ask(cleanUp, gateway, local), 'x-forwarded-for')).toEqual(['127.0.0.1']);
  });

  it.for([
    ['LOCAL', local],
    ['UNKNOWN', 'PROXY UNKNOWN\r\n'],
    ['UNSPEC', binaryHeader(0x21, 0x00, Buffer.alloc(0)).toString('latin1')],
    ['AF_UNIX', binaryHeader(0x21, 0x31, Buffer.alloc(216)).toString('latin1')],
  ] as const)(
    'cannot choose an address without one in the header (%s): the peer is the client',
    async ([_name, header], { cleanUp }) => {
      const gateway = await startProxiedGateway(cleanUp);
      const forged = ['X-Forwarded-For: 203.0.113.9', 'X-Forwarded-Proto: https', 'X-Real-IP: 203.0.113.9'];
      for (const fields of [forged, ['Forwarded: for=203.0.113.9;proto=https', 'True-Client-IP: 203.0.113.9']]) {
        const text = await ask(cleanUp, gateway, header, ...fields);
        expect(fieldOf(text, 'x-forwarded-for')).toEqual(['127.0.0.1']);
        expect(fieldOf(text, 'x-forwarded-proto')).toEqual(['http']);
        for (const field of ['x-real-ip', 'true-client-ip']) expect(fieldOf(text, field)).toEqual([]);
      }
      expect(gateway.accessRecords.map(({ clientIp }) => clientIp)).toEqual(['127.0.0.1', '127.0.0.1']);
    },
  );

  it('is counted for connection limits', async ({ cleanUp }) => {
    const gateway = await startProxiedGateway(cleanUp, {}, { limits: { ...plainLimits, maxConnectionsPerClient: 2 } });
    const statuses: number[] = [];
    for (const client of ['192.0.2.7', '192.0.2.7', '192.0.2.8', '192.0.2.7']) {
      statuses.push(statusOf(await ask(cleanUp, gateway, headerOf(client))));
    }
    expect(statuses).toEqual([200, 200, 200, 503]);
    for (let count = 0; count < 4; count += 1) expect(statusOf(await ask(cleanUp, gateway, local))).toBe(200);
    expect(gateway.complaints()).toMatchObject([
      ['Too many connections', { limit_name: 'max-connections-per-client', client_ip: '192.0.2.7' }],
    ]);
  });

  it('frees its slot with its connection', async ({ cleanUp }) => {
    const gateway = await startProxiedGateway(cleanUp, {}, { limits: { ...plainLimits, maxConnectionsPerClient: 1 } });
    for (let count = 0; count < 5; count += 1) {
      const request = `${headerOf('192.0.2.7')}GET / HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n`;
      const { socket, text } = await sent(cleanUp, gateway, request);
      expect(statusOf(text)).toBe(200);
      if (!socket.destroyed) await new Promise((resolve) => socket.once('close', resolve));
    }
  });

  it('is counted for rate limits', async ({ cleanUp }) => {
    const rates = { ...plainLimits.rates, perClient: { requestsPerSecond: 0.001, burst: 1 } };
    const gateway = await startProxiedGateway(cleanUp, {}, { limits: { ...plainLimits, rates } });
    const statuses: number[] = [];
    for (const client of ['192.0.2.7', '192.0.2.8', '192.0.2.7']) {
      statuses.push(statusOf(await ask(cleanUp, gateway, headerOf(client))));
    }
    expect(statuses).toEqual([200, 200, 429]);
  });
});

describe('a connection without a valid PROXY header', () => {
  it('gets no response, and a log line', async ({ cleanUp }) => {
    const gateway = await startProxiedGateway(cleanUp);
    expect(await ask(cleanUp, gateway, '')).toBe('');
    expect(gateway.complaints()).toEqual([
      ['PROXY header refused', { reason: 'no_proxy_header', listener: expect.any(String), peer_ip: '127.0.0.1' }],
    ]);
    expect(gateway.accessRecords).toEqual([]);
    expect(gateway.state.openConnections()).toBe(0);
  });
});

describe('a reload', () => {
  it('starts and stops requiring headers with the next connection', async ({ cleanUp }) => {
    const gateway = await startProxiedGateway(cleanUp, { proxyProtocol: false });
    expect(statusOf(await ask(cleanUp, gateway, ''))).toBe(200);
    const reload = async (proxyProtocol: boolean): Promise<void> => {
      const reloaded = await gateway.reload({
        ...gateway.configuration,
        listeners: [proxiedListener({ proxyProtocol })],
      });
      expect(reloaded.ok).toBe(true);
    };
    await reload(true);
    expect(fieldOf(await ask(cleanUp, gateway, headerOf('192.0.2.7')), 'x-forwarded-for')).toEqual(['192.0.2.7']);
    expect(await ask(cleanUp, gateway, '')).toBe('');
    await reload(false);
    expect(statusOf(await ask(cleanUp, gateway, ''))).toBe(200);
    expect(statusOf(await ask(cleanUp, gateway, headerOf('192.0.2.7')))).toBe(400);
  });
});
