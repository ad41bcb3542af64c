import { auditRecordsDropped, supervisedCounters } from '../../../domain/gateway/status/counted-family.js';

/** A metric as it is exposed. Every one also has the label `instance`. */
export interface MetricDefinition {
  /** Never changes: dashboards and alert rules rely on it. */
  readonly name: string;
  readonly type: 'counter' | 'gauge' | 'histogram' | 'summary';
  readonly help: string;
  /** Their values are bounded: status codes, and names from the configuration. */
  readonly labels: readonly string[];
  /** Upper bounds in seconds, of a histogram. */
  readonly buckets?: readonly number[];
}

const requestBuckets = [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 60] as const;
const agentBuckets = [
  0.0001, 0.00025, 0.0005, 0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5,
] as const;

/** Every metric of the gateway. */
export const metricDefinitions = {
  requests: {
    name: 'gateway_requests_total',
    type: 'counter',
    help: 'Requests answered, by status and route; the route is none where no route took the request.',
    labels: ['status', 'route'],
  },
  requestDuration: {
    name: 'gateway_request_duration_seconds',
    type: 'histogram',
    help: 'Time from the head of a request to the end of its response.',
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
    help: 'Requests to an upstream that got no response.',
    labels: ['upstream'],
  },
  upstreamRetries: {
    name: 'gateway_upstream_retries_total',
    type: 'counter',
    help: 'Requests that were sent once more after a failure, to another target of an upstream or on another connection.',
    labels: ['upstream'],
  },
  upstreamRetriesRefused: {
    name: 'gateway_upstream_retries_refused_total',
    type: 'counter',
    help: 'Requests that were not sent once more because the budget for that was spent.',
    labels: ['upstream'],
  },
  poolExhausted: {
    name: 'gateway_connection_pool_exhausted_total',
    type: 'counter',
    help: 'Requests that found every connection to their target busy, and waited for one or were refused.',
    labels: ['upstream'],
  },
  poolSize: {
    name: 'gateway_connection_pool_size',
    type: 'gauge',
    help: 'Open connections to a target of an upstream, as it is configured: those of all addresses of a name together.',
    labels: ['upstream', 'target'],
  },
  poolIdle: {
    name: 'gateway_connection_pool_idle',
    type: 'gauge',
    help: 'Open connections to a target of an upstream, as it is configured, that wait for a request; under load more than max-idle.',
    labels: ['upstream', 'target'],
  },
  agentLatency: {
    name: 'gateway_agent_latency_seconds',
    type: 'histogram',
    help: 'Time from the question to the answer, a wait for a free place included; one for each event that an agent has answered.',
    labels: ['agent'],
    buckets: agentBuckets,
  },
  agentTimeouts: {
    name: 'gateway_agent_timeouts_total',
    type: 'counter',
    help: 'Calls that an agent did not answer in time.',
    labels: ['agent'],
  },
  agentFailures: {
    name: 'gateway_agent_failures_total',
    type: 'counter',
    help: 'Calls to an agent that failed in another way than by time.',
    labels: ['agent'],
  },
  agentFailedOpen: {
    name: 'gateway_agent_failed_open_total',
    type: 'counter',
    help: 'Requests and responses that went on without an agent that gave no answer, as failure-mode open says.',
    labels: ['agent'],
  },
  agentState: {
    name: 'gateway_agent_state',
    type: 'gauge',
    help: 'How an agent is: 0 unreachable, 1 healthy, 2 degraded, 3 draining, 4 unhealthy.',
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
    help: 'Calls that an agent has not answered yet.',
    labels: ['agent'],
  },
  agentQueueDepth: {
    name: 'gateway_agent_queue_depth',
    type: 'gauge',
    help: 'Calls that wait for a free place at an agent.',
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
    help: 'Series in reports of an agent that were not taken: not well-formed, or beyond a limit.',
    labels: ['agent'],
  },
  headerSizeExceeded: {
    name: 'gateway_header_size_exceeded_total',
    type: 'counter',
    help: 'Requests refused for the size or number of their header fields.',
    labels: [],
  },
  bodySizeExceeded: {
    name: 'gateway_body_size_exceeded_total',
    type: 'counter',
    help: 'Requests refused for the size of their body.',
    labels: [],
  },
  upstreamHealthy: {
    name: 'gateway_upstream_healthy',
    type: 'gauge',
    help: 'Whether an upstream has a target that gets requests: well, not drained, of a weight above 0: 1, or 0.',
    labels: ['upstream'],
  },
  targetHealthy: {
    name: 'gateway_target_healthy',
    type: 'gauge',
    help: 'Whether an address of an upstream is well: 1, or 0. One that is drained is told by gateway_target_drained. Those of a name come from DNS.',
    labels: ['upstream', 'target'],
  },
  targetDrained: {
    name: 'gateway_target_drained',
    type: 'gauge',
    help: 'Whether somebody has said that an address of an upstream gets no new requests: 1, or 0. Those of a name come from DNS.',
    labels: ['upstream', 'target'],
  },
  requestsQueued: {
    name: 'gateway_requests_queued',
    type: 'gauge',
    help: 'Requests that wait to be in flight, for an agent, or for a connection to an upstream.',
    labels: [],
  },
  rateLimiterKeys: {
    name: 'gateway_rate_limiter_keys',
    type: 'gauge',
    help: 'Buckets of rate limits that the gateway holds, by kind of limit.',
    labels: ['limit'],
  },
  memoryLimit: {
    name: 'gateway_memory_limit_bytes',
    type: 'gauge',
    help: 'Memory that the gateway may use; absent where it has no limit.',
    labels: [],
  },
  memoryLimited: {
    name: 'gateway_memory_limited',
    type: 'gauge',
    help: 'Whether connections and requests are refused for want of memory: 1, or 0.',
    labels: [],
  },
  connectionLimitReached: {
    name: 'gateway_connection_limit_reached_total',
    type: 'counter',
    help: 'Connections and requests refused because there are too many connections, by the limit that was reached.',
    labels: ['limit'],
  },
  rateLimitExceeded: {
    name: 'gateway_rate_limit_exceeded_total',
    type: 'counter',
    help: 'Requests refused for their rate, by the limit that was exceeded.',
    labels: ['limit'],
  },
  requestLimitReached: {
    name: 'gateway_request_limit_reached_total',
    type: 'counter',
    help: 'Requests refused because too many are served or wait, or for want of memory, by the limit that was reached.',
    labels: ['limit'],
  },
  descriptorsExhausted: {
    name: 'gateway_descriptors_exhausted_total',
    type: 'counter',
    help: 'Times that a process of the gateway had no free file descriptor: connections of clients are closed unanswered then.',
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
    help: 'Requests that are being served, those that wait (gateway_requests_queued) and built-in endpoints included.',
    labels: [],
  },
  requestsInFlight: {
    name: 'gateway_requests_in_flight',
    type: 'gauge',
    help: 'Requests that are being served; the same as gateway_active_requests.',
    labels: [],
  },
  memoryUsage: {
    name: 'gateway_memory_usage_bytes',
    type: 'gauge',
    help: 'Resident memory of the gateway: of all workers and of the process that watches over them.',
    labels: [],
  },
  workerUp: {
    name: 'gateway_worker_up',
    type: 'gauge',
    help: 'Whether a worker gives its figures: 1, or 0. Where one process is the whole gateway, it is worker 0.',
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
    help: 'Requests that a worker is serving.',
    labels: ['worker'],
  },
  workerEventLoopDelay: {
    name: 'gateway_worker_event_loop_delay_seconds',
    type: 'summary',
    help: 'How late a worker ran its timers since it started, by quantile; 1 is the longest.',
    labels: ['worker', 'quantile'],
  },
  rateLimitStoreUp: {
    name: 'gateway_rate_limit_store_up',
    type: 'gauge',
    help: 'Whether the rate-limit store answers: 1, or 0 while any worker cannot ask it. Buckets in memory always answer.',
    labels: [],
  },
  workerRestarts: {
    name: supervisedCounters.restarts,
    type: 'counter',
    help: 'Workers that ended by themselves and were replaced.',
    labels: ['worker'],
  },
  configurationReloads: {
    name: supervisedCounters.reloads,
    type: 'counter',
    help: 'Reloads of the configuration, by result: success or failure.',
    labels: ['result'],
  },
  accessLinesDropped: {
    name: 'gateway_access_log_dropped_total',
    type: 'counter',
    help: 'Lines of the access log that were dropped because the reader of the log is too slow.',
    labels: [],
  },
  auditRecordsDropped: {
    name: auditRecordsDropped,
    type: 'counter',
    help: 'Records of the audit log that were lost because they could not be written.',
    labels: [],
  },
} as const satisfies Record<string, MetricDefinition>;
