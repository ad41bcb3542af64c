import { describe, expect } from 'vitest';
import { WebSocket, WebSocketServer } from 'ws';
import { type DocumentedGateway, startDocumented } from '../../support/gateway/documented-gateway.js';
import { RecordingUpstream, valuesOf } from '../../support/gateway/recording-upstream.js';
import { mainExample, tableOf } from '../../support/shared/documentation-examples.js';
import { it } from '../../support/shared/fixtures.js';

const page = 'docs/guides/proxying.md';
const received: RecordingUpstream['received'] = [];
let running: DocumentedGateway;

it.beforeAll(async ({ fileCleanUp: cleanUp }) => {
  const ports: Record<number, number> = {};
  for (const documented of [3001, 3002]) {
    const upstream = new RecordingUpstream((request, response) => {
      received.push({ method: request.method ?? '', url: request.url ?? '', rawHeaders: request.rawHeaders });
      if (request.url === '/broken') response.write('half', () => response.destroy());
      else request.resume().once('end', () => response.end(String(documented)));
    });
    const sockets = new WebSocketServer({ server: upstream.server });
    sockets.on('connection', (socket) => socket.on('message', (data) => socket.send(`${data}, ${documented}`)));
    ports[documented] = await upstream.listen();
    cleanUp.add(() => upstream.close());
  }
  // Its requests are taken and never answered.
  const silent = new RecordingUpstream(() => undefined);
  ports[3003] = await silent.listen();
  cleanUp.add(() => silent.close());
  running = await startDocumented(cleanUp, mainExample(page), { ports });
});

const problem = (body: string): { readonly code: string; readonly detail: string } => JSON.parse(body);
const last = () => {
  const request = received.at(-1);
  if (request === undefined) throw new Error('the upstream has got nothing');
  return request;
};

describe('the guide to proxying', () => {
  it('describes the forwarded request', async () => {
    const headers = { Connection: 'X-Hop', 'X-Hop': '1', 'X-Forwarded-For': '203.0.113.9', 'X-Real-IP': '203.0.113.9' };
    const { headers: answered } = await running.ask(8080, { path: '/a', headers });
    const host = `127.0.0.1:${running.portOf(8080)}`;
    expect(last().url).toBe('/a');
    expect(valuesOf(last(), 'Host')).toEqual([host]);
    expect(valuesOf(last(), 'X-Forwarded-For')).toEqual(['127.0.0.1']);
    expect(valuesOf(last(), 'X-Forwarded-Proto')).toEqual(['http']);
    expect(valuesOf(last(), 'X-Forwarded-Host')).toEqual([host]);
    expect(valuesOf(last(), 'Forwarded')).toEqual([`for=127.0.0.1;proto=http;host="${host}"`]);
    expect(valuesOf(last(), 'X-Correlation-Id')).toEqual([answered['x-correlation-id']]);
    expect(valuesOf(last(), 'X-Hop')).toEqual([]);
    expect(valuesOf(last(), 'X-Real-IP')).toEqual([]);
  });

  it('describes which correlation ids are kept', async () => {
    const shown = async (id: string) =>
      (await running.ask(8080, { headers: { 'X-Correlation-Id': id } })).headers['x-correlation-id'];
    expect(await shown('shop-17.a_b')).toBe('shop-17.a_b');
    expect(await shown('two words')).not.toBe('two words');
    expect(await shown('x'.repeat(129))).not.toBe('x'.repeat(129));
  });

  /** The rows, with the peer of this test in the place of the documented one. */
  const rows = tableOf(
    page,
    ['Connection from', '`X-Forwarded-For` in the request', 'Client', '`X-Forwarded-For` to the upstream'].map((cell) =>
      cell.replace(/^`(.*)`$/, '$1'),
    ),
  ).map((cells) => cells.map((cell) => cell.replace('the peer', '127.0.0.1').replace(/10\.1\.2\.3$/, '127.0.0.1')));

  it.each(rows)(
    'describes the client address: %s, with %s',
    async (from = '', sent = '', client = '', forwarded = '') => {
      const before = running.accessRecords.length;
      const headers = sent === 'none' ? {} : { 'X-Forwarded-For': sent };
      await running.ask(from.includes('public') ? 8080 : 8081, { path: '/a', headers });
      expect(valuesOf(last(), 'X-Forwarded-For')).toEqual([forwarded]);
      await expect.poll(() => running.accessRecords.length).toBe(before + 1);
      expect(running.accessRecords.at(-1)?.clientIp).toBe(client);
    },
  );

  it('rotates targets', async () => {
    const bodies: string[] = [];
    for (let turn = 0; turn < 4; turn += 1) bodies.push((await running.ask(8080, { path: '/uploads' })).body);
    expect(bodies.toSorted()).toEqual(['3001', '3001', '3002', '3002']);
  });

  it('describes the body limit', async () => {
    const body = 'x'.repeat(1_048_577);
    const refused = await running.ask(8080, { path: '/a', method: 'POST', body });
    expect(refused.status).toBe(413);
    expect(problem(refused.body)).toMatchObject({ code: 'body_too_large', detail: expect.stringContaining('1048576') });
    expect((await running.ask(8080, { path: '/uploads', method: 'POST', body })).status).toBe(200);
  });

  it('describes the head limit', async () => {
    const value = await running.ask(8080, { headers: { 'X-Long': 'x'.repeat(4_097) } });
    expect([value.status, problem(value.body).detail]).toEqual([431, 'max-header-value-bytes is 4096.']);
    const half = 'x'.repeat(4_096);
    const all = await running.ask(8080, { headers: { 'X-One': half, 'X-Two': half } });
    expect([all.status, problem(all.body).detail]).toEqual([431, 'max-header-size-bytes is 8192.']);
    expect((await running.ask(8080, { path: `/${'x'.repeat(8_192)}` })).status).toBe(414);
  });

  it('describes slow and broken upstreams', async () => {
    const slow = await running.ask(8080, { path: '/reports/1' });
    expect([slow.status, problem(slow.body).code]).toEqual([504, 'upstream_timeout']);
    expect(slow.body).not.toContain(String(running.portOf(3003)));
    await expect(running.ask(8080, { path: '/broken' })).rejects.toThrow();
  });

  it('says that a WebSocket needs no configuration', async ({ cleanUp }) => {
    const socket = new WebSocket(`ws://127.0.0.1:${running.portOf(8080)}/chat`);
    cleanUp.add(() => socket.terminate());
    const answer = new Promise<string>((resolve, reject) => {
      socket.once('error', reject);
      socket.once('message', (data) => resolve(String(data)));
    });
    socket.once('open', () => socket.send('hello'));
    expect(await answer).toMatch(/^hello, 300[12]$/);
  });
});
