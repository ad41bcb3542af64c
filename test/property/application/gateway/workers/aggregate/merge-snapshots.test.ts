import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { mergeSnapshots } from '../../../../../../src/application/gateway/workers/aggregate/merge-snapshots.js';
import type { AgentStatus } from '../../../../../../src/application/ports/gateway/agent-client.js';
import type { GatewaySnapshot } from '../../../../../../src/application/ports/gateway/gateway-cluster.js';
import type { GatewayPhase, TargetStatus } from '../../../../../../src/application/ports/gateway/gateway-state.js';
import type { CircuitState } from '../../../../../../src/domain/gateway/circuit-breaking/circuit-breaker.js';

const breaker = fc.constantFrom<CircuitState | null>('closed', 'half_open', 'open', null);
const count = fc.nat(100);

const target = (address: string): fc.Arbitrary<TargetStatus> =>
  fc
    .record({ healthy: fc.boolean(), drained: fc.boolean(), breaker, active: count, total: count, sinceMs: count })
    .map(({ healthy, drained, breaker: state, active, total, sinceMs }) => ({
      address,
      name: null,
      healthy,
      drained,
      weight: 1,
      breaker: state,
      activeConnections: active,
      totalRequests: total,
      failedRequests: 0,
      lastError: healthy ? null : `since ${sinceMs}`,
      unhealthySinceMs: healthy ? null : sinceMs,
    }));

const agent: fc.Arbitrary<AgentStatus> = fc
  .record({
    state: fc.constantFrom<AgentStatus['state']>('healthy', 'degraded', 'draining', 'unhealthy', 'unreachable'),
    connections: count,
    breaker,
  })
  .map(({ state, connections, breaker: own }) => ({
    name: 'auth',
    state,
    connections,
    inFlight: connections,
    queueDepth: 1,
    health: null,
    breaker: own,
    refusal: null,
    unsupportedEvents: [],
  }));

const memory = { residentBytes: 1, heapUsedBytes: 2, heapTotalBytes: 3, externalBytes: 4 };
const eventLoopDelay = { meanMs: 1, p50Ms: 1, p99Ms: 1, maxMs: 1, count: 1, sumMs: 1 };

const snapshot = (id: number): fc.Arbitrary<GatewaySnapshot> =>
  fc
    .record({
      phase: fc.constantFrom<GatewayPhase>('starting', 'running', 'replaced', 'draining'),
      reloads: fc.record({ count: fc.nat(2), lastLoadMs: count }),
      open: count,
      inFlight: count,
      agent,
      targets: fc.tuple(target('10.0.0.1:80'), target('10.0.0.2:80')),
      state: fc.constantFrom<CircuitState>('closed', 'half_open', 'open'),
      keys: count,
      isShort: fc.boolean(),
    })
    .map(({ phase, reloads, open, inFlight, agent: own, targets, state, keys, isShort }) => ({
      phase,
      reloads,
      connections: [{ listener: 'main', open }],
      requestsInFlight: inFlight,
      requestsInFlightByRoute: [{ route: 'api', inFlight }],
      requestsQueued: 1,
      agents: [own],
      upstreams: [{ name: 'api', targets }],
      workers: [
        { id, pid: id, connections: open, requestsInFlight: inFlight, memory, eventLoopDelay, unhealthyTargets: [] },
      ],
      routeBreakers: [{ route: 'api', state }],
      rateLimiterKeys: { client: keys },
      isRateLimitStoreUp: !isShort,
      certificates: [{ use: 'upstream' as const, name: 'api', subject: 'CN=api', expiryMs: keys }],
      memoryLimit: { limitBytes: 5, isShort },
      supervisor: null,
      restarts: [],
      missingWorkers: [],
      isPartial: false,
    }));

const gateway = fc.tuple(snapshot(1), snapshot(2), snapshot(3));

describe('the snapshots of several workers', () => {
  it('merge to the same result in any order', () => {
    fc.assert(
      fc.property(gateway, ([one, two, three]) => {
        expect(mergeSnapshots([three, one, two])).toEqual(mergeSnapshots([one, two, three]));
      }),
    );
  });

  it('of a single worker stay as they are', () => {
    fc.assert(
      fc.property(snapshot(1), (one) => {
        expect(mergeSnapshots([one])).toEqual(one);
      }),
    );
  });

  it('are summed, and have the worst state', () => {
    fc.assert(
      fc.property(gateway, (all) => {
        const merged = mergeSnapshots(all);
        const sum = (figure: (one: GatewaySnapshot) => number) => all.reduce((total, one) => total + figure(one), 0);
        expect(merged.requestsInFlight).toBe(sum(({ requestsInFlight }) => requestsInFlight));
        expect(merged.connections[0]?.open).toBe(sum(({ connections }) => connections[0]?.open ?? 0));
        expect(merged.agents[0]?.connections).toBe(sum(({ agents }) => agents[0]?.connections ?? 0));
        expect(merged.isRateLimitStoreUp).toBe(all.every(({ isRateLimitStoreUp }) => isRateLimitStoreUp));
        const ends = all.flatMap(({ certificates }) => certificates.map(({ expiryMs }) => expiryMs));
        expect(merged.certificates.map(({ expiryMs }) => expiryMs)).toEqual([Math.min(...ends)]);
        expect(merged.rateLimiterKeys['client']).toBe(sum(({ rateLimiterKeys }) => rateLimiterKeys['client'] ?? 0));
        expect(merged.phase === 'draining').toBe(all.some(({ phase }) => phase === 'draining'));
        expect(merged.phase === 'running').toBe(all.every(({ phase }) => phase === 'running'));
        expect(merged.agents[0]?.state === 'healthy').toBe(all.every(({ agents }) => agents[0]?.state === 'healthy'));
        expect(merged.routeBreakers[0]?.state === 'open').toBe(
          all.some(({ routeBreakers }) => routeBreakers[0]?.state === 'open'),
        );
        expect(merged.reloads.count).toBe(Math.max(...all.map(({ reloads }) => reloads.count)));
        for (const at of [0, 1]) {
          const own = all.flatMap(({ upstreams }) => upstreams[0]?.targets[at] ?? []);
          const whole = merged.upstreams[0]?.targets[at];
          expect(whole?.healthy).toBe(own.every(({ healthy }) => healthy));
          expect(whole?.totalRequests).toBe(own.reduce((total, { totalRequests }) => total + totalRequests, 0));
          const since = own.flatMap(({ unhealthySinceMs }) => unhealthySinceMs ?? []);
          expect(whole?.unhealthySinceMs).toBe(since.length === 0 ? null : Math.min(...since));
          expect(whole?.lastError).toBe(since.length === 0 ? null : `since ${Math.max(...since)}`);
        }
      }),
    );
  });
});
