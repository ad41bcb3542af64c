import { describe, expect } from 'vitest';
import type { RouteConfiguration } from '../../../src/domain/gateway/configuration/gateway-configuration.js';
import { echo, startHttpUpstream } from '../../support/gateway/http-upstream.js';
import {
  startInProcess,
  testConfiguration,
  testRoute,
  testUpstream,
} from '../../support/gateway/in-process-gateway.js';
import { rawExchange } from '../../support/gateway/raw-exchange.js';
import type { CleanUp } from '../../support/shared/clean-up.js';
import { it } from '../../support/shared/fixtures.js';

const { matches } = testRoute();

const startWith = async (cleanUp: CleanUp, routes: readonly RouteConfiguration[]) => {
  const upstream = await startHttpUpstream(echo);
  cleanUp.add(() => upstream.close());
  const gateway = await startInProcess(testConfiguration([testUpstream(upstream.port)], { routes }));
  cleanUp.add(() => gateway.stop());
  return gateway;
};

const close = 'Connection: close\r\n\r\n';

describe('a request for the server itself', () => {
  const byHost = testRoute({ matches: { ...matches, pathPrefixes: [], hosts: ['a'] } });

  it.for([
    ['*', `OPTIONS * HTTP/1.1\r\nHost: a\r\n${close}`],
    ['an authority alone', `OPTIONS http://a HTTP/1.1\r\nHost: a\r\n${close}`],
  ] as const)('by %s is never forwarded', async ([_, text], { cleanUp }) => {
    const { address, state } = await startWith(cleanUp, [byHost]);
    const { status, body } = await rawExchange(address, text);
    expect([status, JSON.parse(body).code]).toEqual([404, 'no_route']);
    expect(state.upstreams()[0]?.targets[0]?.totalRequests).toBe(0);
  });
});

describe('a route that matches the Host header', () => {
  const byField = testRoute({
    matches: { ...matches, headers: [{ name: 'Host', value: 'inner.example' }] },
  });

  it('matches the forwarded host, not one that an absolute target replaces', async ({ cleanUp }) => {
    const { address } = await startWith(cleanUp, [byField]);
    const forged = `GET http://other.example/ HTTP/1.1\r\nHost: inner.example\r\n${close}`;
    expect((await rawExchange(address, forged)).status).toBe(404);
    const named = `GET http://inner.example/ HTTP/1.1\r\nHost: other.example\r\n${close}`;
    const { status, body } = await rawExchange(address, named);
    expect(status).toBe(200);
    const { rawHeaders } = JSON.parse(body) as { rawHeaders: string[] };
    const hosts = rawHeaders.filter((_, index) => rawHeaders[index - 1]?.toLowerCase() === 'host');
    expect(hosts).toEqual(['inner.example']);
  });
});

describe('a head that is refused while it is read', () => {
  it.for([
    ['target', `GET /${'a'.repeat(100_000)} HTTP/1.1\r\nHost: a\r\n\r\n`, 414, 'max-target-bytes', 8_192],
    [
      'header section',
      `GET / HTTP/1.1\r\nHost: a\r\n${`X: ${'1'.repeat(4000)}\r\n`.repeat(30)}\r\n`,
      431,
      'max-head-bytes',
      98_304,
    ],
  ] as const)(
    'for its %s names the limit in the log, and is counted',
    async ([_, text, status, name, limit], { cleanUp }) => {
      const { address, logger, metrics } = await startWith(cleanUp, [testRoute()]);
      expect((await rawExchange(address, text)).status).toBe(status);
      expect(logger.lines).toContainEqual(
        expect.objectContaining({
          level: 'warn',
          fields: expect.objectContaining({ limit_name: name, limit, actual: limit + 1 }),
        }),
      );
      expect(await metrics()).toMatch(/^gateway_header_size_exceeded_total\{[^}]*\} 1$/m);
    },
  );
});
