import { auditRecordsDropped, supervisedCounters } from '../../../domain/gateway/status/counted-family.js';

/** An exposed metric. Each also has the label `instance`. */
export interface MetricDefinition {
  /** Stable: dashboards and alert rules rely on it. */
  readonly name: string;
  readonly type: 'counter' | 'gauge' | 'histogram' | 'summary';
  readonly help: string;
  /** Values are bounded: status codes and configured names. */
  readonly labels: readonly string[];
  /** Upper bounds of a histogram, in seconds. */
  readonly buckets?: readonly number[];
}

const requestBuckets = [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 60] as const;
const agentBuckets = [
  0.0001, 0.00025, 0.0005, 0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5,
] as const;

/** All metrics of the gateway. */
export const metricDefinitions = {
  requests: {
    name: 'gateway_requests_total',
    type: 'counter',
    help: 'Responses by status and route; route is none if no route matched.',
    labels: ['status', 'route'],
  },
  requestDuration: {
    name: 'gateway_request_duration_seconds',
    type: 'histogram',
    help: 'Time from the request head to the end of the response.',
    labels: ['route'],
    buckets: requestBuckets,
  },
  upstreamAttempts: {
    name: 'gateway_upstream_attempts_total',
    type: 'counter',
    help: 'Requests sent to an upstream.',
    labels: ['upstream'],
  },
  upstreamFailures: {
    name: 'gateway_upstream_failures_total',
    type: 'counter',
    help: 'Requests to an upstream without a response.',
    labels: ['upstream'],
  },
  upstreamRetries: {
    name: 'gateway_upstream_retries_total',
    type: 'counter',
    help: 'Retries after a failure, on another target or another connection.',
    labels: ['upstream'],
  },
  upstreamRetriesRefused: {
    name: 'gateway_upstream_retries_refused_total',
    type: 'counter',
    help: 'Retries suppressed because the retry budget was exhausted.',
    labels: ['upstream'],
  },
  mirrorRequests: {
    name: 'gateway_mirror_requests_total',
    type: 'counter',
    help: 'Copies of requests for a mirror by result: answered, failed, no_target, dropped, body_too_large or body_incomplete.',
    labels: ['upstream', 'result'],
  },
  poolExhausted: {
    name: 'gateway_connection_pool_exhausted_total',
    type: 'counter',
    help: 'Requests that queued or were refused because all connections to their target were busy.',
    labels: ['upstream'],
  },
  poolSize: {
    name: 'gateway_connection_pool_size',
    type: 'gauge',
    help: 'Open connections to a configured target; all addresses of a host name together.',
    labels: ['upstream', 'target'],
  },
  poolIdle: {
    name: 'gateway_connection_pool_idle',
    type: 'gauge',
    help: 'Idle connections to a configured target; under load they can exceed max-idle.',
    labels: ['upstream', 'target'],
  },
  agentLatency: {
    name: 'gateway_agent_latency_seconds',
    type: 'histogram',
    help: 'Agent call latency, including the wait for a free slot; one observation per answered event.',
    labels: ['agent'],
    buckets: agentBuckets,
  },
  agentTimeouts: {
    name: 'gateway_agent_timeouts_total',
    type: 'counter',
    help: 'Agent calls that timed out.',
    labels: ['agent'],
  },
  agentFailures: {
    name: 'gateway_agent_failures_total',
    type: 'counter',
    help: 'Agent calls that failed, timeouts excluded.',
    labels: ['agent'],
  },
  agentFailedOpen: {
    name: 'gateway_agent_failed_open_total',
    type: 'counter',
    help: 'Requests and responses that continued without an agent answer because of failure-mode open.',
    labels: ['agent'],
  },
  agentState: {
    name: 'gateway_agent_state',
    type: 'gauge',
    help: 'State of an agent: 0 unreachable, 1 healthy, 2 degraded, 3 draining, 4 unhealthy.',
    labels: ['agent'],
  },
  agentConnections: {
    name: 'gateway_agent_connections',
    type: 'gauge',
    help: 'Open connections to an agent.',
    labels: ['agent'],
  },
  agentInFlight: {
    name: 'gateway_agent_in_flight',
    type: 'gauge',
    help: 'Agent calls in flight.',
    labels: ['agent'],
  },
  agentQueueDepth: {
    name: 'gateway_agent_queue_depth',
    type: 'gauge',
    help: 'Agent calls that wait for a free slot.',
    labels: ['agent'],
  },
  circuitBreakerState: {
    name: 'gateway_circuit_breaker_state',
    type: 'gauge',
    help: 'State of a circuit breaker: 0 closed, 0.5 half-open, 1 open. The component is agent:NAME, route:ID or upstream:NAME/ADDRESS; addresses of a name come from DNS.',
    labels: ['component'],
  },
  agentSeriesDropped: {
    name: supervisedCounters.agentSeriesDropped,
    type: 'counter',
    help: 'Rejected series in agent reports: malformed, or above a limit.',
    labels: ['agent'],
  },
  headerSizeExceeded: {
    name: 'gateway_header_size_exceeded_total',
    type: 'counter',
    help: 'Requests rejected for the size or number of their header fields.',
    labels: [],
  },
  bodySizeExceeded: {
    name: 'gateway_body_size_exceeded_total',
    type: 'counter',
    help: 'Requests rejected for the size of their body.',
    labels: [],
  },
  upstreamHealthy: {
    name: 'gateway_upstream_healthy',
    type: 'gauge',
    help: '1 while an upstream has an available target: healthy, not drained, weight above 0; else 0.',
    labels: ['upstream'],
  },
  targetHealthy: {
    name: 'gateway_target_healthy',
    type: 'gauge',
    help: '1 while an upstream address is healthy, else 0. Drained addresses: see gateway_target_drained. Addresses of a host name come from DNS.',
    labels: ['upstream', 'target'],
  },
  targetDrained: {
    name: 'gateway_target_drained',
    type: 'gauge',
    help: '1 while an operator drains the upstream address, else 0. Addresses of a host name come from DNS.',
    labels: ['upstream', 'target'],
  },
  requestsQueued: {
    name: 'gateway_requests_queued',
    type: 'gauge',
    help: 'Queued requests: for a concurrency slot, an agent, or an upstream connection.',
    labels: [],
  },
  rateLimiterKeys: {
    name: 'gateway_rate_limiter_keys',
    type: 'gauge',
    help: 'Rate-limit buckets in memory, by kind of limit.',
    labels: ['limit'],
  },
  memoryLimit: {
    name: 'gateway_memory_limit_bytes',
    type: 'gauge',
    help: 'Memory limit of the gateway; absent without a limit.',
    labels: [],
  },
  memoryLimited: {
    name: 'gateway_memory_limited',
    type: 'gauge',
    help: '1 while connections and requests are refused because memory is short, else 0.',
    labels: [],
  },
  connectionLimitReached: {
    name: 'gateway_connection_limit_reached_total',
    type: 'counter',
    help: 'Connections and requests refused by a connection limit, by limit.',
    labels: ['limit'],
  },
  rateLimitExceeded: {
    name: 'gateway_rate_limit_exceeded_total',
    type: 'counter',
    help: 'Requests refused by a rate limit, by limit.',
    labels: ['limit'],
  },
  requestLimitReached: {
    name: 'gateway_request_limit_reached_total',
    type: 'counter',
    help: 'Requests refused by a concurrency, queue or memory limit, by limit.',
    labels: ['limit'],
  },
  descriptorsExhausted: {
    name: 'gateway_descriptors_exhausted_total',
    type: 'counter',
    help: 'Events of exhausted file descriptors in a gateway process; client connections are then closed without a response.',
    labels: [],
  },
  responsesCompressed: {
    name: 'gateway_responses_compressed_total',
    type: 'counter',
    help: 'Responses that the gateway compressed.',
    labels: ['encoding'],
  },
  compressionsSkipped: {
    name: 'gateway_compressions_skipped_total',
    type: 'counter',
    help: 'Responses sent uncompressed because their worker already compressed as many as it may.',
    labels: [],
  },
  openConnections: {
    name: 'gateway_open_connections',
    type: 'gauge',
    help: 'Open client connections.',
    labels: [],
  },
  connectionsActive: {
    name: 'gateway_connections_active',
    type: 'gauge',
    help: 'Open client connections; the same as gateway_open_connections.',
    labels: [],
  },
  activeRequests: {
    name: 'gateway_active_requests',
    type: 'gauge',
    help: 'Active requests, including queued ones (gateway_requests_queued) and built-in endpoints.',
    labels: [],
  },
  requestsInFlight: {
    name: 'gateway_requests_in_flight',
    type: 'gauge',
    help: 'Active requests; the same as gateway_active_requests.',
    labels: [],
  },
  memoryUsage: {
    name: 'gateway_memory_usage_bytes',
    type: 'gauge',
    help: 'Resident memory of the gateway: workers and supervisor together.',
    labels: [],
  },
  workerUp: {
    name: 'gateway_worker_up',
    type: 'gauge',
    help: '1 while a worker reports metrics, else 0. A single-process gateway is worker 0.',
    labels: ['worker'],
  },
  workerMemoryUsage: {
    name: 'gateway_worker_memory_usage_bytes',
    type: 'gauge',
    help: 'Resident memory of a worker.',
    labels: ['worker'],
  },
  workerConnections: {
    name: 'gateway_worker_connections',
    type: 'gauge',
    help: 'Open client connections of a worker.',
    labels: ['worker'],
  },
  workerRequestsInFlight: {
    name: 'gateway_worker_requests_in_flight',
    type: 'gauge',
    help: 'Active requests of a worker.',
    labels: ['worker'],
  },
  workerEventLoopDelay: {
    name: 'gateway_worker_event_loop_delay_seconds',
    type: 'summary',
    help: 'Timer delay of a worker since its start, by quantile; 1 is the maximum.',
    labels: ['worker', 'quantile'],
  },
  rateLimitStoreUp: {
    name: 'gateway_rate_limit_store_up',
    type: 'gauge',
    help: '1 while the rate-limit store is available to all workers, else 0. The memory store is always available.',
    labels: [],
  },
  certificateExpiry: {
    name: 'gateway_certificate_expiry_timestamp_seconds',
    type: 'gauge',
    help: 'Expiry of a certificate in use, in seconds since the Unix epoch. use: listener, upstream, agent or saml; name: the listener, upstream or agent.',
    labels: ['use', 'name', 'subject'],
  },
  workerRestarts: {
    name: supervisedCounters.restarts,
    type: 'counter',
    help: 'Workers that exited unexpectedly and were replaced.',
    labels: ['worker'],
  },
  configurationReloads: {
    name: supervisedCounters.reloads,
    type: 'counter',
    help: 'Configuration reloads by result: success or failure.',
    labels: ['result'],
  },
  accessLinesDropped: {
    name: 'gateway_access_log_dropped_total',
    type: 'counter',
    help: 'Access log lines dropped because the log reader is too slow.',
    labels: [],
  },
  auditRecordsDropped: {
    name: auditRecordsDropped,
    type: 'counter',
    help: 'Audit log records lost because of failed writes.',
    labels: [],
  },
} as const satisfies Record<string, MetricDefinition>;
