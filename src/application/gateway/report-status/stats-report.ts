import type { GatewaySnapshot } from '../../ports/gateway/gateway-cluster.js';
import type { MemoryFigures, WorkerFigures } from '../../ports/gateway/gateway-state.js';
import { type AgentReport, agentsReport } from './agents-report.js';

interface MemoryReport {
  readonly rss_bytes: number;
  readonly heap_used_bytes: number;
  readonly heap_total_bytes: number;
  readonly external_bytes: number;
}

interface DelayReport {
  readonly mean: number;
  readonly p50: number;
  readonly p99: number;
  readonly max: number;
}

interface WorkerReport {
  readonly id: number;
  readonly pid: number;
  readonly connections: number;
  readonly requests_in_flight: number;
  readonly memory: MemoryReport;
  readonly event_loop_delay_ms: DelayReport;
  /** How often this worker was restarted; absent: never. */
  readonly restarts?: number;
  /** `upstream/address` of the targets that are unhealthy for this worker; absent: none. */
  readonly unhealthy_targets?: readonly string[];
}

interface SupervisorReport {
  readonly pid: number;
  readonly memory: MemoryReport;
}

/** Body of /admin/stats. Memory is the sum of all processes; the delay is that of the slowest worker. */
export interface StatsReport {
  readonly connections: {
    readonly total: number;
    readonly per_listener: Readonly<Record<string, number>>;
    /** Concurrent requests of each route, as max-connections-per-route counts them. */
    readonly per_route: Readonly<Record<string, number>>;
  };
  readonly requests_in_flight: number;
  readonly requests_queued: number;
  readonly agents: Readonly<Record<string, AgentReport>>;
  /** Number of buckets in memory, by kind of limit. */
  readonly rate_limiter_keys: Readonly<Record<string, number>>;
  readonly memory: MemoryReport;
  /** Absent: memory has no limit. */
  readonly memory_limit?: { readonly bytes: number; readonly reached: boolean };
  readonly event_loop_delay_ms: DelayReport;
  readonly workers: readonly WorkerReport[];
  /** Absent: the gateway is one process. */
  readonly supervisor?: SupervisorReport;
  /** Numbers of the workers that did not answer in time; absent: none. */
  readonly missing_workers?: readonly number[];
  /** The supervisor did not answer, so all figures are of one worker. Absent otherwise. */
  readonly partial?: true;
}

const sum = (values: readonly number[]): number => values.reduce((total, value) => total + value, 0);

const memoryReport = (processes: readonly { readonly memory: MemoryFigures }[]): MemoryReport => ({
  rss_bytes: sum(processes.map(({ memory }) => memory.residentBytes)),
  heap_used_bytes: sum(processes.map(({ memory }) => memory.heapUsedBytes)),
  heap_total_bytes: sum(processes.map(({ memory }) => memory.heapTotalBytes)),
  external_bytes: sum(processes.map(({ memory }) => memory.externalBytes)),
});

/** Rounds to microseconds. Before the first timer the mean is NaN, which JSON cannot express. */
const milliseconds = (value: number): number => (Number.isFinite(value) ? Math.round(value * 1000) / 1000 : 0);

const slowest = (values: readonly number[]): number => Math.max(0, ...values.map(milliseconds));

const delayReport = (workers: readonly WorkerFigures[]): DelayReport => ({
  mean: slowest(workers.map(({ eventLoopDelay }) => eventLoopDelay.meanMs)),
  p50: slowest(workers.map(({ eventLoopDelay }) => eventLoopDelay.p50Ms)),
  p99: slowest(workers.map(({ eventLoopDelay }) => eventLoopDelay.p99Ms)),
  max: slowest(workers.map(({ eventLoopDelay }) => eventLoopDelay.maxMs)),
});

const unhealthyTargets = ({ unhealthyTargets: targets }: WorkerFigures): Partial<WorkerReport> =>
  targets.length === 0 ? {} : { unhealthy_targets: targets.map(({ upstream, address }) => `${upstream}/${address}`) };

const workerReport = (worker: WorkerFigures, restarts: number): WorkerReport => ({
  id: worker.id,
  pid: worker.pid,
  connections: worker.connections,
  requests_in_flight: worker.requestsInFlight,
  memory: memoryReport([worker]),
  event_loop_delay_ms: delayReport([worker]),
  ...(restarts === 0 ? {} : { restarts }),
  ...unhealthyTargets(worker),
});

/** The members about several processes. */
const wholeReport = ({ supervisor, missingWorkers, isPartial }: GatewaySnapshot): Partial<StatsReport> => ({
  ...(supervisor === null ? {} : { supervisor: { pid: supervisor.pid, memory: memoryReport([supervisor]) } }),
  ...(missingWorkers.length === 0 ? {} : { missing_workers: missingWorkers }),
  ...(isPartial ? { partial: true as const } : {}),
});

export const statsReport = (snapshot: GatewaySnapshot): StatsReport => {
  const { connections, workers, supervisor, memoryLimit: limit } = snapshot;
  const restarts = new Map(snapshot.restarts.map(({ worker, count }) => [worker, count]));
  return {
    connections: {
      total: sum(connections.map(({ open }) => open)),
      per_listener: Object.fromEntries(connections.map(({ listener, open }) => [listener, open])),
      per_route: Object.fromEntries(snapshot.requestsInFlightByRoute.map(({ route, inFlight }) => [route, inFlight])),
    },
    requests_in_flight: snapshot.requestsInFlight,
    requests_queued: snapshot.requestsQueued,
    agents: agentsReport(snapshot.agents),
    rate_limiter_keys: snapshot.rateLimiterKeys,
    memory: memoryReport([...workers, ...(supervisor === null ? [] : [supervisor])]),
    ...(limit === null ? {} : { memory_limit: { bytes: limit.limitBytes, reached: limit.isShort } }),
    event_loop_delay_ms: delayReport(workers),
    workers: workers.map((worker) => workerReport(worker, restarts.get(worker.id) ?? 0)),
    ...wholeReport(snapshot),
  };
};
