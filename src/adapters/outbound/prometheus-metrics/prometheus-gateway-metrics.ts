import { Registry } from 'prom-client';
import type {
  AgentCallMetrics,
  ExceededLimit,
  GatewayGauges,
  GatewayMetrics,
  MetricsExposition,
  PoolFigures,
  RouteMetrics,
  UpstreamMetrics,
} from '../../../application/ports/gateway-metrics.js';
import type { TargetStatus } from '../../../application/ports/gateway-state.js';
import type { AgentMetricFamily } from '../../../domain/agent-protocol/agent-metrics/metric-family.js';
import { isUpstreamHealthy } from '../../../domain/status/upstream-health.js';
import { AgentCounters } from './agent-counters.js';
import { agentGauges } from './agent-gauges.js';
import { agentSamples } from './agent-samples.js';
import { breakerSamples } from './breaker-samples.js';
import { histogramSamples, liveMetric, type Sample } from './live-metric.js';
import { type MetricDefinition, metricDefinitions } from './metric-definitions.js';
import { RouteCounters } from './route-counters.js';
import { UpstreamCounters } from './upstream-counters.js';

/** Label of requests that no route took. A route of that name shares the series: a series must not come twice. */
const noRoute = 'none';

/** The named entry, made where there is none yet. */
const entry = <Counters>(map: Map<string, Counters>, name: string, make: () => Counters): Counters => {
  const known = map.get(name);
  if (known !== undefined) return known;
  const made = make();
  map.set(name, made);
  return made;
};

const connectionLimitNames = ['max-total-connections', 'max-connections-per-client', 'max-connections-per-route'];
const rateLimitNames = [
  'max-requests-per-second-global',
  'max-requests-per-second-per-client',
  'max-requests-per-second-per-route',
  'rate-limit',
];
const requestLimitNames = [
  'max-in-flight-requests',
  'max-in-flight-requests-per-worker',
  'max-queued-requests',
  'max-memory-bytes',
  'max-memory-percent',
];

const zeros = (names: readonly string[]): Map<string, number> => new Map(names.map((name) => [name, 0]));

const increase = (counts: Map<string, number>, name: string): void => {
  counts.set(name, (counts.get(name) ?? 0) + 1);
};

const unlabelled = (value: number): readonly Sample[] => [{ labels: {}, value }];

/** One series for each target, also while a reload has the connections of two configurations open. */
const poolSamples = (pools: readonly PoolFigures[], figure: (pool: PoolFigures) => number): readonly Sample[] => {
  const values = new Map<string, { labels: { upstream: string; target: string }; value: number }>();
  for (const pool of pools) {
    const { upstream, target } = pool;
    const sample = entry(values, JSON.stringify([upstream, target]), () => ({
      labels: { upstream, target },
      value: 0,
    }));
    sample.value += figure(pool);
  }
  return [...values.values()];
};

/**
 * The gateway's metrics in a prom-client registry of their own. Counting is adding to a number; prom-client reads the
 * numbers when somebody scrapes. The entries are as many as there are names in the configurations of this run.
 */
export class PrometheusGatewayMetrics implements GatewayMetrics, MetricsExposition {
  readonly #registry = new Registry();
  readonly #routes = new Map<string, RouteCounters>();
  readonly #upstreams = new Map<string, UpstreamCounters>();
  readonly #agents = new Map<string, AgentCounters>();
  readonly #exceeded: Record<ExceededLimit, number> = { header_size: 0, body_size: 0 };
  // A series that is there from the beginning: what happens first shows in its rate.
  readonly #connectionLimits = zeros(connectionLimitNames);
  readonly #rateLimits = zeros(rateLimitNames);
  readonly #requestLimits = zeros(requestLimitNames);
  readonly #reloads = { success: 0, failure: 0 };
  #instance = '';
  #agentFamilies: () => readonly AgentMetricFamily[] = () => [];

  /** @param instance value of the label `instance` of every series */
  constructor(instance: string) {
    this.nameInstance(instance);
    this.#registerRoutes();
    this.#registerUpstreams();
    this.#registerAgents();
    this.#register(metricDefinitions.headerSizeExceeded, () => unlabelled(this.#exceeded.header_size));
    this.#register(metricDefinitions.bodySizeExceeded, () => unlabelled(this.#exceeded.body_size));
    this.#registerLimits(metricDefinitions.connectionLimitReached, this.#connectionLimits);
    this.#registerLimits(metricDefinitions.rateLimitExceeded, this.#rateLimits);
    this.#registerLimits(metricDefinitions.requestLimitReached, this.#requestLimits);
    this.#register(metricDefinitions.configurationReloads, () =>
      Object.entries(this.#reloads).map(([result, value]) => ({ labels: { result }, value })),
    );
  }

  get contentType(): string {
    return this.#registry.contentType;
  }

  /** A reload may have changed the name. */
  nameInstance(instance: string): void {
    this.#instance = instance;
    this.#registry.setDefaultLabels({ instance });
  }

  /** Exposes the gauges too. Called once, when there is something to read them from. */
  observe(gauges: GatewayGauges): void {
    const pools = (figure: (pool: PoolFigures) => number) => () => poolSamples(gauges.pools(), figure);
    const connections = () => unlabelled(gauges.openConnections());
    const requests = () => unlabelled(gauges.requestsInFlight());
    this.#agentFamilies = () => gauges.agentFamilies();

    this.#register(
      metricDefinitions.poolSize,
      pools((pool) => pool.size),
    );
    this.#register(
      metricDefinitions.poolIdle,
      pools((pool) => pool.idle),
    );
    const targets = (figure: (target: TargetStatus) => boolean) => () =>
      gauges.upstreams().flatMap(({ name, targets: all }) =>
        all.map((target) => ({
          labels: { upstream: name, target: target.address },
          value: figure(target) ? 1 : 0,
        })),
      );
    this.#register(metricDefinitions.upstreamHealthy, () =>
      gauges
        .upstreams()
        .map(({ name, targets: all }) => ({ labels: { upstream: name }, value: isUpstreamHealthy(all) ? 1 : 0 })),
    );
    this.#register(
      metricDefinitions.targetHealthy,
      targets(({ healthy }) => healthy),
    );
    this.#register(
      metricDefinitions.targetDrained,
      targets(({ drained }) => drained),
    );
    this.#register(metricDefinitions.circuitBreakerState, () => breakerSamples(gauges));
    this.#register(metricDefinitions.requestsQueued, () => unlabelled(gauges.requestsQueued()));
    this.#register(metricDefinitions.rateLimiterKeys, () =>
      Object.entries(gauges.rateLimiterKeys()).map(([limit, value]) => ({ labels: { limit }, value })),
    );
    this.#register(metricDefinitions.memoryLimit, () => {
      const limit = gauges.memoryLimit();
      return limit === null ? [] : unlabelled(limit.limitBytes);
    });
    this.#register(metricDefinitions.memoryLimited, () => unlabelled(gauges.memoryLimit()?.isShort === true ? 1 : 0));
    this.#register(metricDefinitions.openConnections, connections);
    this.#register(metricDefinitions.connectionsActive, connections);
    this.#register(metricDefinitions.activeRequests, requests);
    this.#register(metricDefinitions.requestsInFlight, requests);
    this.#register(metricDefinitions.memoryUsage, () => unlabelled(gauges.memoryBytes()));
    for (const { definition, samples } of agentGauges) {
      this.#register(definition, () => samples(gauges.agents()));
    }
    this.#register(metricDefinitions.agentSeriesDropped, () =>
      gauges.droppedAgentSeries().map(({ agent, count }) => ({ labels: { agent }, value: count })),
    );
    this.#register(metricDefinitions.accessLinesDropped, () => unlabelled(gauges.droppedAccessLines()));
  }

  route(route: string | null): RouteMetrics {
    return entry(this.#routes, route ?? noRoute, () => new RouteCounters());
  }

  upstream(upstream: string): UpstreamMetrics {
    return entry(this.#upstreams, upstream, () => new UpstreamCounters());
  }

  agent(agent: string): AgentCallMetrics {
    return entry(this.#agents, agent, () => new AgentCounters());
  }

  limitExceeded(limit: ExceededLimit): void {
    this.#exceeded[limit] += 1;
  }

  connectionLimitReached(limit: string): void {
    increase(this.#connectionLimits, limit);
  }

  rateLimitExceeded(limit: string): void {
    increase(this.#rateLimits, limit);
  }

  requestLimitReached(limit: string): void {
    increase(this.#requestLimits, limit);
  }

  configurationReloaded(outcome: 'success' | 'failure'): void {
    this.#reloads[outcome] += 1;
  }

  /** The metrics of agents come last: which there are is known when somebody scrapes. */
  async render(): Promise<string> {
    const families = this.#agentFamilies();
    const own = await this.#registry.metrics();
    if (families.length === 0) return own;
    const registry = new Registry();
    registry.setDefaultLabels({ instance: this.#instance });
    for (const family of families) registry.registerMetric(liveMetric(family, () => agentSamples(family)));
    return `${own}\n${await registry.metrics()}`;
  }

  #register(definition: MetricDefinition, samples: () => readonly Sample[]): void {
    this.#registry.registerMetric(liveMetric(definition, samples));
  }

  #registerLimits(definition: MetricDefinition, counts: ReadonlyMap<string, number>): void {
    this.#register(definition, () => [...counts].map(([limit, value]) => ({ labels: { limit }, value })));
  }

  #registerRoutes(): void {
    const { requests, requestDuration } = metricDefinitions;
    this.#register(requests, () =>
      [...this.#routes].flatMap(([route, counters]) =>
        counters.byStatus().map(([status, value]) => ({ labels: { status, route }, value })),
      ),
    );
    this.#register(requestDuration, () =>
      [...this.#routes].flatMap(([route, { durations }]) =>
        histogramSamples(requestDuration.name, { route }, durations),
      ),
    );
  }

  #registerUpstreams(): void {
    const each = (figure: (counters: UpstreamCounters) => number) => () =>
      [...this.#upstreams].map(([upstream, counters]) => ({ labels: { upstream }, value: figure(counters) }));
    this.#register(
      metricDefinitions.upstreamAttempts,
      each((counters) => counters.attempts),
    );
    this.#register(
      metricDefinitions.upstreamFailures,
      each((counters) => counters.failures),
    );
    this.#register(
      metricDefinitions.upstreamRetries,
      each((counters) => counters.retries),
    );
    this.#register(
      metricDefinitions.upstreamRetriesRefused,
      each((counters) => counters.refusedRetries),
    );
  }

  #registerAgents(): void {
    const { agentLatency } = metricDefinitions;
    const each = (figure: (counters: AgentCounters) => number) => () =>
      [...this.#agents].map(([agent, counters]) => ({ labels: { agent }, value: figure(counters) }));
    this.#register(agentLatency, () =>
      [...this.#agents].flatMap(([agent, { latencies }]) => histogramSamples(agentLatency.name, { agent }, latencies)),
    );
    this.#register(
      metricDefinitions.agentTimeouts,
      each((counters) => counters.timeouts),
    );
    this.#register(
      metricDefinitions.agentFailures,
      each((counters) => counters.failures),
    );
    this.#register(
      metricDefinitions.agentFailedOpen,
      each((counters) => counters.failuresOpen),
    );
  }
}
