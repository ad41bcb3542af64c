import type { CircuitState } from '../../../domain/gateway/circuit-breaking/circuit-breaker.js';
import type {
  GatewayConfiguration,
  RouteConfiguration,
} from '../../../domain/gateway/configuration/gateway-configuration.js';
import type { CertificateExpiry } from '../../../domain/gateway/status/certificate-expiry.js';
import type { AgentStatus } from './agent-client.js';

/** Identity of the running program. */
export interface ProgramIdentity {
  readonly name: string;
  readonly version: string;
  /** Null if the program was not built from a known commit. */
  readonly buildCommit: string | null;
  readonly nodeVersion: string;
  /** The layer of new connections; see `SocketLayerChoice`. */
  readonly socketLayer: 'native' | 'node';
  /** Milliseconds since the Unix epoch. */
  readonly startedAtMs: number;
}

/**
 * `starting` until the listeners accept; `draining` from the stop signal on; `replaced` while it
 * drains because a successor serves the same addresses.
 */
export type GatewayPhase = 'starting' | 'running' | 'replaced' | 'draining';

export interface ReloadFigures {
  /** Reloads that took effect. */
  readonly count: number;
  /**
   * When the current configuration was loaded, by start or reload. Milliseconds since the Unix
   * epoch.
   */
  readonly lastLoadMs: number;
}

export interface TargetStatus {
  /** `host:port` that the gateway connects to. */
  readonly address: string;
  /** The configured `host:port` if it is a name; else null. */
  readonly name: string | null;
  /** Health checks and passive failure detection consider it healthy. */
  readonly healthy: boolean;
  /** An operator drained it: it gets no new requests. */
  readonly drained: boolean;
  readonly weight: number;
  /** Null without a circuit breaker. */
  readonly breaker: CircuitState | null;
  readonly activeConnections: number;
  readonly totalRequests: number;
  readonly failedRequests: number;
  /** Null while healthy. Never a secret. */
  readonly lastError: string | null;
  /** Milliseconds since the Unix epoch; null while healthy. */
  readonly unhealthySinceMs: number | null;
}

/** The memory limit of the gateway. */
export interface MemoryLimitStatus {
  /** Octets. */
  readonly limitBytes: number;
  /** The gateway exceeds the limit, or did a moment ago. */
  readonly isShort: boolean;
}

/** State of a target after a drain command. */
export interface DrainedState {
  readonly drained: boolean;
  /** The drained name that keeps requests from an address that is not drained itself; else null. */
  readonly drainedBy: string | null;
}

/** Outcome of a drain command for a target of an upstream. */
export type DrainChange = DrainedState | 'no_target';

/** Outcome of a drain command. */
export type TargetChange = DrainChange | 'no_upstream';

export interface UpstreamStatus {
  readonly name: string;
  readonly targets: readonly TargetStatus[];
}

/** A target of an upstream. */
export interface TargetName {
  readonly upstream: string;
  readonly address: string;
}

/** One process that serves requests. */
export interface WorkerFigures {
  /** Worker number from 1 on; 0 if one process is the whole gateway. */
  readonly id: number;
  readonly pid: number;
  readonly connections: number;
  readonly requestsInFlight: number;
  readonly memory: MemoryFigures;
  readonly eventLoopDelay: EventLoopDelay;
  /** Targets that this worker considers unhealthy; each worker judges for itself. */
  readonly unhealthyTargets: readonly TargetName[];
}

/** Memory sizes in octets. */
export interface MemoryFigures {
  readonly residentBytes: number;
  readonly heapUsedBytes: number;
  readonly heapTotalBytes: number;
  readonly externalBytes: number;
}

/** Delay of the event loop's timers since the start, in milliseconds. */
export interface EventLoopDelay {
  readonly meanMs: number;
  readonly p50Ms: number;
  readonly p99Ms: number;
  readonly maxMs: number;
  /** Number and sum of measurements. */
  readonly count: number;
  readonly sumMs: number;
}

/** The current state of the gateway. Every method returns at once, from memory. */
export interface GatewayState {
  readonly identity: ProgramIdentity;
  phase(): GatewayPhase;
  reloads(): ReloadFigures;
  /** The configuration in force. */
  configuration(): GatewayConfiguration;
  /** The routes in matching order. */
  routesInOrder(): readonly RouteConfiguration[];
  /** Open client connections by listener. */
  connections(): readonly { readonly listener: string; readonly open: number }[];
  requestsInFlight(): number;
  requestsInFlightByRoute(): readonly { readonly route: string; readonly inFlight: number }[];
  /** Queued requests. */
  requestsQueued(): number;
  agents(): readonly AgentStatus[];
  upstreams(): readonly UpstreamStatus[];
  workers(): readonly WorkerFigures[];
  /** Routes that have a circuit breaker. */
  routeBreakers(): readonly { readonly route: string; readonly state: CircuitState }[];
  /** Rate-limit buckets in this process, by kind of limit. */
  rateLimiterKeys(): Readonly<Record<string, number>>;
  /** Whether the rate-limit store is available; always true for buckets in memory. */
  isRateLimitStoreUp(): boolean;
  /** Certificates in use, except those of agents' single sign-on; one entry per use, name and subject. */
  certificates(): readonly CertificateExpiry[];
  /** Null: no memory limit. */
  memoryLimit(): MemoryLimitStatus | null;
  /** Drains a target, or undoes that. `address` is the configured or the resolved address. */
  drainTarget(upstream: string, address: string, drained: boolean): TargetChange;
}
