import { describe, expect } from 'vitest';
import type { LimitsConfiguration } from '../../../../src/domain/gateway/configuration/gateway-configuration.js';
import { testRoute } from '../../../support/gateway/in-process-gateway.js';
import {
  behindProxy,
  get,
  type LimitedGateway,
  refusalOf,
  startLimited,
} from '../../../support/gateway/limited-gateway.js';
import { eventually } from '../../../support/shared/eventually.js';
import { it } from '../../../support/shared/fixtures.js';

/** Has so many requests be in flight, each on a connection of its own. */
const fill = async ({ client, upstream }: LimitedGateway, count: number, ...fields: readonly string[]) => {
  const already = upstream.held;
  const clients = Array.from({ length: count }, () => client().send(get('/held', ...fields)));
  await eventually(() => upstream.held === already + count);
  return clients;
};

const tooMany = (name: string, limit: number) => ({
  status: 503,
  code: 'request_limit_reached',
  retryAfter: '1',
  closes: false,
  limit_name: name,
  limit,
  actual: limit + 1,
  client_ip: '127.0.0.1',
  isTraced: true,
  counted: { [`gateway_request_limit_reached_total ${name}`]: 1 },
});

describe.each<[string, Partial<LimitsConfiguration>]>([
  ['max-in-flight-requests', { maxInFlightRequests: 3 }],
  ['max-in-flight-requests-per-worker', { maxInFlightRequestsPerWorker: 3 }],
])('%s', (name, limits) => {
  it('serves requests up to it, refuses one above, and keeps its connection', async ({ cleanUp }) => {
    const gateway = await startLimited(cleanUp, { ...limits, maxQueuedRequests: 0 });
    await fill(gateway, 2);
    await fill(gateway, 1);
    const client = gateway.client();
    expect(await refusalOf(gateway, await client.ask(get()))).toEqual(tooMany(name, 3));
    expect(gateway.upstream.reached).toHaveLength(3);
    gateway.upstream.release();
    await eventually(() => gateway.state.requestsInFlight() === 2);
    expect((await client.ask(get())).status).toBe(200);
  });

  it('queues the others if there is a queue', async ({ cleanUp }) => {
    const gateway = await startLimited(cleanUp, { ...limits, maxQueuedRequests: 1 });
    await fill(gateway, 3);
    const waiting = gateway.client().send(get('/later'));
    await eventually(() => gateway.state.requestsQueued() === 1);
    expect(gateway.upstream.reached).not.toContain('/later');
    gateway.upstream.release();
    expect((await waiting.answer()).body).toBe('/later');
  });
});

it('max-queued-requests queues requests up to it, and refuses one above', async ({ cleanUp }) => {
  const gateway = await startLimited(cleanUp, { maxInFlightRequests: 1, maxQueuedRequests: 2 });
  await fill(gateway, 1);
  const waiting = [gateway.client().send(get('/one'))];
  await eventually(() => gateway.state.requestsQueued() === 1);
  waiting.push(gateway.client().send(get('/two')));
  await eventually(() => gateway.state.requestsQueued() === 2);
  expect(await refusalOf(gateway, await gateway.ask(get('/three')))).toEqual(tooMany('max-queued-requests', 2));
  gateway.upstream.release();
  const answers = await Promise.all(waiting.map((client) => client.answer()));
  expect(answers.map(({ body }) => body)).toEqual(['/one', '/two']);
  expect(gateway.upstream.reached).toEqual(['/held', '/one', '/two']);
});

it('max-connections-per-route serves requests up to it, and refuses one above at once', async ({ cleanUp }) => {
  const { matches } = testRoute();
  const other = testRoute({ id: 'other', matches: { ...matches, pathPrefixes: ['/other'] } });
  const gateway = await startLimited(cleanUp, { maxConnectionsPerRoute: 3 }, { routes: [testRoute(), other] });
  await fill(gateway, 2);
  await fill(gateway, 1);
  const client = gateway.client();
  expect(await refusalOf(gateway, await client.ask(get()))).toEqual({
    ...tooMany('max-connections-per-route', 3),
    code: 'connection_limit_reached',
    counted: { 'gateway_connection_limit_reached_total max-connections-per-route': 1 },
  });
  expect((await client.ask(get('/other'))).status).toBe(200);
  gateway.upstream.release();
  await eventually(() => gateway.state.requestsInFlight() === 2);
  expect((await client.ask(get())).status).toBe(200);
});

it('max-connections-per-client counts the requests of each client behind a trusted proxy', async ({ cleanUp }) => {
  const gateway = await startLimited(cleanUp, { maxConnectionsPerClient: 3 }, behindProxy);
  const from = (address: string): string => `X-Forwarded-For: ${address}`;
  await fill(gateway, 2, from('192.0.2.1'));
  await fill(gateway, 1, from('192.0.2.1'));
  const client = gateway.client();
  expect(await refusalOf(gateway, await client.ask(get('/', from('192.0.2.1'))))).toEqual({
    ...tooMany('max-connections-per-client', 3),
    code: 'connection_limit_reached',
    client_ip: '192.0.2.1',
    counted: { 'gateway_connection_limit_reached_total max-connections-per-client': 1 },
  });
  expect((await client.ask(get('/', from('192.0.2.2')))).status).toBe(200);
  gateway.upstream.release();
  await eventually(() => gateway.state.requestsInFlight() === 2);
  expect((await client.ask(get('/', from('192.0.2.1')))).status).toBe(200);
});

it('a client that only claims to be a proxy is counted by its connections', async ({ cleanUp }) => {
  const gateway = await startLimited(cleanUp, { maxConnectionsPerClient: 2 }, behindProxy);
  const statuses: number[] = [];
  for (const address of ['192.0.2.1', '192.0.2.2', '192.0.2.3']) {
    const client = gateway.client('127.0.0.2');
    statuses.push((await client.ask(get('/', `X-Forwarded-For: ${address}`))).status);
  }
  expect(statuses).toEqual([200, 200, 503]);
});

it('responses of the gateway need no slot', async ({ cleanUp }) => {
  const { matches } = testRoute();
  const health = testRoute({
    id: 'health',
    priority: 1_000,
    matches: { ...matches, pathPrefixes: [], paths: ['/health'] },
    upstream: null,
    builtinHandler: 'health',
  });
  const limits = { maxInFlightRequests: 1, maxQueuedRequests: 0, maxConnectionsPerRoute: 1 };
  const gateway = await startLimited(cleanUp, limits, { routes: [testRoute(), health] });
  await fill(gateway, 1);
  expect((await gateway.ask(get())).status).toBe(503);
  expect((await gateway.ask(get('/health'))).status).toBe(200);
});
