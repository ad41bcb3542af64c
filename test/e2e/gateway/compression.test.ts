import { describe, expect } from 'vitest';
import { zlibCoders } from '../../../src/adapters/outbound/node-zlib-compressor/zlib-coders.js';
import { it } from '../../support/shared/fixtures.js';
import { startStack } from '../../support/shared/gateway-stack.js';
import { runGateway } from '../../support/shared/running-gateway.js';

const text = 'a line of text\n'.repeat(1_000);

const zipped = (keys: string): string =>
  `route "zip" { matches { path-prefix "/zip" }; upstream "back"; policies { compress { ${keys} } } }`;

describe('compression by the built gateway', () => {
  it('works in every worker, and its counters are those of all', async ({ cleanUp }) => {
    const stack = await startStack(cleanUp, {
      routes: zipped(''),
      env: { GATEWAY_WORKER_THREADS: '2' },
    });
    stack.upstream.answer = (_, response) => {
      response.setHeader('Content-Type', 'text/plain');
      response.end(text);
    };
    const url = `http://127.0.0.1:${stack.port}/zip`;
    for (let count = 0; count < 20; count += 1) {
      const response = await fetch(url, { headers: { 'Accept-Encoding': 'gzip', Connection: 'close' } });
      expect(response.headers.get('content-encoding')).toBe('gzip');
      expect(await response.text()).toBe(text);
    }
    expect(await stack.metric('gateway_responses_compressed_total', 'encoding="gzip"')).toBe(20);
    expect(await stack.metric('gateway_compressions_skipped_total')).toBe(0);
    expect((await stack.report('/admin/routes')) as unknown).toContainEqual(
      expect.objectContaining({
        id: 'zip',
        policies: { compress: expect.objectContaining({ min_bytes: 1024, encodings: ['br', 'gzip'] }) },
      }),
    );
  });

  it('begins and ends with a reload', async ({ cleanUp }) => {
    const stack = await startStack(cleanUp);
    stack.upstream.answer = (_, response) => {
      response.setHeader('Content-Type', 'text/plain');
      response.end(text);
    };
    const coding = async () =>
      (await stack.ask({ path: '/zip', headers: { 'Accept-Encoding': 'gzip' } })).headers['content-encoding'];
    expect(await coding()).toBeUndefined();
    stack.rewrite({ routes: zipped('encodings "gzip"') });
    await stack.reload();
    expect(await coding()).toBe('gzip');
    stack.rewrite({ routes: '' });
    await stack.reload();
    expect(await coding()).toBeUndefined();
  });

  it('refuses zstd on a Node without it, at check and at start', async ({ folder }) => {
    const file = folder.write(
      'gateway.kdl',
      `listeners { listener "main" { address "127.0.0.1:0" } }
      upstreams { upstream "back" { target "127.0.0.1:1" } }
      routes { ${zipped('encodings "zstd" "gzip"')} }`,
    );
    if (zlibCoders.has('zstd')) {
      expect((await runGateway(['config', 'check', file]).exited).code).toBe(0);
      return;
    }
    const message = 'route "zip": "encodings" of compress names "zstd", which this Node lacks';
    for (const command of [
      ['config', 'check', file],
      ['--config', file],
    ]) {
      const gateway = runGateway(command);
      expect((await gateway.exited).code).toBe(1);
      expect(gateway.output().replaceAll('\\"', '"')).toContain(message);
    }
  });
});
