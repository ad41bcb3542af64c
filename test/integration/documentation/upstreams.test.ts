import { describe, expect } from 'vitest';
import { type DocumentedGateway, startDocumented } from '../../support/gateway/documented-gateway.js';
import { RecordingUpstream } from '../../support/gateway/recording-upstream.js';
import { mainExample } from '../../support/shared/documentation-examples.js';
import { it } from '../../support/shared/fixtures.js';
import { untilTrue } from '../../support/shared/gateway-stack.js';

const token = 'a-token-for-the-test';
const upstreams: RecordingUpstream[] = [];
let running: DocumentedGateway;

it.beforeAll(async ({ fileCleanUp: cleanUp }) => {
  const ports: Record<number, number> = {};
  for (const documented of [3001, 3002]) {
    const upstream = new RecordingUpstream((_request, response) => response.end(String(documented)));
    ports[documented] = await upstream.listen();
    upstreams.push(upstream);
    cleanUp.add(() => upstream.close());
  }
  const environment = { ADMIN_TOKEN: token };
  running = await startDocumented(cleanUp, mainExample('docs/guides/upstreams.md'), { ports, environment });
});

const served = async (): Promise<string> => (await running.ask(8080, { path: '/' })).body;

const authorized = { headers: { Authorization: `Bearer ${token}` } };

const change = (action: string) =>
  running.ask(9090, {
    ...authorized,
    method: 'POST',
    path: `/admin/upstreams/api/targets/127.0.0.1:${running.portOf(3001)}/${action}`,
  });

const targets = async (): Promise<readonly { readonly healthy: boolean; readonly last_error?: string }[]> =>
  JSON.parse((await running.ask(9090, { ...authorized, path: '/admin/upstreams' })).body).upstreams.api.targets;

describe('the guide to upstreams', () => {
  it('sends five requests of a hundred to the canary', async () => {
    const counts: Record<string, number> = {};
    for (let count = 0; count < 100; count += 1) {
      const by = await served();
      counts[by] = (counts[by] ?? 0) + 1;
    }
    expect(counts).toEqual({ 3001: 95, 3002: 5 });
  });

  it('drains a target over a reload, and restores it', async () => {
    expect(JSON.parse((await change('drain')).body)).toMatchObject({ upstream: 'api', drained: true });
    expect((await running.gateway.reload()).ok).toBe(true);
    for (let count = 0; count < 5; count += 1) expect(await served()).toBe('3002');
    expect((await change('undrain')).status).toBe(200);
    const served20: string[] = [];
    for (let count = 0; count < 20; count += 1) served20.push(await served());
    expect(served20).toContain('3001');
  });

  it('answers every request while a target is down, and reports its error', async () => {
    await upstreams[0]?.close();
    for (let count = 0; count < 20; count += 1) expect(await served()).toBe('3002');
    await untilTrue('the target is ill', async () => (await targets())[0]?.healthy === false);
    expect((await targets())[0]?.last_error).toMatch(/refused/i);
    expect((await targets())[1]?.healthy).toBe(true);
  });
});
