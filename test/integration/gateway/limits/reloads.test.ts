import { expect } from 'vitest';
import { behindProxy, get, type LimitedGateway, post, startLimited } from '../../../support/gateway/limited-gateway.js';
import { eventually } from '../../../support/shared/eventually.js';
import { it } from '../../../support/shared/fixtures.js';

const hold = async ({ client, upstream }: LimitedGateway, count: number, ...fields: readonly string[]) => {
  const already = upstream.held;
  const clients = Array.from({ length: count }, () => client().send(get('/held', ...fields)));
  await eventually(() => upstream.held === already + count);
  return clients;
};

const status = async (gateway: LimitedGateway, ...fields: readonly string[]): Promise<number> =>
  (await gateway.ask(get('/', ...fields))).status;

it('reloaded limits of heads and bodies apply to the next request of an open connection', async ({ cleanUp }) => {
  const gateway = await startLimited(cleanUp, { maxHeaderValueBytes: 100, maxBodySizeBytes: 100 });
  const client = gateway.client();
  const head = get('/', `A: ${'x'.repeat(100)}`);
  expect((await client.ask(head)).status).toBe(200);
  expect((await client.ask(post(100))).status).toBe(200);
  await gateway.reloadLimits({ maxHeaderValueBytes: 101, maxBodySizeBytes: 99 });
  expect((await client.ask(head)).status).toBe(200);
  expect((await client.ask(get('/', `A: ${'x'.repeat(101)}`))).status).toBe(200);
  expect((await client.ask(post(99))).status).toBe(200);
  expect((await client.ask(post(100))).status).toBe(413);
});

it('a body in transit keeps its limit', async ({ cleanUp }) => {
  const gateway = await startLimited(cleanUp, { maxBodySizeBytes: 10 });
  const client = gateway
    .client()
    .send('POST / HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\n5\r\nabcde\r\n');
  await eventually(() => gateway.upstream.reached.length === 1);
  await gateway.reloadLimits({ maxBodySizeBytes: 5 });
  expect((await client.ask('5\r\nfghij\r\n0\r\n\r\n')).status).toBe(200);
  expect((await client.ask(post(6))).status).toBe(413);
});

it('requests of a route are counted with those from before a reload', async ({ cleanUp }) => {
  const gateway = await startLimited(cleanUp, { maxConnectionsPerRoute: 2 });
  const [first] = await hold(gateway, 2);
  await gateway.reloadLimits({ maxConnectionsPerRoute: 2 });
  expect(await status(gateway)).toBe(503);
  await gateway.reloadLimits({ maxConnectionsPerRoute: 3 });
  expect(await status(gateway)).toBe(200);
  await hold(gateway, 1);
  expect(await status(gateway)).toBe(503);
  gateway.upstream.release();
  expect((await first?.answer())?.status).toBe(200);
  expect(await status(gateway)).toBe(200);
  await gateway.reloadLimits({ maxConnectionsPerRoute: 1 });
  expect(await status(gateway)).toBe(503);
  gateway.upstream.releaseAll();
  await eventually(() => gateway.state.requestsInFlight() === 0);
  expect(await status(gateway)).toBe(200);
});

it('requests of a client behind a proxy are counted with those from before a reload', async ({ cleanUp }) => {
  const from = 'X-Forwarded-For: 192.0.2.1';
  const gateway = await startLimited(cleanUp, { maxConnectionsPerClient: 2 }, behindProxy);
  await hold(gateway, 2, from);
  await gateway.reloadLimits({ maxConnectionsPerClient: 2 });
  expect(await status(gateway, from)).toBe(503);
  expect(await status(gateway, 'X-Forwarded-For: 192.0.2.2')).toBe(200);
  gateway.upstream.release();
  await eventually(() => gateway.state.requestsInFlight() === 1);
  expect(await status(gateway, from)).toBe(200);
});

it('queued requests are admitted as soon as a reload makes room', async ({ cleanUp }) => {
  const gateway = await startLimited(cleanUp, { maxInFlightRequests: 1 });
  await hold(gateway, 1);
  const waiting = gateway.client().send(get('/waits'));
  await eventually(() => gateway.state.requestsQueued() === 1);
  await gateway.reloadLimits({ maxInFlightRequests: 2 });
  expect((await waiting.answer()).body).toBe('/waits');
});

it('queued requests stay when a reload shortens the queue, and new ones are refused', async ({ cleanUp }) => {
  const gateway = await startLimited(cleanUp, { maxInFlightRequests: 1, maxQueuedRequests: 2 });
  await hold(gateway, 1);
  const waiting = [gateway.client().send(get('/one')), gateway.client().send(get('/two'))];
  await eventually(() => gateway.state.requestsQueued() === 2);
  await gateway.reloadLimits({ maxInFlightRequests: 1, maxQueuedRequests: 0 });
  expect(await status(gateway)).toBe(503);
  gateway.upstream.release();
  const answers = await Promise.all(waiting.map((client) => client.answer()));
  expect(answers.map((answer) => answer.status)).toEqual([200, 200]);
});

it('a lower limit keeps requests in flight, and admits none until there is room', async ({ cleanUp }) => {
  const gateway = await startLimited(cleanUp, { maxInFlightRequests: 3, maxQueuedRequests: 1 });
  const clients = await hold(gateway, 3);
  await gateway.reloadLimits({ maxInFlightRequests: 1, maxQueuedRequests: 1 });
  const waiting = gateway.client().send(get('/waits'));
  await eventually(() => gateway.state.requestsQueued() === 1);
  gateway.upstream.release();
  gateway.upstream.release();
  await Promise.all(clients.slice(0, 2).map((client) => client.answer()));
  expect(gateway.upstream.reached).not.toContain('/waits');
  gateway.upstream.release();
  expect((await waiting.answer()).status).toBe(200);
});

it('a lower limit keeps open connections, and admits no other', async ({ cleanUp }) => {
  const gateway = await startLimited(cleanUp, { maxTotalConnections: 3 });
  const clients = [gateway.client(), gateway.client()];
  for (const client of clients) await client.ask(get());
  await gateway.reloadLimits({ maxTotalConnections: 1 });
  for (const client of clients) expect((await client.ask(get())).status).toBe(200);
  expect(await status(gateway)).toBe(503);
  for (const client of clients) client.destroy();
  await eventually(() => gateway.state.openConnections() === 0);
  expect(await status(gateway)).toBe(200);
});
