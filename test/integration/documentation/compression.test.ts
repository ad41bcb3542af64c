import { describe, expect } from 'vitest';
import { acceptedCoding } from '../../../src/domain/gateway/route-transforms/accepted-coding.js';
import { type DocumentedGateway, startDocumented } from '../../support/gateway/documented-gateway.js';
import { RecordingUpstream } from '../../support/gateway/recording-upstream.js';
import { documentationPage, fencedBlocks, mainExample, tableOf } from '../../support/shared/documentation-examples.js';
import { it } from '../../support/shared/fixtures.js';

const page = 'docs/guides/compression.md';
const text = JSON.stringify(Array.from({ length: 300 }, (_, id) => ({ id, name: `user ${id}` }))).slice(0, 10_000);
let running: DocumentedGateway;

it.beforeAll(async ({ fileCleanUp: cleanUp }) => {
  const upstream = new RecordingUpstream((request, response) => {
    response.setHeader('Content-Type', request.url === '/reports/csv' ? 'text/csv' : 'application/json');
    response.setHeader('ETag', '"v1"');
    response.end(request.url === '/users' ? text : text.slice(0, 300));
  });
  const port = await upstream.listen();
  cleanUp.add(() => upstream.close());
  running = await startDocumented(cleanUp, mainExample(page), { ports: { 3001: port } });
});

const coded = async (path: string, accepted: string) =>
  (await running.ask(8080, { path, headers: { 'Accept-Encoding': accepted } })).headers;

describe('the guide to compression', () => {
  it('describes the head of a compressed response', async () => {
    const { etag, vary, ...headers } = await coded('/users', 'gzip');
    expect([etag, vary, headers['content-encoding'], headers['content-type']]).toEqual([
      ...['W/"v1"', 'Accept-Encoding', 'gzip', 'application/json'],
    ]);
    expect(Number(headers['content-length'])).toBeLessThan(2_500);
  });

  it('describes the keys of a route', async () => {
    expect((await coded('/users', 'br, gzip'))['content-encoding']).toBe('br');
    expect((await coded('/short', 'br, gzip'))['content-encoding']).toBeUndefined();
    expect((await coded('/reports/csv', 'br, gzip'))['content-encoding']).toBe('gzip');
  });

  it('describes how to compress at the gateway alone, and goes with CORS', async ({ cleanUp }) => {
    const accepted: (string | undefined)[] = [];
    const upstream = new RecordingUpstream((request, response) => {
      accepted.push(request.headers['accept-encoding']);
      response.setHeader('Content-Type', 'application/json');
      response.end(text);
    });
    const ports = { 3001: await upstream.listen() };
    cleanUp.add(() => upstream.close());
    const alone = fencedBlocks(documentationPage(page)).find(({ text: block }) => block.includes('request-headers'));
    const routes = (alone?.text ?? '').replace(
      'compress #true',
      'compress #true; cors { allow-origins "https://a.example" }',
    );
    const gateway = await startDocumented(
      cleanUp,
      `listeners { listener "public" { address "127.0.0.1:8080" } }
      routes {\n${routes}\n}
      upstreams { upstream "api" { target "127.0.0.1:3001" } }`,
      { ports },
    );
    const headers = { 'Accept-Encoding': 'gzip', Origin: 'https://a.example' };
    const { headers: answered } = await gateway.ask(8080, { headers });
    expect(accepted).toEqual([undefined]);
    expect([answered['content-encoding'], answered['access-control-allow-origin']]).toEqual([
      'gzip',
      'https://a.example',
    ]);
    expect(answered.vary?.split(', ').sort()).toEqual(['Accept-Encoding', 'Origin']);
  });

  it('describes which coding a client gets', () => {
    const rows = tableOf(
      page,
      ['`Accept-Encoding`', 'With `encodings "br" "gzip"`'].map((cell) => cell.replace(/^`(.*)`$/, '$1')),
    );
    expect(rows.length).toBeGreaterThan(8);
    for (const [accepted = '', coding] of rows) {
      const headers = accepted === 'no field' ? [] : ['Accept-Encoding', accepted];
      expect([accepted, acceptedCoding(headers, ['br', 'gzip']) ?? 'none']).toEqual([accepted, coding]);
    }
  });
});
