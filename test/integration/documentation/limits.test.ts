import { connect, type Socket } from 'node:net';
import { describe, expect } from 'vitest';
import { limitsShape } from '../../../src/domain/gateway/configuration/limits-schema.js';
import { type DocumentedGateway, startDocumented } from '../../support/gateway/documented-gateway.js';
import { rawExchange } from '../../support/gateway/raw-exchange.js';
import { RecordingUpstream } from '../../support/gateway/recording-upstream.js';
import type { CleanUp } from '../../support/shared/clean-up.js';
import { documentationPage, mainExample } from '../../support/shared/documentation-examples.js';
import { it } from '../../support/shared/fixtures.js';

const page = 'docs/guides/limits.md';
let running: DocumentedGateway;

it.beforeAll(async ({ fileCleanUp: cleanUp }) => {
  const upstream = new RecordingUpstream();
  const port = await upstream.listen();
  cleanUp.add(() => upstream.close());
  running = await startDocumented(cleanUp, mainExample(page), { ports: { 3001: port } });
});

const lineOf = (limitName: string) =>
  running.logger.lines.find(({ fields }) => fields?.['limit_name'] === limitName && fields['trace_id'] !== null);

const openConnection = (cleanUp: CleanUp): Promise<Socket> =>
  new Promise((resolve, reject) => {
    const socket = connect({ host: '127.0.0.1', port: running.portOf(8080) }, () => resolve(socket));
    socket.once('error', reject);
    cleanUp.add(() => socket.destroy());
  });

describe('the guide to limits', () => {
  it('refuses one header field above the limit, and logs the count', async () => {
    const fields = (count: number) => Array.from({ length: count }, (_, index) => [`X-${index}`, '1']).flat();
    const host = ['Host', 'api.example', 'Connection', 'close'];
    expect((await running.ask(8080, { headers: [...host, ...fields(98)] })).status).toBe(200);
    const refused = await running.ask(8080, { headers: [...host, ...fields(99)] });
    expect(refused.status).toBe(431);
    expect(JSON.parse(refused.body)).toMatchObject({ code: 'header_too_large', detail: 'max-header-count is 100.' });
    expect(lineOf('max-header-count')).toMatchObject({
      level: 'warn',
      fields: { limit: 100, actual: 101, client_ip: '127.0.0.1', trace_id: expect.any(String) },
    });
  });

  it('lets a route accept a larger body than the others', async () => {
    const body = Buffer.alloc(10_485_761);
    const refused = await running.ask(8080, { path: '/orders', method: 'POST', body });
    expect(refused.status).toBe(413);
    expect(JSON.parse(refused.body)).toMatchObject({ detail: 'max-body-size-bytes is 10485760.' });
    expect((await running.ask(8080, { path: '/reports', method: 'POST', body })).status).toBe(200);
  });

  it('refuses a client above a hundred connections with a reason, and admits it below', async ({ cleanUp }) => {
    const sockets = await Promise.all(Array.from({ length: 100 }, () => openConnection(cleanUp)));
    const port = running.portOf(8080);
    // The client is refused at once: nothing has to be asked for.
    const refused = await rawExchange({ host: '127.0.0.1', port }, '');
    expect(refused.status).toBe(503);
    expect(JSON.parse(refused.body)).toMatchObject({
      code: 'connection_limit_reached',
      detail: 'max-connections-per-client is 100.',
    });
    expect(lineOf('max-connections-per-client')).toMatchObject({
      level: 'warn',
      fields: { limit: 100, actual: 101, client_ip: '127.0.0.1', trace_id: expect.any(String) },
    });
    for (const socket of sockets) socket.destroy();
    const status = async () =>
      (await rawExchange({ host: '127.0.0.1', port }, 'GET / HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n')).status;
    await expect.poll(status).toBe(200);
  });

  it('names every limit, here or in the guide to rates', () => {
    const text = documentationPage(page).text + documentationPage('docs/guides/rate-limits.md').text;
    const keys = Object.keys(limitsShape);
    expect(keys.length).toBeGreaterThan(24);
    expect(keys.filter((key) => !text.includes(key))).toEqual([]);
  });
});
