import type { AgentStatus } from './agent-client.js';
import type {
  GatewayPhase,
  GatewayState,
  MemoryFigures,
  MemoryLimitStatus,
  ReloadFigures,
  TargetChange,
  UpstreamStatus,
  WorkerFigures,
} from './gateway-state.js';

/** The process that supervises the workers and serves no traffic. */
export interface SupervisorFigures {
  readonly pid: number;
  readonly memory: MemoryFigures;
}

/** How often a worker number was restarted since the gateway started. */
export interface WorkerRestarts {
  readonly worker: number;
  readonly count: number;
}

/**
 * State of the gateway, or of one worker, at a moment. Plain data that passes between processes.
 */
export interface GatewaySnapshot {
  readonly phase: GatewayPhase;
  readonly reloads: ReloadFigures;
  readonly connections: ReturnType<GatewayState['connections']>;
  readonly requestsInFlight: number;
  readonly requestsInFlightByRoute: ReturnType<GatewayState['requestsInFlightByRoute']>;
  readonly requestsQueued: number;
  readonly agents: readonly AgentStatus[];
  readonly upstreams: readonly UpstreamStatus[];
  readonly workers: readonly WorkerFigures[];
  readonly routeBreakers: ReturnType<GatewayState['routeBreakers']>;
  readonly rateLimiterKeys: Readonly<Record<string, number>>;
  readonly isRateLimitStoreUp: boolean;
  readonly certificates: ReturnType<GatewayState['certificates']>;
  readonly memoryLimit: MemoryLimitStatus | null;
  /** Null if one process is the whole gateway. */
  readonly supervisor: SupervisorFigures | null;
  readonly restarts: readonly WorkerRestarts[];
  /** Numbers of the workers that did not reply in time; their figures are missing. */
  readonly missingWorkers: readonly number[];
  /** The supervisor did not reply: the figures are of one worker only. */
  readonly isPartial: boolean;
}

/** The outcome of a reload request. */
export type ReloadOutcome =
  /** `count`: reloads that took effect so far. */
  | { readonly kind: 'reloaded'; readonly count: number }
  /**
   * Nothing changed. `problems`: texts of one or more lines each, safe to show to the holder of the
   * token.
   */
  | { readonly kind: 'refused'; readonly problems: readonly string[] }
  /** Nothing changed: the gateway is starting, draining or being replaced, as the reason says. */
  | { readonly kind: 'not_now'; readonly reason: string }
  /** The reload is still running; it may yet succeed or fail. */
  | { readonly kind: 'under_way' }
  /** The program is being replaced; the process that serves afterwards reloads. */
  | { readonly kind: 'after_upgrade' }
  /** The outcome is unknown. */
  | { readonly kind: 'no_answer' };

/** The metrics of the whole gateway as a text exposition. */
export interface MetricsText {
  readonly contentType: string;
  readonly text: string;
}

/**
 * The outcome of a drain command. `replaced`: not executed, because another program has replaced
 * this one.
 */
export type TargetOutcome = TargetChange | 'no_answer' | 'replaced';

/**
 * All workers of the gateway, as seen from one of them. Every method settles within a deadline and
 * never rejects.
 */
export interface GatewayCluster {
  snapshot(): GatewaySnapshot | Promise<GatewaySnapshot>;
  /**
   * Null if the supervisor does not reply: the counters of one worker alone would appear to fall.
   */
  metrics(): Promise<MetricsText | null>;
  reload(): Promise<ReloadOutcome>;
  /** Like `GatewayState.drainTarget`, for all present and future workers. */
  drainTarget(upstream: string, address: string, drained: boolean): Promise<TargetOutcome>;
}
