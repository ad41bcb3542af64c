import { describe, expect } from 'vitest';
import type { GatewayConfiguration } from '../../../src/domain/gateway/configuration/gateway-configuration.js';
import { startHttpUpstream } from '../../support/gateway/http-upstream.js';
import {
  type InProcessGateway,
  startInProcess,
  testConfiguration,
  testLimits,
  testRoute,
  testUpstream,
} from '../../support/gateway/in-process-gateway.js';
import { plainPolicies } from '../../support/gateway/plain-configurations.js';
import type { CleanUp } from '../../support/shared/clean-up.js';
import { it } from '../../support/shared/fixtures.js';

const once = { requestsPerSecond: 0.01, burst: 1 };

const start = async (
  cleanUp: CleanUp,
  rates: Partial<GatewayConfiguration['limits']['rates']>,
  changes: Partial<GatewayConfiguration> = {},
): Promise<InProcessGateway> => {
  const upstream = await startHttpUpstream((_request, response) => {
    response.setHeader('RateLimit', '"client";r=7;t=1').setHeader('RateLimit-Policy', '"client";q=9;w=1').end('ok');
  });
  cleanUp.add(() => upstream.close());
  const limits = { ...testLimits, rates: { global: null, perClient: null, perRoute: null, ...rates } };
  const gateway = await startInProcess(testConfiguration([testUpstream(upstream.port)], { limits, ...changes }));
  cleanUp.add(() => gateway.stop());
  return gateway;
};

const statuses = async (url: string, count: number): Promise<readonly number[]> => {
  const all: number[] = [];
  for (let index = 0; index < count; index += 1) all.push((await fetch(url)).status);
  return all;
};

const health = (policies = plainPolicies) =>
  testRoute({
    id: 'health',
    priority: 1000,
    matches: { ...testRoute().matches, pathPrefixes: [], paths: ['/health'] },
    upstream: null,
    builtinHandler: 'health',
    policies,
  });

describe('a built-in endpoint', () => {
  it('works when all other rates are exhausted', async ({ cleanUp }) => {
    const rates = { global: once, perClient: once, perRoute: once };
    const gateway = await start(cleanUp, rates, { routes: [health(), testRoute()] });
    expect(await statuses(`${gateway.url}/orders`, 2)).toEqual([200, 429]);
    expect(await statuses(`${gateway.url}/health`, 3)).toEqual([200, 200, 200]);
  });

  it('obeys its own policy', async ({ cleanUp }) => {
    const policies = { ...plainPolicies, rateLimit: { name: null, limit: once, key: { kind: 'route' } } } as const;
    const gateway = await start(cleanUp, {}, { routes: [health(policies), testRoute()] });
    const first = await fetch(`${gateway.url}/health`);
    expect(first.headers.get('ratelimit')).toBe('"route-policy";r=0;t=100');
    expect((await fetch(`${gateway.url}/health`)).status).toBe(429);
  });
});

describe('a rate of the gateway', () => {
  it('replaces rate-limit fields of the upstream', async ({ cleanUp }) => {
    const gateway = await start(cleanUp, { perClient: { requestsPerSecond: 1, burst: 5 } });
    const { headers } = await fetch(gateway.url);
    expect(headers.get('ratelimit')).toBe('"client";r=4;t=1');
    expect(headers.get('ratelimit-policy')).toBe('"client";q=5;w=5');
  });

  it('keeps rate-limit fields of the upstream without an own limit', async ({ cleanUp }) => {
    const gateway = await start(cleanUp, {});
    expect((await fetch(gateway.url)).headers.get('ratelimit')).toBe('"client";r=7;t=1');
  });

  it('applies also to unmatched requests', async ({ cleanUp }) => {
    const route = testRoute({ matches: { ...testRoute().matches, pathPrefixes: ['/known'] } });
    const gateway = await start(cleanUp, { perClient: { requestsPerSecond: 0.01, burst: 2 } }, { routes: [route] });
    expect(await statuses(`${gateway.url}/unknown`, 3)).toEqual([404, 404, 429]);
    expect(await statuses(`${gateway.url}/known`, 1)).toEqual([429]);
  });
});
