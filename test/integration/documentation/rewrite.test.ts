import { describe, expect } from 'vitest';
import { type DocumentedGateway, startDocumented } from '../../support/gateway/documented-gateway.js';
import { RecordingUpstream, valuesOf } from '../../support/gateway/recording-upstream.js';
import type { CleanUp } from '../../support/shared/clean-up.js';
import {
  configurationOf,
  documentationPage,
  fencedBlocks,
  tableOf,
} from '../../support/shared/documentation-examples.js';
import { it } from '../../support/shared/fixtures.js';

const page = 'docs/guides/rewrite.md';
const [main = '', encoded = '', repeated = ''] = fencedBlocks(documentationPage(page))
  .filter(({ info, text }) => info === 'kdl' && configurationOf(text)?.isWhole)
  .map(({ text }) => text);

interface Example {
  readonly gateway: DocumentedGateway;
  readonly upstream: RecordingUpstream;
  readonly upstreamPort: number;
}

const start = async (cleanUp: CleanUp, text: string, documentedPort: number): Promise<Example> => {
  const upstream = new RecordingUpstream();
  const upstreamPort = await upstream.listen();
  cleanUp.add(() => upstream.close());
  const gateway = await startDocumented(cleanUp, text, { ports: { [documentedPort]: upstreamPort } });
  return { gateway, upstream, upstreamPort };
};

let rewriting: Example;
let encodedSlashes: Example;
let repeatedSlashes: Example;

it.beforeAll(async ({ fileCleanUp }) => {
  rewriting = await start(fileCleanUp, main, 3001);
  encodedSlashes = await start(fileCleanUp, encoded, 3002);
  repeatedSlashes = await start(fileCleanUp, repeated, 3003);
});

describe('the guide to rewrites', () => {
  it.each(tableOf(page, ['Host', 'Request', 'The upstream gets', 'X-Forwarded-Prefix']))(
    'sends a request of %s for %s as %s (%s)',
    async (host = '', path = '', expected = '', prefix = '') => {
      const { gateway, upstream } = rewriting;
      const { status } = await gateway.ask(8080, { path, headers: { Host: host } });
      const got = upstream.received.at(-1);
      expect([status, got?.url]).toEqual([200, expected]);
      expect(got && valuesOf(got, 'x-forwarded-prefix')).toEqual(prefix === '' ? [] : [prefix]);
      await expect
        .poll(() => gateway.accessRecords.at(-1))
        .toMatchObject({ upstreamPath: expected.replace(/\?.*/, '') });
    },
  );

  it.each(tableOf(page, ['Request', 'Status']))('answers %s with %s', async (path = '', status = '') => {
    const before = rewriting.upstream.received.length;
    expect((await rewriting.gateway.ask(8080, { path })).status).toBe(Number(status));
    expect(rewriting.upstream.received.length).toBe(before);
  });

  it.each(tableOf(page, ['Upstream of the route `api`', 'Client']))(
    'turns %s back into %s',
    async (sent = '', expected = '') => {
      const { gateway, upstream, upstreamPort } = rewriting;
      const [name = '', value = ''] = sent.split(/: (.*)/);
      upstream.answer = (request, response) => {
        request.resume();
        response.setHeader(name, value.replaceAll('127.0.0.1:3001', `127.0.0.1:${upstreamPort}`));
        response.end();
      };
      const { headers } = await gateway.ask(8080, { path: '/api/x', headers: { Host: 'localhost:8080' } });
      upstream.reset();
      expect(`${name}: ${[headers[name.toLowerCase()]].flat().join()}`).toBe(expected);
    },
  );

  it.each(tableOf(page, ['Request', 'Status', 'The upstream gets']))(
    'with encoded slashes answers %s with %s',
    async (path = '', status = '', expected = '') => {
      const { gateway, upstream } = encodedSlashes;
      upstream.reset();
      expect((await gateway.ask(8081, { path })).status).toBe(Number(status));
      expect(upstream.received.map(({ url }) => url)).toEqual(expected === '' ? [] : [expected]);
    },
  );

  it.each(tableOf(page, ['Request', 'The upstream gets']))(
    'with repeated slashes sends %s as %s',
    async (path = '', expected = '') => {
      const { gateway, upstream } = repeatedSlashes;
      upstream.reset();
      expect((await gateway.ask(8082, { path })).status).toBe(200);
      expect(upstream.received.map(({ url }) => url)).toEqual([expected]);
    },
  );
});
