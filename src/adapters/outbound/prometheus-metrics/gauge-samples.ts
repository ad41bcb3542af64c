import type { GatewayGauges, PoolFigures } from '../../../application/ports/gateway/gateway-metrics.js';
import type { TargetStatus } from '../../../application/ports/gateway/gateway-state.js';
import { isUpstreamHealthy } from '../../../domain/gateway/status/upstream-health.js';
import { agentGauges } from './agent-gauges.js';
import { breakerSamples } from './breaker-samples.js';
import type { Sample } from './live-metric.js';
import { type MetricDefinition, metricDefinitions } from './metric-definitions.js';
import { workerGauges } from './worker-gauges.js';

const unlabelled = (value: number): readonly Sample[] => [{ labels: {}, value }];

/** One series for each target, also while a reload has the connections of two configurations open. */
const poolSamples = (pools: readonly PoolFigures[], figure: (pool: PoolFigures) => number): readonly Sample[] => {
  const values = new Map<string, { labels: { upstream: string; target: string }; value: number }>();
  for (const pool of pools) {
    const { upstream, target } = pool;
    const key = JSON.stringify([upstream, target]);
    const sample = values.get(key) ?? { labels: { upstream, target }, value: 0 };
    sample.value += figure(pool);
    values.set(key, sample);
  }
  return [...values.values()];
};

const targetSamples = (gauges: GatewayGauges, figure: (target: TargetStatus) => boolean): readonly Sample[] =>
  gauges.upstreams().flatMap(({ name, targets }) =>
    targets.map((target) => ({
      labels: { upstream: name, target: target.address },
      value: figure(target) ? 1 : 0,
    })),
  );

const upstreamSamples = (gauges: GatewayGauges): readonly Sample[] =>
  gauges
    .upstreams()
    .map(({ name, targets }) => ({ labels: { upstream: name }, value: isUpstreamHealthy(targets) ? 1 : 0 }));

const limitSamples = (gauges: GatewayGauges): readonly Sample[] => {
  const limit = gauges.memoryLimit();
  return limit === null ? [] : unlabelled(limit.limitBytes);
};

const keySamples = (gauges: GatewayGauges): readonly Sample[] =>
  Object.entries(gauges.rateLimiterKeys()).map(([limit, value]) => ({ labels: { limit }, value }));

/** Every gauge with its series. */
export const gaugeSamples = (gauges: GatewayGauges): ReadonlyMap<MetricDefinition, readonly Sample[]> => {
  const pools = gauges.pools();
  const connections = unlabelled(gauges.openConnections());
  const requests = unlabelled(gauges.requestsInFlight());
  const agents = gauges.agents();
  return new Map<MetricDefinition, readonly Sample[]>([
    [metricDefinitions.poolSize, poolSamples(pools, ({ size }) => size)],
    [metricDefinitions.poolIdle, poolSamples(pools, ({ idle }) => idle)],
    [metricDefinitions.upstreamHealthy, upstreamSamples(gauges)],
    [metricDefinitions.targetHealthy, targetSamples(gauges, ({ healthy }) => healthy)],
    [metricDefinitions.targetDrained, targetSamples(gauges, ({ drained }) => drained)],
    [metricDefinitions.circuitBreakerState, breakerSamples(gauges)],
    [metricDefinitions.requestsQueued, unlabelled(gauges.requestsQueued())],
    [metricDefinitions.rateLimiterKeys, keySamples(gauges)],
    [metricDefinitions.rateLimitStoreUp, unlabelled(gauges.isRateLimitStoreUp() ? 1 : 0)],
    [metricDefinitions.memoryLimit, limitSamples(gauges)],
    [metricDefinitions.memoryLimited, unlabelled(gauges.memoryLimit()?.isShort === true ? 1 : 0)],
    [metricDefinitions.openConnections, connections],
    [metricDefinitions.connectionsActive, connections],
    [metricDefinitions.activeRequests, requests],
    [metricDefinitions.requestsInFlight, requests],
    [metricDefinitions.memoryUsage, unlabelled(gauges.memoryBytes())],
    ...agentGauges.map(({ definition, samples }) => [definition, samples(agents)] as const),
    ...workerGauges.map(({ definition, samples }) => [definition, samples(gauges)] as const),
  ]);
};
