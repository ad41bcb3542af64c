import type { AgentStatus } from '../../../application/ports/gateway/agent-client.js';
import type { GatewayGauges, PoolFigures } from '../../../application/ports/gateway/gateway-metrics.js';
import type { TargetStatus } from '../../../application/ports/gateway/gateway-state.js';
import { sampleNames } from '../../../domain/agent-protocol/agent-metrics/family-names.js';
import {
  type AgentMetricFamily,
  agentMetricPrefix,
} from '../../../domain/agent-protocol/agent-metrics/metric-family.js';
import { samlCertificateExpiry } from '../../../domain/agent-protocol/agent-metrics/own-agent-families.js';
import type { CircuitState } from '../../../domain/gateway/circuit-breaking/circuit-breaker.js';
import { isUpstreamHealthy } from '../../../domain/gateway/status/upstream-health.js';
import { histogramSamples, type Sample } from './live-metric.js';
import { type MetricDefinition, metricDefinitions } from './metric-definitions.js';
import { workerGauges } from './worker-gauges.js';

/** Series of a family from agent reports. */
export const agentSamples = (family: AgentMetricFamily): readonly Sample[] =>
  family.type === 'histogram'
    ? family.series.flatMap(({ agent, labels, sum, buckets }) =>
        histogramSamples(
          family.name,
          { agent, ...labels },
          {
            sum,
            buckets: buckets.map(({ le, count }) => ({ le: le === Number.POSITIVE_INFINITY ? '+Inf' : le, count })),
          },
        ),
      )
    : family.series.map(({ agent, labels, value }) => ({ labels: { agent, ...labels }, value }));

/** Sample names reserved for the gateway; agent families cannot use them. */
export const ownSampleNames: ReadonlySet<string> = new Set(
  Object.values<MetricDefinition>(metricDefinitions).flatMap(({ name, type }) => sampleNames(name, type)),
);

/** A gauge that reads its series from the state of the agents. */
interface AgentGauge {
  readonly definition: MetricDefinition;
  readonly samples: (agents: readonly AgentStatus[]) => readonly Sample[];
}

/** Stable: alert rules compare with them. */
const stateNumbers: Readonly<Record<AgentStatus['state'], number>> = {
  unreachable: 0,
  healthy: 1,
  degraded: 2,
  draining: 3,
  unhealthy: 4,
};

const ofEach = (definition: MetricDefinition, figure: (agent: AgentStatus) => number): AgentGauge => ({
  definition,
  samples: (agents) => agents.map((agent) => ({ labels: { agent: agent.name }, value: figure(agent) })),
});

/** Gauges with one series per agent. */
const agentGauges: readonly AgentGauge[] = [
  ofEach(metricDefinitions.agentState, ({ state }) => stateNumbers[state]),
  ofEach(metricDefinitions.agentConnections, ({ connections }) => connections),
  ofEach(metricDefinitions.agentInFlight, ({ inFlight }) => inFlight),
  ofEach(metricDefinitions.agentQueueDepth, ({ queueDepth }) => queueDepth),
];

/** Stable: alert rules compare with them. */
const breakerNumbers: Readonly<Record<CircuitState, number>> = { closed: 0, half_open: 0.5, open: 1 };

const sample = (component: string, state: CircuitState): Sample => ({
  labels: { component },
  value: breakerNumbers[state],
});

const ofAgents = (agents: readonly AgentStatus[]): readonly Sample[] =>
  agents.flatMap(({ name, breaker }) => (breaker === null ? [] : [sample(`agent:${name}`, breaker)]));

/** One series per circuit breaker: agents, routes and targets. */
const breakerSamples = (gauges: GatewayGauges): readonly Sample[] => [
  ...ofAgents(gauges.agents()),
  ...gauges.routeBreakers().map(({ route, state }) => sample(`route:${route}`, state)),
  ...gauges
    .upstreams()
    .flatMap(({ name, targets }) =>
      targets.flatMap(({ address, breaker }) =>
        breaker === null ? [] : [sample(`upstream:${name}/${address}`, breaker)],
      ),
    ),
];

const unlabelled = (value: number): readonly Sample[] => [{ labels: {}, value }];

/** One series per target, even while a reload keeps the connections of two configurations open. */
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

/** Certificates of the gateway, and those that agents report for single sign-on. */
const certificateSamples = (gauges: GatewayGauges, families: readonly AgentMetricFamily[]): readonly Sample[] => {
  const own = gauges.certificates().map(({ use, name, subject, expiryMs }) => ({
    labels: { use, name, subject },
    value: expiryMs / 1_000,
  }));
  const reported = families.find(({ name }) => name === agentMetricPrefix + samlCertificateExpiry);
  if (reported?.type !== 'gauge') return own;
  const bySeries = new Map<string, Sample>();
  for (const { agent, labels, value } of reported.series) {
    const subject = labels['subject'] ?? '';
    const key = JSON.stringify([agent, subject]);
    const known = bySeries.get(key)?.value ?? Number.POSITIVE_INFINITY;
    bySeries.set(key, { labels: { use: 'saml', name: agent, subject }, value: Math.min(value, known) });
  }
  return [...own, ...bySeries.values()];
};

/** All gauges with their series. `families`: the metrics of the agents. */
export const gaugeSamples = (
  gauges: GatewayGauges,
  families: readonly AgentMetricFamily[],
): ReadonlyMap<MetricDefinition, readonly Sample[]> => {
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
    [metricDefinitions.certificateExpiry, certificateSamples(gauges, families)],
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
