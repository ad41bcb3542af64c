import { describe, expect } from 'vitest';
import { type DocumentedGateway, startDocumented } from '../../support/gateway/documented-gateway.js';
import { rawExchange } from '../../support/gateway/raw-exchange.js';
import { RecordingUpstream, valuesOf } from '../../support/gateway/recording-upstream.js';
import { mainExample } from '../../support/shared/documentation-examples.js';
import { it } from '../../support/shared/fixtures.js';

const upstream = new RecordingUpstream();
let running: DocumentedGateway;

it.beforeAll(async ({ fileCleanUp: cleanUp }) => {
  const port = await upstream.listen();
  cleanUp.add(() => upstream.close());
  running = await startDocumented(cleanUp, mainExample('docs/guides/behind-a-load-balancer.md'), {
    ports: { 3001: port },
    texts: { 'shutdown-delay-secs 5': 'shutdown-delay-secs 1' },
  });
});

const clientOf = (path: string) => running.accessRecords.find((record) => record.path === path)?.clientIp;

describe('the guide to balancers', () => {
  it('reads the client from X-Forwarded-For, or else from Forwarded, never from both', async () => {
    const both = { 'X-Forwarded-For': '192.0.2.1, 203.0.113.9', Forwarded: 'for=198.51.100.7' };
    expect((await running.ask(8080, { path: '/both', headers: both })).status).toBe(200);
    expect(clientOf('/both')).toBe('203.0.113.9');
    await running.ask(8080, { path: '/one', headers: { Forwarded: 'for=192.0.2.1, for=198.51.100.7' } });
    expect(clientOf('/one')).toBe('198.51.100.7');
    // As an application gateway of Azure writes it.
    await running.ask(8080, { path: '/port', headers: { 'X-Forwarded-For': '203.0.113.9:51234' } });
    expect(clientOf('/port')).toBe('203.0.113.9');
  });

  it('forwards only trusted addresses', async () => {
    upstream.received.splice(0);
    const headers = { 'X-Forwarded-For': '203.0.113.9', 'X-Forwarded-Proto': 'http, https', Forwarded: 'for=evil' };
    await running.ask(8080, { headers });
    const [received] = upstream.received;
    if (received === undefined) throw new Error('nothing reached the upstream');
    expect(valuesOf(received, 'x-forwarded-for')).toEqual(['203.0.113.9, 127.0.0.1']);
    // Of the two the one that the balancer appended.
    expect(valuesOf(received, 'x-forwarded-proto')).toEqual(['https']);
    expect(valuesOf(received, 'forwarded').join()).not.toContain('evil');
  });

  it('takes the client from a PROXY header, and the balancer for a check without one', async () => {
    const port = running.portOf(8081);
    const get = (path: string) => `GET ${path} HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n`;
    const named = `PROXY TCP4 203.0.113.9 192.0.2.1 51234 443\r\n${get('/named')}`;
    expect((await rawExchange({ host: '127.0.0.1', port }, named)).status).toBe(200);
    expect(clientOf('/named')).toBe('203.0.113.9');

    // LOCAL, version 2: what a Network Load Balancer of AWS and HAProxy begin their checks with.
    const local = `\r\n\r\n\0\r\nQUIT\n\x20\0\0\0${get('/ready')}`;
    expect((await rawExchange({ host: '127.0.0.1', port }, local)).status).toBe(200);
    expect(clientOf('/ready')).toBe('127.0.0.1');
    await expect(running.ask(8081)).rejects.toThrow();
  });

  // The last: it ends the gateway.
  it('reports draining on /ready before the listener closes, and serves until then', async () => {
    expect((await running.ask(8080, { path: '/ready' })).status).toBe(200);
    const stopped = running.gateway.stop();
    const ready = await running.ask(8080, { path: '/ready' });
    expect(ready.status).toBe(503);
    expect((await running.ask(8080, { path: '/still' })).status).toBe(200);
    await stopped;
    await expect(running.ask(8080)).rejects.toMatchObject({ code: 'ECONNREFUSED' });
  });
});
