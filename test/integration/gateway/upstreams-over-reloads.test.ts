import { describe, expect } from 'vitest';
import type { HostResolver } from '../../../src/application/ports/gateway/host-resolver.js';
import { ok } from '../../../src/domain/shared/result.js';
import { HeldUpstream } from '../../support/gateway/held-upstream.js';
import { startInProcess, testConfiguration, testUpstream } from '../../support/gateway/in-process-gateway.js';
import { eventually } from '../../support/shared/eventually.js';
import { it } from '../../support/shared/fixtures.js';

let upstream: HeldUpstream;

it.beforeEach(async ({ cleanUp }) => {
  upstream = await HeldUpstream.start();
  cleanUp.add(() => upstream.close());
});

describe('the connections to a target over a reload', () => {
  it('count for both configurations until the old ones close', async ({ cleanUp }) => {
    const gateway = await startInProcess(testConfiguration([testUpstream(upstream.port)]));
    cleanUp.add(() => gateway.stop());
    const sizes = (): readonly number[] => gateway.state.pools().map(({ size }) => size);
    const active = (): number | undefined => gateway.state.upstreams()[0]?.targets[0]?.activeConnections;
    const old = fetch(`${gateway.url}/held/old`);
    await eventually(() => upstream.held === 1);
    expect(await gateway.reload(testConfiguration([testUpstream(upstream.port)]))).toMatchObject({ ok: true });
    expect([active(), sizes()]).toEqual([1, [1]]);
    const fresh = fetch(`${gateway.url}/held/fresh`);
    await eventually(() => upstream.held === 2);
    expect([active(), sizes()]).toEqual([2, [2]]);
    expect(await gateway.metrics()).toMatch(/^gateway_connection_pool_size\{[^}]*\} 2$/m);
    upstream.release();
    await (await old).text();
    await eventually(() => sizes()[0] === 1);
    expect(active()).toBe(1);
    upstream.release();
    await (await fresh).text();
    await eventually(() => active() === 0);
  });
});

describe('the health checks of a configuration', () => {
  const healthCheck = {
    probe: { kind: 'http' as const, path: '/health', expectedStatuses: [204], host: null },
    intervalMs: 60_000,
    timeoutMs: 1_000,
    healthyThreshold: 1,
    unhealthyThreshold: 1,
  };

  it('start only when the configuration is in force', async ({ cleanUp }) => {
    let asked = 0;
    let answer: () => void = () => undefined;
    const held: HostResolver = {
      resolve: () =>
        new Promise((resolve) => {
          asked += 1;
          answer = () => resolve(ok(['127.0.0.1']));
        }),
    };
    const gateway = await startInProcess(testConfiguration([testUpstream(upstream.port)]), { resolver: held });
    cleanUp.add(() => gateway.stop());
    const named = testUpstream(1, {
      name: 'named',
      targets: [{ address: { host: 'shop.internal', port: 1 }, weight: 1 }],
    });
    const checked = testConfiguration([testUpstream(upstream.port, { healthCheck }), named]);
    const [listener] = checked.listeners;
    if (listener === undefined) throw new Error('no listener');
    // Its address is that of the upstream, so that it fails when nearly all has been done.
    const taken = { ...listener, name: 'taken', address: { host: '127.0.0.1', port: upstream.port } };
    const failing = gateway.reload({ ...checked, listeners: [listener, taken] });
    await eventually(() => asked === 1);
    // What was asked before these would have come before them.
    for (const path of ['/one', '/two', '/three']) await (await fetch(`${gateway.url}${path}`)).text();
    answer();
    expect(await failing).toMatchObject({ ok: false });
    expect(upstream.reached).toEqual(['/one', '/two', '/three']);
    expect(gateway.state.upstreams()[0]?.targets[0]?.healthy).toBe(true);

    const loading = gateway.reload(checked);
    await eventually(() => asked === 2);
    answer();
    expect(await loading).toMatchObject({ ok: true });
    await eventually(() => gateway.state.upstreams()[0]?.targets[0]?.healthy === false);
    expect(upstream.reached.at(-1)).toBe('/health');
  });
});
