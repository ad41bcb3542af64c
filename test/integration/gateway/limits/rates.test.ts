import { describe, expect } from 'vitest';
import type { RateLimits } from '../../../../src/domain/gateway/configuration/rate-limit-options.js';
import { testRoute } from '../../../support/gateway/in-process-gateway.js';
import { behindProxy, get, refusalOf, startLimited } from '../../../support/gateway/limited-gateway.js';
import { plainPolicies } from '../../../support/gateway/plain-configurations.js';
import { it } from '../../../support/shared/fixtures.js';

/** A token comes every 1000 s: none does while a test runs. */
const rare = { requestsPerSecond: 0.001, burst: 3 };
const none: RateLimits = { global: null, perClient: null, perRoute: null };
const one = get('/', 'X-Forwarded-For: 192.0.2.1');
const other = get('/', 'X-Forwarded-For: 192.0.2.2');
const onOtherRoute = get('/other', 'X-Forwarded-For: 192.0.2.1');

const { matches } = testRoute();
const routes = [testRoute(), testRoute({ id: 'other', matches: { ...matches, pathPrefixes: ['/other'] } })];

describe.each<[string, Partial<RateLimits>, number, number]>([
  ['max-requests-per-second-global', { global: rare }, 429, 429],
  ['max-requests-per-second-per-client', { perClient: rare }, 200, 429],
  ['max-requests-per-second-per-route', { perRoute: rare }, 429, 200],
])('%s', (name, rates, otherClient, otherRoute) => {
  it('passes requests up to its burst, refuses one above, and keeps the connection', async ({ cleanUp }) => {
    const gateway = await startLimited(cleanUp, { rates: { ...none, ...rates } }, { ...behindProxy, routes });
    const client = gateway.client();
    const statuses: number[] = [];
    for (let turn = 0; turn < 3; turn += 1) statuses.push((await client.ask(one)).status);
    expect(statuses).toEqual([200, 200, 200]);
    const refused = await client.ask(one);
    const refusal = await refusalOf(gateway, refused);
    expect(refusal).toEqual({
      status: 429,
      code: 'rate_limited',
      retryAfter: expect.stringMatching(/^(9\d\d|1000)$/),
      closes: false,
      limit_name: name,
      limit: 0.001,
      actual: 4,
      client_ip: '192.0.2.1',
      isTraced: true,
      counted: { [`gateway_rate_limit_exceeded_total ${name}`]: 1 },
    });
    const field = /^"[a-z-]+";r=0;t=(\d+)$/.exec(refused.headers['ratelimit'] ?? '');
    expect(field?.[1]).toBe(refusal.retryAfter);
    expect(gateway.upstream.reached).toHaveLength(3);
    expect([(await client.ask(other)).status, (await client.ask(onOtherRoute)).status]).toEqual([
      otherClient,
      otherRoute,
    ]);
  });

  it('keeps its counters over a reload, and refuses nothing once disabled', async ({ cleanUp }) => {
    const limits = { rates: { ...none, ...rates } };
    const gateway = await startLimited(cleanUp, limits, { ...behindProxy, routes });
    const client = gateway.client();
    for (let turn = 0; turn < 3; turn += 1) await client.ask(one);
    await gateway.reloadLimits(limits);
    expect((await client.ask(one)).status).toBe(429);
    await gateway.reloadLimits({ rates: none });
    expect((await client.ask(one)).status).toBe(200);
  });
});

it('the rate-limit of a route passes its burst, and refuses one above', async ({ cleanUp }) => {
  const policies = { ...plainPolicies, rateLimit: { name: null, limit: rare, key: { kind: 'client_ip' } as const } };
  const gateway = await startLimited(cleanUp, {}, { ...behindProxy, routes: [testRoute({ policies })] });
  const client = gateway.client();
  const lefts: (string | undefined)[] = [];
  for (let turn = 0; turn < 3; turn += 1) {
    lefts.push(/;r=(\d+);/.exec((await client.ask(one)).headers['ratelimit'] ?? '')?.[1]);
  }
  expect(lefts).toEqual(['2', '1', '0']);
  expect(await refusalOf(gateway, await client.ask(one))).toMatchObject({
    status: 429,
    limit_name: 'rate-limit',
    actual: 4,
    client_ip: '192.0.2.1',
    counted: { 'gateway_rate_limit_exceeded_total rate-limit': 1 },
  });
});
