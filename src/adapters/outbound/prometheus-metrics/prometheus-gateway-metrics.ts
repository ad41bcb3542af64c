import type {
  AgentCallMetrics,
  ExceededLimit,
  ExposedFigures,
  GatewayMetrics,
  MetricsExposition,
  MirrorMetrics,
  ProcessGauges,
  RouteMetrics,
  UpstreamMetrics,
} from '../../../application/ports/gateway/gateway-metrics.js';
import {
  type CompressionCoding,
  compressionCodings,
} from '../../../domain/gateway/route-transforms/accepted-coding.js';
import type { CountedFamily, CountedSeries } from '../../../domain/gateway/status/counted-family.js';
import { counterSeries, latencySeries } from './counted-samples.js';
import { expositionContentType, expositionText } from './exposition-text.js';
import { type MetricDefinition, metricDefinitions } from './metric-definitions.js';
import { AgentCounterFamilies, MirrorCounters, RouteCounters, UpstreamCounters } from './upstream-counters.js';

/**
 * Route label of unmatched requests. A route with this name shares the series, since a series must
 * be unique.
 */
const noRoute = 'none';

/** The named entry, created if missing. */
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

const family = ({ name }: MetricDefinition, series: readonly CountedSeries[]): CountedFamily => ({ name, series });

const zeros = (names: readonly string[]): Map<string, number> => new Map(names.map((name) => [name, 0]));

const increase = (counts: Map<string, number>, name: string): void => {
  counts.set(name, (counts.get(name) ?? 0) + 1);
};

const limitFamily = (definition: MetricDefinition, counts: ReadonlyMap<string, number>): CountedFamily =>
  family(
    definition,
    Array.from(counts, ([limit, value]) => counterSeries({ limit }, value)),
  );

/** Counters kept elsewhere. */
const droppedFamilies = (gauges: ProcessGauges): readonly CountedFamily[] => [
  family(
    metricDefinitions.agentSeriesDropped,
    gauges.droppedAgentSeries().map(({ agent, count }) => counterSeries({ agent }, count)),
  ),
  family(metricDefinitions.accessLinesDropped, [counterSeries({}, gauges.droppedAccessLines())]),
  family(metricDefinitions.auditRecordsDropped, [counterSeries({}, gauges.droppedAuditRecords())]),
];

/**
 * Counters of one gateway process, and their exposition. Counting adds to a number; a scrape reads
 * the numbers. Entries are bounded by the configured names of this run.
 */
export class PrometheusGatewayMetrics implements GatewayMetrics, MetricsExposition {
  readonly contentType = expositionContentType;
  readonly #routes = new Map<string, RouteCounters>();
  readonly #upstreams = new Map<string, UpstreamCounters>();
  readonly #mirrors = new Map<string, MirrorCounters>();
  readonly #agents = new Map<string, AgentCounterFamilies>();
  readonly #exceeded: Record<ExceededLimit, number> = { header_size: 0, body_size: 0 };
  // A series that exists from the start, so the first event shows in its rate.
  readonly #connectionLimits = zeros(connectionLimitNames);
  readonly #rateLimits = zeros(rateLimitNames);
  readonly #requestLimits = zeros(requestLimitNames);
  #descriptorsExhausted = 0;
  readonly #compressed = zeros(compressionCodings);
  #compressionsSkipped = 0;
  readonly #reloads = { success: 0, failure: 0 };
  #instance: string;
  #gauges: ProcessGauges | null = null;

  /** @param instance value of the label `instance` */
  constructor(instance: string) {
    this.#instance = instance;
  }

  /** A reload may have changed the name. */
  nameInstance(instance: string): void {
    this.#instance = instance;
  }

  observe(gauges: ProcessGauges): void {
    this.#gauges = gauges;
  }

  route(route: string | null): RouteMetrics {
    return entry(this.#routes, route ?? noRoute, () => new RouteCounters());
  }

  upstream(upstream: string): UpstreamMetrics {
    return entry(this.#upstreams, upstream, () => new UpstreamCounters());
  }

  mirror(upstream: string): MirrorMetrics {
    return entry(this.#mirrors, upstream, () => new MirrorCounters());
  }

  agent(agent: string): AgentCallMetrics {
    return entry(this.#agents, agent, () => new AgentCounterFamilies());
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

  descriptorsExhausted(): void {
    this.#descriptorsExhausted += 1;
  }

  compressed(coding: CompressionCoding): void {
    increase(this.#compressed, coding);
  }

  compressionSkipped(): void {
    this.#compressionsSkipped += 1;
  }

  configurationReloaded(outcome: 'success' | 'failure'): void {
    this.#reloads[outcome] += 1;
  }

  counts(): readonly CountedFamily[] {
    const { headerSizeExceeded, bodySizeExceeded, configurationReloads } = metricDefinitions;
    return [
      ...this.#routeFamilies(),
      ...this.#upstreamFamilies(),
      ...this.#agentFamilies(),
      family(headerSizeExceeded, [counterSeries({}, this.#exceeded.header_size)]),
      family(bodySizeExceeded, [counterSeries({}, this.#exceeded.body_size)]),
      limitFamily(metricDefinitions.connectionLimitReached, this.#connectionLimits),
      limitFamily(metricDefinitions.rateLimitExceeded, this.#rateLimits),
      limitFamily(metricDefinitions.requestLimitReached, this.#requestLimits),
      family(metricDefinitions.descriptorsExhausted, [counterSeries({}, this.#descriptorsExhausted)]),
      family(
        metricDefinitions.responsesCompressed,
        Array.from(this.#compressed, ([encoding, value]) => counterSeries({ encoding }, value)),
      ),
      family(metricDefinitions.compressionsSkipped, [counterSeries({}, this.#compressionsSkipped)]),
      family(
        configurationReloads,
        Object.entries(this.#reloads).map(([result, value]) => counterSeries({ result }, value)),
      ),
      ...(this.#gauges === null ? [] : droppedFamilies(this.#gauges)),
    ];
  }

  render(): Promise<string> {
    return expositionText(this.#instance, this.counts(), this.#gauges);
  }

  expose({ counts, gauges }: ExposedFigures): Promise<string> {
    return expositionText(this.#instance, counts, gauges);
  }

  #routeFamilies(): readonly CountedFamily[] {
    const routes = [...this.#routes];
    return [
      family(
        metricDefinitions.requests,
        routes.flatMap(([route, counters]) =>
          counters.byStatus().map(([status, value]) => counterSeries({ status: String(status), route }, value)),
        ),
      ),
      family(
        metricDefinitions.requestDuration,
        routes.map(([route, { durations }]) => latencySeries({ route }, durations)),
      ),
    ];
  }

  #upstreamFamilies(): readonly CountedFamily[] {
    const each = (definition: MetricDefinition, figure: (counters: UpstreamCounters) => number) =>
      family(
        definition,
        Array.from(this.#upstreams, ([upstream, counters]) => counterSeries({ upstream }, figure(counters))),
      );
    return [
      each(metricDefinitions.upstreamAttempts, ({ attempts }) => attempts),
      each(metricDefinitions.upstreamFailures, ({ failures }) => failures),
      each(metricDefinitions.upstreamRetries, ({ retries }) => retries),
      each(metricDefinitions.upstreamRetriesRefused, ({ refusedRetries }) => refusedRetries),
      each(metricDefinitions.poolExhausted, ({ exhaustions }) => exhaustions),
      family(
        metricDefinitions.mirrorRequests,
        Array.from(this.#mirrors).flatMap(([upstream, { byResult }]) =>
          Array.from(byResult, ([result, value]) => counterSeries({ upstream, result }, value)),
        ),
      ),
    ];
  }

  #agentFamilies(): readonly CountedFamily[] {
    const each = (definition: MetricDefinition, figure: (counters: AgentCounterFamilies) => number) =>
      family(
        definition,
        Array.from(this.#agents, ([agent, counters]) => counterSeries({ agent }, figure(counters))),
      );
    return [
      family(
        metricDefinitions.agentLatency,
        Array.from(this.#agents, ([agent, { latencies }]) => latencySeries({ agent }, latencies)),
      ),
      each(metricDefinitions.agentTimeouts, ({ timeouts }) => timeouts),
      each(metricDefinitions.agentFailures, ({ failures }) => failures),
      each(metricDefinitions.agentFailedOpen, ({ failuresOpen }) => failuresOpen),
    ];
  }
}
