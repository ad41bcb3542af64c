import type { AgentMetricFamily } from '../../../../domain/agent-protocol/agent-metrics/metric-family.js';
import type { CountedFamily } from '../../../../domain/gateway/status/counted-family.js';
import type { GatewaySnapshot, ReloadOutcome, TargetOutcome } from '../../../ports/gateway/gateway-cluster.js';
import type { PoolFigures } from '../../../ports/gateway/gateway-metrics.js';
import type { TargetChange, TargetName } from '../../../ports/gateway/gateway-state.js';
import { topic } from '../../../shared/worker-channel/worker-call.js';
import type { UncollectedReport } from '../../ask-agents/reports/uncollected-agent-reports.js';

/** Passes reload requests of the admin endpoints to the gateway. */
export class ReloadRequests {
  #serve: (() => Promise<ReloadOutcome>) | null = null;

  /** Call it once, when the gateway can reload. `reload` never rejects. */
  serveWith(reload: () => Promise<ReloadOutcome>): void {
    this.#serve = reload;
  }

  async request(): Promise<ReloadOutcome> {
    return this.#serve === null ? { kind: 'not_now', reason: 'The gateway is starting.' } : this.#serve();
  }
}

/** The counts of one worker since it started, with its pools and agent reports. */
export interface WorkerCounts {
  readonly counts: readonly CountedFamily[];
  readonly pools: readonly PoolFigures[];
  /** The agents of its configuration. */
  readonly agents: readonly string[];
  /** Their reports since the last question. */
  readonly reports: readonly UncollectedReport[];
}

/** The sources of the metrics of the whole gateway. */
export interface ClusterMetrics {
  readonly snapshot: GatewaySnapshot;
  readonly counts: readonly CountedFamily[];
  readonly pools: readonly PoolFigures[];
  readonly agentFamilies: readonly AgentMetricFamily[];
}

/** A command to drain or undrain a target; see `GatewayState.drainTarget`. */
export interface DrainCommand {
  readonly upstream: string;
  readonly address: string;
  readonly drained: boolean;
}

/** The questions of the supervisor to each worker. */
export const askWorker = {
  snapshot: topic<null, GatewaySnapshot>('worker-snapshot'),
  counts: topic<null, WorkerCounts>('worker-counts'),
  drain: topic<DrainCommand, TargetChange>('worker-drain-target'),
} as const;

/** The questions of a worker to the supervisor. */
export const askSupervisor = {
  snapshot: topic<null, GatewaySnapshot>('gateway-snapshot'),
  metrics: topic<null, ClusterMetrics>('gateway-metrics'),
  reload: topic<null, ReloadOutcome>('gateway-reload'),
  drain: topic<DrainCommand, TargetOutcome>('gateway-drain-target'),
  /** The drained targets. */
  drained: topic<null, readonly TargetName[]>('gateway-drained-targets'),
} as const;

/** Timeout of a worker's answer; milliseconds. After it, the worker is omitted. */
export const workerAnswerMs = 500;

/**
 * Timeout of the supervisor's answer; milliseconds. It may wait for its workers twice: for a round in progress, and for
 * the next.
 */
export const supervisorAnswerMs = 3_000;

/** The time after which the supervisor answers that a reload is under way; milliseconds. */
export const reloadUnderwayMs = 60_000;

/** Timeout of the answer to a reload; milliseconds. */
export const reloadAnswerMs = 65_000;
