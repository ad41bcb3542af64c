import { describe, expect } from 'vitest';
import { WebSocket, WebSocketServer } from 'ws';
import { startDocumented } from '../../support/gateway/documented-gateway.js';
import { RecordingUpstream, valuesOf } from '../../support/gateway/recording-upstream.js';
import type { CleanUp } from '../../support/shared/clean-up.js';
import {
  configurationOf,
  documentationPage,
  fencedBlocks,
  mainExample,
} from '../../support/shared/documentation-examples.js';
import { eventually } from '../../support/shared/eventually.js';
import { it } from '../../support/shared/fixtures.js';

const page = 'docs/guides/canary.md';
const environment = { ADMIN_TOKEN: 'a-token-for-the-test' };

const startUpstreams = async (cleanUp: CleanUp, names: Readonly<Record<number, string>>) => {
  const ports: Record<number, number> = {};
  const upstreams: Record<string, RecordingUpstream> = {};
  for (const [documented, name] of Object.entries(names)) {
    const upstream = new RecordingUpstream((request, response) => {
      request.resume().once('end', () => response.end(name));
    });
    ports[Number(documented)] = await upstream.listen();
    upstreams[name] = upstream;
    cleanUp.add(() => upstream.close());
  }
  return { ports, upstreams };
};

/** The part of the guide that holds a text, as a whole configuration with upstreams on these ports. */
const wholeOf = (text: string, upstreams: Readonly<Record<string, number>>): string => {
  const block = fencedBlocks(documentationPage(page)).find(
    (each) => each.info === 'kdl' && each.text.startsWith('route') && each.text.includes(text),
  );
  if (block === undefined || configurationOf(block.text) === null) throw new Error(`${page} has no ${text}`);
  const named = Object.entries(upstreams).map(([name, port]) => `upstream "${name}" { target "127.0.0.1:${port}" }`);
  return `listeners { listener "main" { address "127.0.0.1:8080" } }
routes {\n${block.text}}\nupstreams {\n${named.join('\n')}\n}\n`;
};

describe('the guide to canaries', () => {
  it('keeps users on their sides, over WebSockets too', async ({ cleanUp }) => {
    const { ports, upstreams } = await startUpstreams(cleanUp, { 3001: 'stable', 3002: 'canary' });
    for (const [name, { server }] of Object.entries(upstreams)) {
      const sockets = new WebSocketServer({ server });
      sockets.on('connection', (socket) => socket.send(name));
      cleanUp.add(() => {
        for (const client of sockets.clients) client.terminate();
      });
    }
    const running = await startDocumented(cleanUp, mainExample(page), { ports, environment });
    const seen = new Set<string>();
    for (let index = 0; index < 60; index += 1) {
      const headers = { Cookie: `uid=user-${index}` };
      const { body } = await running.ask(8080, { headers });
      seen.add(body);
      const socket = new WebSocket(`ws://127.0.0.1:${running.portOf(8080)}/live`, { headers });
      const message = await new Promise((resolve, reject) => {
        socket.once('message', (data) => resolve(String(data)));
        socket.once('error', reject);
      });
      socket.terminate();
      expect(message).toBe(body);
    }
    expect(seen).toEqual(new Set(['stable', 'canary']));
  });

  it('names the side in header rules', async ({ cleanUp }) => {
    const { ports, upstreams } = await startUpstreams(cleanUp, { 3001: 'stable', 3002: 'canary' });
    const rules =
      'policies { request-headers { set { "X-Side" "{upstream}" } }; response-headers { set { "X-Side" "{upstream}" } } }';
    const text = mainExample(page)
      .replace('weight=95', 'weight=50')
      .replace('weight=5\n', 'weight=50\n')
      .replace('    split {', `    ${rules}\n    split {`);
    const running = await startDocumented(cleanUp, text, { ports, environment });
    for (let index = 0; index < 20; index += 1) {
      const { body, headers } = await running.ask(8080, { headers: { Cookie: `uid=user-${index}` } });
      expect(headers['x-side']).toBe(body);
      const request = upstreams[body]?.received.filter(({ url }) => url === '/').at(-1);
      expect(request && valuesOf(request, 'x-side')).toEqual([body]);
    }
  });

  it('sends everything to blue until green has a weight', async ({ cleanUp }) => {
    const { ports } = await startUpstreams(cleanUp, { 3001: 'blue', 3002: 'green' });
    const text = wholeOf('"green"', { blue: 3001, green: 3002 });
    const running = await startDocumented(cleanUp, text, { ports });
    for (let count = 0; count < 10; count += 1) expect((await running.ask(8080)).body).toBe('blue');
    running.rewrite(
      text.replace('weight=100', 'weight=X').replace('weight=0', 'weight=100').replace('weight=X', 'weight=0'),
    );
    expect((await running.gateway.reload()).ok).toBe(true);
    for (let count = 0; count < 10; count += 1) expect((await running.ask(8080)).body).toBe('green');
  });

  it('mirrors the path and the headers that a rewrite and header rules make, except credentials', async ({
    cleanUp,
  }) => {
    const { ports, upstreams } = await startUpstreams(cleanUp, { 3001: 'stable', 3002: 'shadow' });
    const policies = `policies {
      rewrite { strip-prefix "/shop"; add-prefix "/v2" }
      request-headers { set { "Authorization" "Basic eDp5"; "X-Plan" "gold" }; remove "X-Debug" }
    }`;
    const text = wholeOf('mirror', { stable: 3001, shadow: 3002 })
      .replace('percent 10', 'percent 100')
      .replace('  mirror', `  ${policies}\n  mirror`);
    const running = await startDocumented(cleanUp, text, { ports });
    await running.ask(8080, { path: '/shop/cart?x=1', headers: { 'X-Debug': '1' }, method: 'POST', body: 'abc' });
    const copies = upstreams['shadow']?.received ?? [];
    await eventually(() => copies.length > 0);
    const [copy, request] = [copies[0], upstreams['stable']?.received[0]];
    if (copy === undefined || request === undefined) throw new Error('no request');
    expect([copy.url, request.url]).toEqual(['/v2/cart?x=1', '/v2/cart?x=1']);
    expect(valuesOf(request, 'authorization')).toEqual(['Basic eDp5']);
    expect(valuesOf(copy, 'authorization')).toEqual([]);
    expect(valuesOf(copy, 'x-plan')).toEqual(['gold']);
    expect(valuesOf(copy, 'x-forwarded-prefix')).toEqual(valuesOf(request, 'x-forwarded-prefix'));
    expect(valuesOf(copy, 'x-debug')).toEqual([]);
  });

  it('mirrors a tenth of the requests', async ({ cleanUp }) => {
    const { ports, upstreams } = await startUpstreams(cleanUp, { 3001: 'stable', 3002: 'shadow' });
    const running = await startDocumented(cleanUp, wholeOf('mirror', { stable: 3001, shadow: 3002 }), { ports });
    for (let count = 0; count < 300; count += 1) expect((await running.ask(8080)).body).toBe('stable');
    const copies = upstreams['shadow']?.received ?? [];
    // Six standard deviations around 30.
    await eventually(() => copies.length > 0);
    expect(copies.length).toBeLessThan(62);
    for (const copy of copies) expect(valuesOf(copy, 'x-mirrored')).toEqual(['1']);
  });
});
