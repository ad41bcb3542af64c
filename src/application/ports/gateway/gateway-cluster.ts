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

/** The process that watches over the workers and takes no traffic. */
export interface SupervisorFigures {
  readonly pid: number;
  readonly memory: MemoryFigures;
}

/** How often a worker of this number was replaced by another one, since the gateway started. */
export interface WorkerRestarts {
  readonly worker: number;
  readonly count: number;
}

/** What the gateway, or one worker of it, is doing at a moment. Plain data: it passes between processes. */
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
  readonly memoryLimit: MemoryLimitStatus | null;
  /** Null where there is none: one process is the whole gateway. */
  readonly supervisor: SupervisorFigures | null;
  readonly restarts: readonly WorkerRestarts[];
  /** Numbers of the workers that gave no answer in time: their figures are missing. */
  readonly missingWorkers: readonly number[];
  /** The supervisor gave no answer: these are the figures of one worker alone. */
  readonly isPartial: boolean;
}

/** What came of the wish to load the configuration again. */
export type ReloadOutcome =
  /** `count`: reloads that have taken effect by now. */
  | { readonly kind: 'reloaded'; readonly count: number }
  /** Nothing has changed. `problems`: each on one line, or as many as it takes, fit to be shown to who holds the token. */
  | { readonly kind: 'refused'; readonly problems: readonly string[] }
  /** The gateway starts, drains or is being replaced, so that nothing has changed. The reason says which. */
  | { readonly kind: 'not_now'; readonly reason: string }
  /** It lasts: it may come into force yet, or be refused. */
  | { readonly kind: 'under_way' }
  /** The program is being replaced: whoever serves when that is over reloads it. */
  | { readonly kind: 'after_upgrade' }
  /** What came of it is not known. */
  | { readonly kind: 'no_answer' };

/** The metrics of the whole gateway as one text exposition. */
export interface MetricsText {
  readonly contentType: string;
  readonly text: string;
}

/** What came of a wish about a target. `replaced`: nothing, for another program has taken the place of this one. */
export type TargetOutcome = TargetChange | 'no_answer' | 'replaced';

/** The gateway with all of its workers, asked from one of them. Every method settles within a deadline of its own and never rejects. */
export interface GatewayCluster {
  snapshot(): GatewaySnapshot | Promise<GatewaySnapshot>;
  /** Null where the supervisor gives no answer: figures of one worker alone would look as if counters had fallen. */
  metrics(): Promise<MetricsText | null>;
  reload(): Promise<ReloadOutcome>;
  /** See `GatewayState.drainTarget`; for every worker, those that come later too. */
  drainTarget(upstream: string, address: string, drained: boolean): Promise<TargetOutcome>;
}
