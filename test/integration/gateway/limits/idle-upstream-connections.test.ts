import { describe, expect } from 'vitest';
import { HeldUpstream } from '../../../support/gateway/held-upstream.js';
import { testUpstream } from '../../../support/gateway/in-process-gateway.js';
import { get, type LimitedGateway, startLimited } from '../../../support/gateway/limited-gateway.js';
import type { CleanUp } from '../../../support/shared/clean-up.js';
import { eventually } from '../../../support/shared/eventually.js';
import { it } from '../../../support/shared/fixtures.js';

/** Sum of a gauge over all targets. */
const gauge = async (gateway: LimitedGateway, name: string): Promise<number> => {
  const samples = (await gateway.metrics()).split('\n').filter((line) => line.startsWith(`${name}{`));
  if (samples.length === 0) throw new Error(`there is no ${name}`);
  return samples.reduce((sum, line) => sum + Number(line.slice(line.lastIndexOf(' '))), 0);
};

const pool = async (gateway: LimitedGateway) => ({
  size: await gauge(gateway, 'gateway_connection_pool_size'),
  idle: await gauge(gateway, 'gateway_connection_pool_idle'),
});

/** A gateway before two targets, whose upstream may keep so many connections. */
const startWith = async (cleanUp: CleanUp, maxIdleConnectionsPerUpstream: number) => {
  const targets = [await HeldUpstream.start(), await HeldUpstream.start()];
  for (const target of targets) cleanUp.add(() => target.close());
  const upstream = testUpstream(0, {
    targets: targets.map(({ port }) => ({ address: { host: '127.0.0.1', port }, weight: 1 })),
  });
  const configuration = { upstreams: [upstream] };
  const gateway = await startLimited(cleanUp, { maxIdleConnectionsPerUpstream }, configuration);
  const openAtTargets = (): number => targets.reduce((sum, { openConnections }) => sum + openConnections, 0);

  /** Has so many requests be under way at a time, and ends them. */
  const serve = async (count: number): Promise<void> => {
    const clients = Array.from({ length: count }, () => gateway.client().send(get('/held')));
    const held = (): number => targets.reduce((sum, target) => sum + target.held, 0);
    await eventually(() => held() === count);
    expect(await pool(gateway)).toEqual({ size: count, idle: 0 });
    for (const target of targets) target.releaseAll();
    await Promise.all(clients.map((client) => client.answer()));
    await eventually(() => gateway.state.requestsInFlight() === 0);
  };
  return { gateway, serve, openAtTargets };
};

describe('max-idle-connections-per-upstream', () => {
  it.for([
    ['one below it', 2, 2],
    ['as many as it', 3, 3],
    ['one above it', 4, 3],
    ['many above it', 12, 3],
  ] as const)('bounds idle connections over all targets, %s', async ([_, used, kept], { cleanUp }) => {
    const { gateway, serve, openAtTargets } = await startWith(cleanUp, 3);
    await serve(used);
    await eventually(() => openAtTargets() === kept);
    expect(await pool(gateway)).toEqual({ size: kept, idle: kept });
  });

  it('keeps none with 0, and still serves', async ({ cleanUp }) => {
    const { gateway, serve, openAtTargets } = await startWith(cleanUp, 0);
    await serve(2);
    await eventually(() => openAtTargets() === 0);
    expect(await pool(gateway)).toEqual({ size: 0, idle: 0 });
    expect((await gateway.ask(get())).status).toBe(200);
  });

  it('reuses kept connections', async ({ cleanUp }) => {
    const { gateway, serve, openAtTargets } = await startWith(cleanUp, 3);
    for (let turn = 0; turn < 3; turn += 1) {
      await serve(4);
      await eventually(() => openAtTargets() === 3);
      expect(await pool(gateway)).toEqual({ size: 3, idle: 3 });
    }
  });

  it('applies the reloaded value, and leaves no earlier connection', async ({ cleanUp }) => {
    const { gateway, serve, openAtTargets } = await startWith(cleanUp, 3);
    await serve(4);
    await gateway.reloadLimits({ maxIdleConnectionsPerUpstream: 1 });
    await eventually(() => openAtTargets() === 0);
    await serve(4);
    await eventually(() => openAtTargets() === 1);
    expect(await pool(gateway)).toEqual({ size: 1, idle: 1 });
  });
});
