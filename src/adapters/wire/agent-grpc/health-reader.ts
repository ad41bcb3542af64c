import {
  type AgentHealth,
  type AgentLoad,
  type AgentResources,
  type AgentState,
  agentStateCodes,
} from '../../../domain/agent-protocol/health.js';
import { err, ok, type Result } from '../../../domain/shared/result.js';
import { readFloat } from './float-value.js';
import type { GrpcHealthStatus, GrpcLoadMetrics, GrpcResourceMetrics } from './grpc-reports.js';

const stateNames = Object.keys(agentStateCodes) as AgentState[];

/** Null where a time is none. */
const readLoad = (load: GrpcLoadMetrics): AgentLoad | null => {
  const avgLatencyMs = readFloat(load.avg_latency_ms ?? 0);
  const p50LatencyMs = readFloat(load.p50_latency_ms ?? 0);
  const p95LatencyMs = readFloat(load.p95_latency_ms ?? 0);
  const p99LatencyMs = readFloat(load.p99_latency_ms ?? 0);
  if (avgLatencyMs === null || p50LatencyMs === null || p95LatencyMs === null || p99LatencyMs === null) return null;
  return {
    inFlight: load.in_flight ?? 0,
    queueDepth: load.queue_depth ?? 0,
    avgLatencyMs,
    p50LatencyMs,
    p95LatencyMs,
    p99LatencyMs,
    requestsProcessed: load.requests_processed ?? 0,
    requestsRejected: load.requests_rejected ?? 0,
    requestsTimedOut: load.requests_timed_out ?? 0,
  };
};

const readResources = (resources: GrpcResourceMetrics): AgentResources => ({
  cpuPercent: (resources.cpu_percent ?? null) === null ? null : readFloat(resources.cpu_percent ?? 0),
  memoryBytes: resources.memory_bytes ?? null,
  memoryLimit: resources.memory_limit ?? null,
  activeThreads: resources.active_threads ?? null,
  openFds: resources.open_fds ?? null,
  fdLimit: resources.fd_limit ?? null,
  connections: resources.connections ?? null,
});

export const readHealth = (status: GrpcHealthStatus): Result<AgentHealth, string> => {
  const state = stateNames.find((name) => agentStateCodes[name] === status.state);
  if (state === undefined) return err('"state" is none');
  const load = (status.load ?? null) === null ? null : readLoad(status.load ?? {});
  if (load === null && (status.load ?? null) !== null) return err('"load" holds what is no number');
  const timestampMs = status.timestamp_ms ?? 0;
  const validUntilMs = status.valid_until_ms ?? null;
  return ok({
    agentId: status.agent_id ?? '',
    state,
    // An unhealthy one says why in a member of its own.
    message: status.message || (state === 'unhealthy' && status.unhealthy_reason) || null,
    load,
    resources: (status.resources ?? null) === null ? null : readResources(status.resources ?? {}),
    disabledFeatures: status.disabled_features ?? [],
    validForMs: validUntilMs === null ? null : Math.max(0, validUntilMs - timestampMs),
    timestampMs,
  });
};
