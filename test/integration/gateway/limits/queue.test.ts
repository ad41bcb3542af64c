import { describe, expect } from 'vitest';
import type { ClientConnection } from '../../../support/gateway/client-connection.js';
import { testRoute } from '../../../support/gateway/in-process-gateway.js';
import {
  behindProxy,
  get,
  type LimitedGateway,
  limitLines,
  refusalOf,
  startLimited,
} from '../../../support/gateway/limited-gateway.js';
import { plainPolicies } from '../../../support/gateway/plain-configurations.js';
import type { CleanUp } from '../../../support/shared/clean-up.js';
import { eventually } from '../../../support/shared/eventually.js';
import { it } from '../../../support/shared/fixtures.js';

const { matches } = testRoute();
/** A request for anything below `/quick` has 50 ms, the queue included. */
const quick = testRoute({
  id: 'quick',
  priority: 100,
  matches: { ...matches, pathPrefixes: ['/quick'] },
  policies: { ...plainPolicies, requestTimeoutMs: 50 },
});

const startWithOnePlace = async (cleanUp: CleanUp, maxQueuedRequests: number): Promise<LimitedGateway> => {
  const limits = { maxInFlightRequests: 1, maxQueuedRequests };
  const gateway = await startLimited(cleanUp, limits, { ...behindProxy, routes: [testRoute(), quick] });
  gateway.client().send(get('/held'));
  await eventually(() => gateway.upstream.held === 1);
  return gateway;
};

/** Has a client behind the proxy wait; resolves once it does. */
const enqueue = async (gateway: LimitedGateway, client: string, path: string): Promise<ClientConnection> => {
  const before = gateway.state.requestsQueued();
  const connection = gateway.client().send(get(path, `X-Forwarded-For: ${client}`));
  await eventually(() => gateway.state.requestsQueued() === before + 1);
  return connection;
};

describe('queued requests', () => {
  it('take turns by client', async ({ cleanUp }) => {
    const gateway = await startWithOnePlace(cleanUp, 100);
    const waiting: ClientConnection[] = [];
    for (const [client, path] of [
      ['192.0.2.1', '/a1'],
      ['192.0.2.1', '/a2'],
      ['192.0.2.1', '/a3'],
      ['192.0.2.1', '/a4'],
      ['192.0.2.2', '/b1'],
      ['192.0.2.2', '/b2'],
      ['192.0.2.3', '/c1'],
    ] as const) {
      waiting.push(await enqueue(gateway, client, path));
    }
    gateway.upstream.release();
    await Promise.all(waiting.map((connection) => connection.answer()));
    expect(gateway.upstream.reached).toEqual(['/held', '/a1', '/b1', '/c1', '/a2', '/b2', '/a3', '/a4']);
  });

  it('of the client with most of a full queue are evicted for others, newest first', async ({ cleanUp }) => {
    const gateway = await startWithOnePlace(cleanUp, 3);
    const greedy: ClientConnection[] = [];
    for (const path of ['/a1', '/a2', '/a3']) greedy.push(await enqueue(gateway, '192.0.2.1', path));
    const other = gateway.client().send(get('/b1', 'X-Forwarded-For: 192.0.2.2'));
    const [first, second, third] = greedy as [ClientConnection, ClientConnection, ClientConnection];
    expect(await refusalOf(gateway, await third.answer())).toEqual({
      status: 503,
      code: 'request_limit_reached',
      retryAfter: '1',
      closes: false,
      limit_name: 'max-queued-requests',
      limit: 3,
      actual: 4,
      client_ip: '192.0.2.1',
      isTraced: true,
      counted: { 'gateway_request_limit_reached_total max-queued-requests': 1 },
    });
    gateway.upstream.release();
    await Promise.all([first, second, other].map((connection) => connection.answer()));
    expect(gateway.upstream.reached).toEqual(['/held', '/a1', '/b1', '/a2']);
  });

  it('are refused after their timeout, and never sent', async ({ cleanUp }) => {
    const gateway = await startWithOnePlace(cleanUp, 10);
    const late = await enqueue(gateway, '192.0.2.1', '/quick');
    expect(await refusalOf(gateway, await late.answer())).toEqual({
      status: 503,
      code: 'request_limit_reached',
      retryAfter: '1',
      closes: false,
      limit_name: 'max-in-flight-requests',
      limit: 1,
      actual: 2,
      client_ip: '192.0.2.1',
      isTraced: true,
      counted: { 'gateway_request_limit_reached_total max-in-flight-requests': 1 },
    });
    gateway.upstream.release();
    expect((await late.ask(get('/next'))).body).toBe('/next');
    expect(gateway.upstream.reached).toEqual(['/held', '/next']);
  });

  it.for([
    ['no body', get('/gone')],
    ['a body of which a part has come', 'POST /gone HTTP/1.1\r\nHost: a\r\nContent-Length: 10\r\n\r\nabc'],
    ['a body that has come whole', 'POST /gone HTTP/1.1\r\nHost: a\r\nContent-Length: 3\r\n\r\nabc'],
  ] as const)('that have %s leave the queue with their client', async ([_, octets], { cleanUp }) => {
    const gateway = await startWithOnePlace(cleanUp, 1);
    const leaving = gateway.client().send(octets);
    await eventually(() => gateway.state.requestsQueued() === 1);
    leaving.destroy();
    await eventually(() => gateway.state.requestsQueued() === 0);
    const next = await enqueue(gateway, '192.0.2.1', '/next');
    gateway.upstream.release();
    expect((await next.answer()).status).toBe(200);
    expect(gateway.upstream.reached).toEqual(['/held', '/next']);
    const gone = gateway.accessRecords.find(({ path }) => path === '/gone');
    expect(gone).toMatchObject({ status: 499, errorType: 'client_gone', target: null });
    expect(limitLines(gateway)).toEqual([]);
  });

  it('send their body once admitted', async ({ cleanUp }) => {
    const gateway = await startWithOnePlace(cleanUp, 1);
    const client = gateway.client().send('POST /upload HTTP/1.1\r\nHost: a\r\nContent-Length: 10\r\n\r\n12345');
    await eventually(() => gateway.state.requestsQueued() === 1);
    client.send('67890');
    gateway.upstream.release();
    expect((await client.answer()).body).toBe('/upload');
  });

  it('end with the gateway', async ({ cleanUp }) => {
    const gateway = await startWithOnePlace(cleanUp, 10);
    const waiting = await enqueue(gateway, '192.0.2.1', '/never');
    await gateway.stop();
    await expect(waiting.answer()).rejects.toThrow('ended without an answer');
    expect(gateway.upstream.reached).toEqual(['/held']);
    expect(gateway.state.requestsQueued()).toBe(0);
  });
});
