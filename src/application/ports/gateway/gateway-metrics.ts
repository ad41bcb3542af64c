import type { AgentMetricFamily } from '../../../domain/agent-protocol/agent-metrics/metric-family.js';
import type { CircuitState } from '../../../domain/gateway/circuit-breaking/circuit-breaker.js';
import type { CompressionCoding } from '../../../domain/gateway/route-transforms/accepted-coding.js';
import type { MirrorResult } from '../../../domain/gateway/route-transforms/mirror.js';
import type { CertificateExpiry } from '../../../domain/gateway/status/certificate-expiry.js';
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

/** Counters of one route; labels are resolved when the configuration loads. */
export interface RouteMetrics {
  /** A response of this route is complete. */
  finished(status: number, durationSeconds: number): void;
}

export interface UpstreamMetrics {
  attempted(): void;
  failed(): void;
  /** A request was retried. Also counts as an attempt. */
  retried(): void;
  /** A retry was refused because the retry budget is spent. */
  retryRefused(): void;
  /** Every connection to the target was busy. */
  poolExhausted(): void;
}

export interface MirrorMetrics {
  /** A copy of a request has ended, or was not sent. */
  ended(result: MirrorResult): void;
}

export interface AgentCallMetrics {
  answered(latencySeconds: number): void;
  timedOut(): void;
  failed(): void;
  /**
   * A message continued without the agent by its failure mode. Counted in addition to the failure.
   */
  failedOpen(): void;
}

/** Counters of compression. */
export interface CompressionMetrics {
  /** A response is sent with this coding. */
  compressed(coding: CompressionCoding): void;
  /** A response is sent without a coding, because the process compresses as many as it may. */
  compressionSkipped(): void;
}

/**
 * The gateway's metrics. Gauges are read at each scrape. The same route, upstream or agent returns
 * the same counters, so that they survive a reload.
 */
export interface GatewayMetrics extends CompressionMetrics {
  /** Sets the value of the label `instance`. */
  nameInstance(instance: string): void;
  /** `route` is a route id; null for requests without a route. */
  route(route: string | null): RouteMetrics;
  upstream(upstream: string): UpstreamMetrics;
  /** Copies that mirrors send to an upstream. */
  mirror(upstream: string): MirrorMetrics;
  agent(agent: string): AgentCallMetrics;
  limitExceeded(limit: ExceededLimit): void;
  /** `limit`: the configuration key. */
  connectionLimitReached(limit: string): void;
  /** `limit`: the configuration key; for a route, its policy `rate-limit`. */
  rateLimitExceeded(limit: string): void;
  /** `limit`: the configuration key. */
  requestLimitReached(limit: string): void;
  /** The process had no free file descriptor. */
  descriptorsExhausted(): void;
  configurationReloaded(outcome: 'success' | 'failure'): void;
}

/** Sources of gauges, and of counters kept elsewhere. */
export interface GatewayGauges {
  openConnections(): number;
  requestsInFlight(): number;
  pools(): readonly PoolFigures[];
  /** Resident memory of the gateway in octets. */
  memoryBytes(): number;
  /** One entry per serving process. */
  workers(): readonly WorkerFigures[];
  /** Numbers of the workers that did not reply. */
  missingWorkers(): readonly number[];
  /** Queued requests. */
  requestsQueued(): number;
  upstreams(): readonly UpstreamStatus[];
  routeBreakers(): readonly { readonly route: string; readonly state: CircuitState }[];
  rateLimiterKeys(): Readonly<Record<string, number>>;
  /** False if any worker cannot reach the store. */
  isRateLimitStoreUp(): boolean;
  /** Certificates in use, except those of agents' single sign-on; one entry per use, name and subject. */
  certificates(): readonly CertificateExpiry[];
  memoryLimit(): MemoryLimitStatus | null;
  /** State of each agent as the gateway sees it. */
  agents(): readonly AgentStatus[];
  /** Metrics that agents report; embedded agents report on this call. */
  agentFamilies(): readonly AgentMetricFamily[];
}

/** Gauges and counters of one process. */
export interface ProcessGauges extends GatewayGauges {
  /** Access log lines dropped because the reader of the log is too slow. */
  droppedAccessLines(): number;
  /** Lost audit records. */
  droppedAuditRecords(): number;
  /** Dropped series of agents' reports. */
  droppedAgentSeries(): readonly { readonly agent: string; readonly count: number }[];
}

/** The figures to expose. */
export interface ExposedFigures {
  readonly counts: readonly CountedFamily[];
  readonly gauges: GatewayGauges;
}

/** Renders metrics as a text exposition. */
export interface MetricsExposition {
  readonly contentType: string;
  /** Adds the sources of the gauges. Called once, when they exist. */
  observe(gauges: ProcessGauges): void;
  /** All counters of this process. */
  counts(): readonly CountedFamily[];
  /** Renders the figures of this process. */
  render(): Promise<string>;
  /** Renders figures of other processes, under the name of this instance. */
  expose(figures: ExposedFigures): Promise<string>;
}
