import { describe, expect } from 'vitest';
import { type DocumentedGateway, startDocumented } from '../../support/gateway/documented-gateway.js';
import { RecordingUpstream } from '../../support/gateway/recording-upstream.js';
import { mainExample, tableOf } from '../../support/shared/documentation-examples.js';
import { it } from '../../support/shared/fixtures.js';

const page = 'docs/guides/routing.md';
const upstreams = new Map<number, RecordingUpstream>();
let running: DocumentedGateway;

it.beforeAll(async ({ fileCleanUp: cleanUp }) => {
  const ports: Record<number, number> = {};
  for (const documented of [3001, 3002, 3003, 3004]) {
    const upstream = new RecordingUpstream((_, response) => response.end(String(documented)));
    ports[documented] = await upstream.listen();
    cleanUp.add(() => upstream.close());
    upstreams.set(documented, upstream);
  }
  running = await startDocumented(cleanUp, mainExample(page), { ports });
});

const rows = tableOf(page, ['Request', 'Header', 'Route', 'Because']);

describe('the guide to routing', () => {
  it('mentions every route of its example', () => {
    const named = new Set(rows.map(([, , route]) => route));
    expect([...mainExample(page).matchAll(/^ *route "(.*)"/gm)].filter(([, route = '']) => !named.has(route))).toEqual(
      [],
    );
  });

  it.each(rows)('matches %s (%s) to %s', async (request = '', header = '', route = '') => {
    const [method = '', path = ''] = request.split(' ');
    const [name = '', value = ''] = header.split(': ');
    const before = running.accessRecords.length;
    await running.ask(8080, { method, path, ...(name !== '' && { headers: { [name]: value } }) });
    await expect.poll(() => running.accessRecords.length).toBe(before + 1);
    expect(running.accessRecords.at(-1)?.route).toBe(route);
  });

  it('sends matched requests to the upstream of the route', async () => {
    expect((await running.ask(8080, { path: '/orders/7' })).body).toBe('3001');
    expect((await running.ask(8080, { path: '/orders/7', headers: { 'X-Version': 'next' } })).body).toBe('3002');
    expect((await running.ask(8080, { path: '/health' })).body).toContain('healthy');
  });

  it.each(tableOf(page, ['Sent', 'Becomes']))('forwards %s as %s', async (sent, becomes) => {
    await running.ask(8080, { path: `${sent}?q=%2f` });
    expect(upstreams.get(3003)?.received.at(-1)?.url).toBe(`${becomes}?q=%2f`);
  });

  it.each(['/a%2Fb', '/a%5Cb', '/a%00b', '/a/..;/b', '/a\\b'])('refuses %s', async (path) => {
    expect((await running.ask(8080, { path })).status).toBe(400);
  });
});
