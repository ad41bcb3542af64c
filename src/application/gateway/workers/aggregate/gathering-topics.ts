import type { AgentMetricFamily } from '../../../../domain/agent-protocol/agent-metrics/metric-family.js';
import type { CountedFamily } from '../../../../domain/gateway/status/counted-family.js';
import type { GatewaySnapshot, ReloadOutcome, TargetOutcome } from '../../../ports/gateway/gateway-cluster.js';
import type { PoolFigures } from '../../../ports/gateway/gateway-metrics.js';
import type { TargetChange, TargetName } from '../../../ports/gateway/gateway-state.js';
import { topic } from '../../../shared/worker-channel/worker-call.js';
import type { HeldReport } from '../../ask-agents/reports/held-agent-reports.js';

/** Carries wishes to load the configuration again from the endpoints to whoever is in charge of it. */
export class ReloadRequests {
  #serve: (() => Promise<ReloadOutcome>) | null = null;

  /** Called once, when there is a gateway that can reload. `reload` never rejects. */
  serveWith(reload: () => Promise<ReloadOutcome>): void {
    this.#serve = reload;
  }

  async request(): Promise<ReloadOutcome> {
    return this.#serve === null ? { kind: 'not_now', reason: 'The gateway starts.' } : this.#serve();
  }
}

/** What one worker has counted since it started, and what is told with it. */
export interface WorkerCounts {
  readonly counts: readonly CountedFamily[];
  readonly pools: readonly PoolFigures[];
  /** The agents of its configuration. */
  readonly agents: readonly string[];
  /** What they have reported to it since it was asked last. */
  readonly reports: readonly HeldReport[];
}

/** All that the metrics of the whole gateway are made of. */
export interface WholeMetrics {
  readonly snapshot: GatewaySnapshot;
  readonly counts: readonly CountedFamily[];
  readonly pools: readonly PoolFigures[];
  readonly agentFamilies: readonly AgentMetricFamily[];
}

/** See `GatewayState.drainTarget`. */
export interface DrainWish {
  readonly upstream: string;
  readonly address: string;
  readonly drained: boolean;
}

/** What the supervisor asks of each worker. */
export const askWorker = {
  snapshot: topic<null, GatewaySnapshot>('worker-snapshot'),
  counts: topic<null, WorkerCounts>('worker-counts'),
  drain: topic<DrainWish, TargetChange>('worker-drain-target'),
} as const;

/** What a worker asks of the supervisor. */
export const askSupervisor = {
  snapshot: topic<null, GatewaySnapshot>('gateway-snapshot'),
  metrics: topic<null, WholeMetrics>('gateway-metrics'),
  reload: topic<null, ReloadOutcome>('gateway-reload'),
  drain: topic<DrainWish, TargetOutcome>('gateway-drain-target'),
  /** Those that somebody has drained. */
  drained: topic<null, readonly TargetName[]>('gateway-drained-targets'),
} as const;

/** How long a worker has for an answer, in milliseconds; it is left out then. */
export const workerAnswerMs = 500;

/**
 * How long the supervisor has for one. It may wait for its workers twice: for a gathering that is under way, and for
 * the next.
 */
export const supervisorAnswerMs = 3_000;

/** When the supervisor says of a reload that it lasts. */
export const reloadUnderwayMs = 60_000;

/** How long a worker waits for what comes of a reload. */
export const reloadAnswerMs = 65_000;
