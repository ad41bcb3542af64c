import { type AgentHealth, agentStateCodes } from '../../../domain/agent-protocol/health.js';
import type { MetricsReport } from '../../../domain/agent-protocol/metrics-report.js';
import type { GrpcHealthStatus, GrpcMetricsReport } from './grpc-reports.js';

/** What an agent that does without nothing multiplies time-outs by. */
const unchangedTimeouts = 1;

export const healthMessage = (health: AgentHealth): GrpcHealthStatus => {
  const { load, resources } = health;
  return {
    agent_id: health.agentId,
    state: agentStateCodes[health.state],
    message: health.message,
    load: load && {
      in_flight: load.inFlight,
      queue_depth: load.queueDepth,
      avg_latency_ms: load.avgLatencyMs,
      p50_latency_ms: load.p50LatencyMs,
      p95_latency_ms: load.p95LatencyMs,
      p99_latency_ms: load.p99LatencyMs,
      requests_processed: load.requestsProcessed,
      requests_rejected: load.requestsRejected,
      requests_timed_out: load.requestsTimedOut,
    },
    resources: resources && {
      cpu_percent: resources.cpuPercent,
      memory_bytes: resources.memoryBytes,
      memory_limit: resources.memoryLimit,
      active_threads: resources.activeThreads,
      open_fds: resources.openFds,
      fd_limit: resources.fdLimit,
      connections: resources.connections,
    },
    valid_until_ms: health.validForMs === null ? null : health.timestampMs + health.validForMs,
    timestamp_ms: health.timestampMs,
    disabled_features: health.disabledFeatures,
    timeout_multiplier: unchangedTimeouts,
    unhealthy_reason: health.state === 'unhealthy' ? health.message : null,
    // No agent of ours is so far gone that it would not look again.
    recoverable: true,
  };
};

export const metricsMessage = (report: MetricsReport): GrpcMetricsReport => ({
  agent_id: report.agentId,
  timestamp_ms: report.timestampMs,
  interval_ms: report.intervalMs,
  counters: report.counters,
  gauges: report.gauges,
  histograms: report.histograms,
});
