import type { CircuitState } from '../../../domain/gateway/circuit-breaking/circuit-breaker.js';
import type {
  GatewayConfiguration,
  RouteConfiguration,
} from '../../../domain/gateway/configuration/gateway-configuration.js';
import type { AgentStatus } from './agent-client.js';

/** What the running program is. */
export interface ProgramIdentity {
  readonly name: string;
  readonly version: string;
  /** Null where the program was not built from a known commit. */
  readonly buildCommit: string | null;
  readonly nodeVersion: string;
  /** Milliseconds since the Unix epoch. */
  readonly startedAtMs: number;
}

/**
 * `starting` until the listeners take connections, `draining` from the signal to stop on; `replaced` where it drains because
 * a successor serves on the same addresses.
 */
export type GatewayPhase = 'starting' | 'running' | 'replaced' | 'draining';

export interface ReloadFigures {
  /** Reloads that took effect. */
  readonly count: number;
  /** When the configuration in force was loaded: at the last reload, or at the start. Milliseconds since the Unix epoch. */
  readonly lastLoadMs: number;
}

export interface TargetStatus {
  /** `host:port` that is connected to. */
  readonly address: string;
  /** `host:port` as it is configured, where that is a name; else null. */
  readonly name: string | null;
  /** Its checks say so, and it has not failed too often. */
  readonly healthy: boolean;
  /** It gets no new requests, because somebody has said so. */
  readonly drained: boolean;
  readonly weight: number;
  /** Null where it has no breaker. */
  readonly breaker: CircuitState | null;
  readonly activeConnections: number;
  readonly totalRequests: number;
  readonly failedRequests: number;
  /** Null while healthy. Never a secret. */
  readonly lastError: string | null;
  /** Milliseconds since the Unix epoch; null while healthy. */
  readonly unhealthySinceMs: number | null;
}

/** How much memory there is for the gateway. */
export interface MemoryLimitStatus {
  /** Octets. */
  readonly limitBytes: number;
  /** The gateway is over it, or was so a moment ago. */
  readonly isShort: boolean;
}

/** Whether a target gets requests, now that somebody has said so. */
export interface DrainedState {
  readonly drained: boolean;
  /** The name that was drained, and keeps requests from an address that was not, or is not any more; else null. */
  readonly drainedBy: string | null;
}

/** What came of the wish to change a target of an upstream. */
export type DrainChange = DrainedState | 'no_target';

/** What came of the wish to change a target. */
export type TargetChange = DrainChange | 'no_upstream';

export interface UpstreamStatus {
  readonly name: string;
  readonly targets: readonly TargetStatus[];
}

/** An address of an upstream. */
export interface TargetName {
  readonly upstream: string;
  readonly address: string;
}

/** One process that serves requests. */
export interface WorkerFigures {
  /** 0 where one process is the whole gateway; else its number, from 1 on. */
  readonly id: number;
  readonly pid: number;
  readonly connections: number;
  readonly requestsInFlight: number;
  readonly memory: MemoryFigures;
  readonly eventLoopDelay: EventLoopDelay;
  /** Targets that it takes for ill; each worker judges for itself. */
  readonly unhealthyTargets: readonly TargetName[];
}

/** Octets. */
export interface MemoryFigures {
  readonly residentBytes: number;
  readonly heapUsedBytes: number;
  readonly heapTotalBytes: number;
  readonly externalBytes: number;
}

/** How late the event loop ran its timers, in milliseconds, since the program started. */
export interface EventLoopDelay {
  readonly meanMs: number;
  readonly p50Ms: number;
  readonly p99Ms: number;
  readonly maxMs: number;
  /** Measurements, and the sum of what they measured. */
  readonly count: number;
  readonly sumMs: number;
}

/** What the gateway is doing now. Every method answers at once, from what is in memory. */
export interface GatewayState {
  readonly identity: ProgramIdentity;
  phase(): GatewayPhase;
  reloads(): ReloadFigures;
  /** The one in force. */
  configuration(): GatewayConfiguration;
  /** The routes in the order in which they are matched. */
  routesInOrder(): readonly RouteConfiguration[];
  /** Open client connections by listener. */
  connections(): readonly { readonly listener: string; readonly open: number }[];
  requestsInFlight(): number;
  requestsInFlightByRoute(): readonly { readonly route: string; readonly inFlight: number }[];
  /** Requests that wait for their turn. */
  requestsQueued(): number;
  agents(): readonly AgentStatus[];
  upstreams(): readonly UpstreamStatus[];
  workers(): readonly WorkerFigures[];
  /** Routes that have a circuit breaker. */
  routeBreakers(): readonly { readonly route: string; readonly state: CircuitState }[];
  /** Buckets of rate limits that this gateway holds, by kind of limit. */
  rateLimiterKeys(): Readonly<Record<string, number>>;
  /** Whether the rate-limit store answers; buckets in memory always do. */
  isRateLimitStoreUp(): boolean;
  /** Null: memory has no limit. */
  memoryLimit(): MemoryLimitStatus | null;
  /** Keeps new requests from a target, or lets them to it again. `address` as it is configured or as it is connected to. */
  drainTarget(upstream: string, address: string, drained: boolean): TargetChange;
}
