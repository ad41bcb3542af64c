import { connect } from 'node:net';
import { expect } from 'vitest';
import { ClientConnection } from '../../../support/gateway/client-connection.js';
import { testConfiguration } from '../../../support/gateway/in-process-gateway.js';
import { countedLimits, get, limitLines, refusalOf, startLimited } from '../../../support/gateway/limited-gateway.js';
import { it } from '../../../support/shared/fixtures.js';

it.for([
  ['max-total-connections', { maxTotalConnections: 2 }],
  ['max-connections-per-client', { maxConnectionsPerClient: 2 }],
] as const)(
  'a connection above %s gets a response before any octet, and is closed',
  async ([name, limits], { cleanUp }) => {
    const gateway = await startLimited(cleanUp, limits);
    const standing = [gateway.client(), gateway.client()];
    for (const client of standing) expect((await client.ask(get())).status).toBe(200);
    const refused = gateway.client();
    expect(await refusalOf(gateway, await refused.answer())).toEqual({
      status: 503,
      code: 'connection_limit_reached',
      retryAfter: '1',
      closes: true,
      limit_name: name,
      limit: 2,
      actual: 3,
      client_ip: '127.0.0.1',
      isTraced: true,
      counted: { [`gateway_connection_limit_reached_total ${name}`]: 1 },
    });
    await refused.closed;
    for (const client of standing) expect((await client.ask(get())).status).toBe(200);
  },
);

it('a flood of refused connections is counted completely, and logged in a few lines with a number', async ({
  cleanUp,
}) => {
  const gateway = await startLimited(cleanUp, { maxTotalConnections: 1 });
  expect((await gateway.ask(get())).status).toBe(200);
  const flood = 30;
  for (let count = 0; count < flood; count += 1) {
    const socket = connect(gateway.address);
    await new Promise<void>((resolve) =>
      socket
        .on('error', () => undefined)
        .once('close', () => resolve())
        .resume(),
    );
  }
  const about = () => limitLines(gateway).map(({ fields }) => fields['left_out']);
  // Each is either written down or among those that were left out.
  await expect
    .poll(() => about().reduce((sum: number, leftOut) => sum + (leftOut === undefined ? 1 : Number(leftOut)), 0))
    .toBe(flood);
  expect(about().length).toBeLessThan(flood);
  const counted = { 'gateway_connection_limit_reached_total max-total-connections': flood };
  expect(await countedLimits(gateway)).toEqual(counted);
});

it('an IPv4 client of a dual-stack listener keeps its IPv4 address, even with a malformed head', async ({
  cleanUp,
}) => {
  const listeners = testConfiguration([]).listeners.map((listener) => ({
    ...listener,
    address: { host: '::', port: 0 },
  }));
  const gateway = await startLimited(cleanUp, { maxConnectionsPerClient: 1 }, { listeners });
  const address = { host: '127.0.0.1', port: gateway.address.port };
  const unreadable = new ClientConnection(address);
  cleanUp.add(() => unreadable.destroy());
  const refused = new ClientConnection(address);
  cleanUp.add(() => refused.destroy());
  expect((await refused.answer()).status).toBe(503);
  expect((await unreadable.ask(`GET /${'x'.repeat(100_000)} HTTP/1.1\r\n\r\n`)).status).toBe(414);
  expect(limitLines(gateway).map(({ fields }) => [fields['limit_name'], fields['client_ip']])).toEqual([
    ['max-connections-per-client', '127.0.0.1'],
    ['max-target-bytes', '127.0.0.1'],
  ]);
});
