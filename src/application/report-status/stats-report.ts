import type { GatewayState, WorkerFigures } from '../ports/gateway-state.js';
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
}

/** Body of /admin/stats. Memory is the sum of all workers, the delay that of the slowest. */
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
}

const sum = (values: readonly number[]): number => values.reduce((total, value) => total + value, 0);

const memoryReport = (workers: readonly WorkerFigures[]): MemoryReport => ({
  rss_bytes: sum(workers.map(({ memory }) => memory.residentBytes)),
  heap_used_bytes: sum(workers.map(({ memory }) => memory.heapUsedBytes)),
  heap_total_bytes: sum(workers.map(({ memory }) => memory.heapTotalBytes)),
  external_bytes: sum(workers.map(({ memory }) => memory.externalBytes)),
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

const workerReport = (worker: WorkerFigures): WorkerReport => ({
  id: worker.id,
  pid: worker.pid,
  connections: worker.connections,
  requests_in_flight: worker.requestsInFlight,
  memory: memoryReport([worker]),
  event_loop_delay_ms: delayReport([worker]),
});

export const statsReport = (state: GatewayState): StatsReport => {
  const connections = state.connections();
  const workers = state.workers();
  const limit = state.memoryLimit();
  return {
    connections: {
      total: sum(connections.map(({ open }) => open)),
      per_listener: Object.fromEntries(connections.map(({ listener, open }) => [listener, open])),
      per_route: Object.fromEntries(state.requestsInFlightByRoute().map(({ route, inFlight }) => [route, inFlight])),
    },
    requests_in_flight: state.requestsInFlight(),
    requests_queued: state.requestsQueued(),
    agents: agentsReport(state.agents()),
    rate_limiter_keys: state.rateLimiterKeys(),
    memory: memoryReport(workers),
    ...(limit === null ? {} : { memory_limit: { bytes: limit.limitBytes, reached: limit.isShort } }),
    event_loop_delay_ms: delayReport(workers),
    workers: workers.map(workerReport),
  };
};
