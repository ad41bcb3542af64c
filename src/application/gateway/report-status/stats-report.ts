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
  /** How often another process took the place of this worker; absent where none has. */
  readonly restarts?: number;
  /** `upstream/address` of the targets that it takes for ill; absent where all are well. */
  readonly unhealthy_targets?: readonly string[];
}

interface SupervisorReport {
  readonly pid: number;
  readonly memory: MemoryReport;
}

/** Body of /admin/stats. Memory is the sum of all processes, the delay that of the slowest worker. */
export interface StatsReport {
  readonly connections: {
    readonly total: number;
    readonly per_listener: Readonly<Record<string, number>>;
    /** Concurrent requests of each route: what max-connections-per-route counts. */
    readonly per_route: Readonly<Record<string, number>>;
  };
  readonly requests_in_flight: number;
  readonly requests_queued: number;
  readonly agents: Readonly<Record<string, AgentReport>>;
  /** Buckets that this gateway holds, by kind of limit. */
  readonly rate_limiter_keys: Readonly<Record<string, number>>;
  readonly memory: MemoryReport;
  /** Absent where memory has no limit. */
  readonly memory_limit?: { readonly bytes: number; readonly reached: boolean };
  readonly event_loop_delay_ms: DelayReport;
  readonly workers: readonly WorkerReport[];
  /** Absent where one process is the whole gateway. */
  readonly supervisor?: SupervisorReport;
  /** Numbers of the workers that gave no answer in time; absent where all did. */
  readonly missing_workers?: readonly number[];
  /** The supervisor gave no answer: all figures are of one worker. Absent otherwise. */
  readonly partial?: true;
}

const sum = (values: readonly number[]): number => values.reduce((total, value) => total + value, 0);

const memoryReport = (processes: readonly { readonly memory: MemoryFigures }[]): MemoryReport => ({
  rss_bytes: sum(processes.map(({ memory }) => memory.residentBytes)),
  heap_used_bytes: sum(processes.map(({ memory }) => memory.heapUsedBytes)),
  heap_total_bytes: sum(processes.map(({ memory }) => memory.heapTotalBytes)),
  external_bytes: sum(processes.map(({ memory }) => memory.externalBytes)),
});

/** A worker that has not run a timer yet has no mean: not a number, which JSON does not know. */
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

/** What there is to say of several processes. */
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
