import { describe, expect, it } from 'vitest';
import type { Cancellation } from '../../../../../src/application/ports/shared/cancellation.js';
import { CancellationSource } from '../../../../../src/application/shared/cancellation/cancellation-source.js';
import { basicOf, clientSecret, ExchangeWorld, seen } from '../../../../support/agent/fake-token-exchange.js';
import { neverCancelled } from '../../../../support/shared/never-cancelled.js';

/** A world with two clients, and a request a second for whoever asks. */
const limitedWorld = (requestsPerSecond = 1): ExchangeWorld =>
  new ExchangeWorld({ hasClient: true, options: { rateLimit: { requestsPerSecond, burst: 1 } } });

let addresses = 0;

/** From an address of its own, so that the client's rate alone counts. */
const askAs = async (world: ExchangeWorld, id: string, secret = clientSecret) => {
  addresses += 1;
  const metadata = { ...world.event().metadata, clientIp: `192.0.2.${addresses}` };
  return seen(await world.exchange({}, { headers: ['authorization', basicOf(id, secret)], metadata }));
};

const showAssertion = async (world: ExchangeWorld, assertion: string, cancellation: Cancellation = neverCancelled) => {
  addresses += 1;
  const metadata = { ...world.event().metadata, clientIp: `192.0.2.${addresses}` };
  const fields = {
    client_id: 'desk',
    client_assertion: assertion,
    client_assertion_type: 'urn:ietf:params:oauth:client-assertion-type:jwt-bearer',
  };
  return seen(await world.exchange(fields, { metadata }, cancellation));
};

describe('the rate limit of a client', () => {
  it('is separate per client', async () => {
    const world = limitedWorld();
    const statuses: number[] = [];
    for (const id of ['desk', 'shop', 'desk', 'shop']) statuses.push((await askAs(world, id)).status);
    expect(statuses).toEqual([200, 200, 429, 429]);
    world.clock.advance(1_000);
    expect([(await askAs(world, 'shop')).status, (await askAs(world, 'desk')).status]).toEqual([200, 200]);
  });

  it.each([
    [1, 0, '1'],
    [0.1, 0, '10'],
    [0.1, 1, '10'],
    [0.1, 1_000, '9'],
    [0.1, 9_500, '1'],
    [0.3, 0, '4'],
    [100, 0, '1'],
  ])('%d a second gives, %d ms later, a Retry-After in whole seconds rounded up: %s', async (rate, laterMs, told) => {
    const world = limitedWorld(rate);
    expect((await askAs(world, 'desk')).status).toBe(200);
    world.clock.advance(laterMs);
    const { status, headers } = await askAs(world, 'desk');
    expect([status, headers['retry-after']]).toEqual([429, [told]]);
  });

  it('is not consumed by requests that fail client authentication', async () => {
    const world = limitedWorld();
    for (let time = 0; time < 3; time += 1) expect((await askAs(world, 'desk', 'guessed')).status).toBe(401);
    expect((await askAs(world, 'desk')).status).toBe(200);
  });
});

describe('the assertion of a client', () => {
  it('is consumed once, by an exchange', async () => {
    const world = new ExchangeWorld({ hasClient: true });
    expect((await showAssertion(world, 'j1 of desk')).status).toBe(200);
    expect((await showAssertion(world, 'j1 of desk')).status).toBe(401);
    expect(world.results).toEqual(['issued', 'client_assertion_replayed']);
  });

  it('is not consumed by a request over the rate limit', async () => {
    const world = limitedWorld();
    expect((await showAssertion(world, 'j1 of desk')).status).toBe(200);
    expect((await showAssertion(world, 'j2 of desk')).status).toBe(429);
    expect(world.spent).toEqual(['j1 of desk']);
    world.clock.advance(1_000);
    expect((await showAssertion(world, 'j2 of desk')).status).toBe(200);
  });

  it('does not consume the rate if already used: its thief cannot lock the client out', async () => {
    const world = limitedWorld();
    expect((await showAssertion(world, 'j1 of desk')).status).toBe(200);
    world.clock.advance(1_000);
    for (let time = 0; time < 3; time += 1) expect((await showAssertion(world, 'j1 of desk')).status).toBe(401);
    expect((await showAssertion(world, 'j2 of desk')).status).toBe(200);
    // Nor is there another answer where the rate is used up.
    expect((await showAssertion(world, 'j1 of desk')).status).toBe(401);
    expect((await showAssertion(world, 'j3 of desk')).status).toBe(429);
    expect(world.spent).toEqual(['j1 of desk', 'j2 of desk']);
  });

  it('is not consumed by a cancelled request', async () => {
    const world = new ExchangeWorld({ hasClient: true });
    const source = new CancellationSource();
    source.cancel();
    expect((await showAssertion(world, 'j1 of desk', source)).status).toBe(503);
    expect(world.spent).toEqual([]);
  });

  it('is not consumed if it is invalid', async () => {
    const world = limitedWorld();
    expect((await showAssertion(world, 'j1 of shop')).status).toBe(401);
    expect(world.spent).toEqual([]);
    expect((await showAssertion(world, 'j2 of desk')).status).toBe(200);
  });
});

describe('the claimed client id in a log line', () => {
  it('is logged for a configured client, and nothing else from the request', async () => {
    const world = new ExchangeWorld({ hasClient: true });
    await askAs(world, 'desk', 'guessed');
    await askAs(world, clientSecret, 'desk');
    await world.exchange();
    expect(world.logger.lines.map(({ fields }) => [fields['client_id'], fields['claimed_client_id']])).toEqual([
      [null, 'desk'],
      [null, null],
      [null, null],
    ]);
    expect(JSON.stringify(world.logger.lines)).not.toContain(clientSecret);
  });

  it('is absent for an authenticated client', async () => {
    const world = new ExchangeWorld({ hasClient: true });
    await askAs(world, 'desk');
    await world.exchangeAsClient({ audience: 'payroll' });
    expect(world.logger.lines.map(({ fields }) => 'claimed_client_id' in fields)).toEqual([false, false]);
  });
});
