import type { AgentMetricFamily } from '../../../domain/agent-protocol/agent-metrics/metric-family.js';
import type { CircuitState } from '../../../domain/gateway/circuit-breaking/circuit-breaker.js';
import type { CountedFamily } from '../../../domain/gateway/status/counted-family.js';
import type { AgentStatus } from './agent-client.js';
import type { MemoryLimitStatus, UpstreamStatus, WorkerFigures } from './gateway-state.js';

/** Limits whose violations are counted. */
export type ExceededLimit = 'header_size' | 'body_size';

export interface PoolFigures {
  readonly upstream: string;
  /** `host:port` of a configured target. */
  readonly target: string;
  readonly size: number;
  readonly idle: number;
  /** Requests that wait for a connection. */
  readonly waiting: number;
}

/** Counters of one route, its labels resolved when the configuration loads. */
export interface RouteMetrics {
  /** A request of this route has been answered. */
  finished(status: number, durationSeconds: number): void;
}

export interface UpstreamMetrics {
  attempted(): void;
  failed(): void;
  /** A request was sent once more. Counted as an attempt too. */
  retried(): void;
  /** A request was not sent once more because the budget of retries is spent. */
  retryRefused(): void;
  /** A request found every connection to its target busy. */
  poolExhausted(): void;
}

export interface AgentCallMetrics {
  answered(latencySeconds: number): void;
  timedOut(): void;
  failed(): void;
  /** A request or response has gone on without the agent, as its failure mode says. Counted beside the failure. */
  failedOpen(): void;
}

/**
 * What the gateway counts. Gauges are read from their sources when they are asked for. Asking again for the same route,
 * upstream or agent gives the same counters, so that they go on over a reload.
 */
export interface GatewayMetrics {
  /** Value of the label `instance` from now on. */
  nameInstance(instance: string): void;
  /** `route` is a route id, or null for requests that no route took. */
  route(route: string | null): RouteMetrics;
  upstream(upstream: string): UpstreamMetrics;
  agent(agent: string): AgentCallMetrics;
  limitExceeded(limit: ExceededLimit): void;
  /** `limit`: the key of the configuration. */
  connectionLimitReached(limit: string): void;
  /** `limit`: the key of the configuration; of a route's policy `rate-limit`. */
  rateLimitExceeded(limit: string): void;
  /** `limit`: the key of the configuration. */
  requestLimitReached(limit: string): void;
  /** The process was found without a free file descriptor. */
  descriptorsExhausted(): void;
  configurationReloaded(outcome: 'success' | 'failure'): void;
}

/** Where the values of gauges come from, and of counters that are kept elsewhere. */
export interface GatewayGauges {
  openConnections(): number;
  requestsInFlight(): number;
  pools(): readonly PoolFigures[];
  /** Octets of memory that the gateway holds. */
  memoryBytes(): number;
  /** Each process that serves. */
  workers(): readonly WorkerFigures[];
  /** Numbers of the workers that gave no answer. */
  missingWorkers(): readonly number[];
  /** Requests that wait for their turn. */
  requestsQueued(): number;
  upstreams(): readonly UpstreamStatus[];
  routeBreakers(): readonly { readonly route: string; readonly state: CircuitState }[];
  rateLimiterKeys(): Readonly<Record<string, number>>;
  /** False while any worker cannot ask the store. */
  isRateLimitStoreUp(): boolean;
  memoryLimit(): MemoryLimitStatus | null;
  /** How each agent is, as the gateway sees it. */
  agents(): readonly AgentStatus[];
  /** What the agents report of themselves; those that can be asked are asked for it. */
  agentFamilies(): readonly AgentMetricFamily[];
}

/** Where one process keeps what it counts beside its metrics. */
export interface ProcessGauges extends GatewayGauges {
  /** Lines of the access log that were dropped because whoever reads the log is too slow. */
  droppedAccessLines(): number;
  /** Records of the audit log that were lost. */
  droppedAuditRecords(): number;
  /** Series of agents' reports that were not taken. */
  droppedAgentSeries(): readonly { readonly agent: string; readonly count: number }[];
}

/** What there is to be exposed. */
export interface ExposedFigures {
  readonly counts: readonly CountedFamily[];
  readonly gauges: GatewayGauges;
}

/** The metrics as a text exposition. */
export interface MetricsExposition {
  readonly contentType: string;
  /** Exposes the gauges too. Called once, when there is something to read them from. */
  observe(gauges: ProcessGauges): void;
  /** Everything that this process has counted. */
  counts(): readonly CountedFamily[];
  /** The figures of this process. */
  render(): Promise<string>;
  /** The figures of other processes, or of several together, under the name of this instance. */
  expose(figures: ExposedFigures): Promise<string>;
}
