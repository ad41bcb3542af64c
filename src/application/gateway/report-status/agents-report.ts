import type { AgentHealth, AgentLoad, AgentResources } from '../../../domain/agent-protocol/health.js';
import type { CircuitState } from '../../../domain/gateway/circuit-breaking/circuit-breaker.js';
import type { AgentStatus } from '../../ports/gateway/agent-client.js';

interface AgentLoadReport {
  readonly in_flight: number;
  readonly queue_depth: number;
  readonly avg_latency_ms: number;
  readonly p50_latency_ms: number;
  readonly p95_latency_ms: number;
  readonly p99_latency_ms: number;
  readonly requests_processed: number;
  readonly requests_rejected: number;
  readonly requests_timed_out: number;
}

/** Sizes in octets. Members that the agent does not report are absent. */
type AgentResourcesReport = Readonly<Record<string, number>>;

/** The status of one agent. Members without a value are absent. */
export interface AgentReport {
  readonly state: AgentStatus['state'];
  readonly connections: number;
  readonly in_flight: number;
  /** Queued calls. */
  readonly queue_depth: number;
  /** The state of its circuit breaker. */
  readonly breaker?: CircuitState;
  /** The reason why it refuses the configuration in force. */
  readonly refusal?: string;
  /** Events that its block subscribes to and that it does not support. */
  readonly unsupported_events?: readonly string[];
  /** Its own description of its state. */
  readonly message?: string;
  /** Features that it has disabled while it is degraded. */
  readonly disabled_features?: readonly string[];
  /** The load that it reports, from all gateways. */
  readonly load?: AgentLoadReport;
  /** The resources that it reports to use. */
  readonly resources?: AgentResourcesReport;
}

/** Limits for texts of an agent: characters of each, and number of features. */
const maximumText = 500;
const maximumFeatures = 32;

const bounded = (text: string): string => text.slice(0, maximumText);

const loadReport = (load: AgentLoad): AgentLoadReport => ({
  in_flight: load.inFlight,
  queue_depth: load.queueDepth,
  avg_latency_ms: load.avgLatencyMs,
  p50_latency_ms: load.p50LatencyMs,
  p95_latency_ms: load.p95LatencyMs,
  p99_latency_ms: load.p99LatencyMs,
  requests_processed: load.requestsProcessed,
  requests_rejected: load.requestsRejected,
  requests_timed_out: load.requestsTimedOut,
});

const resourcesReport = (resources: AgentResources): AgentResourcesReport => {
  const figures: readonly (readonly [string, number | null])[] = [
    ['cpu_percent', resources.cpuPercent],
    ['memory_bytes', resources.memoryBytes],
    ['memory_limit', resources.memoryLimit],
    ['active_threads', resources.activeThreads],
    ['open_fds', resources.openFds],
    ['fd_limit', resources.fdLimit],
    ['connections', resources.connections],
  ];
  return Object.fromEntries(figures.flatMap(([name, value]) => (value === null ? [] : [[name, value]])));
};

const healthReport = ({ message, disabledFeatures, load, resources }: AgentHealth): Partial<AgentReport> => ({
  ...(message === null ? {} : { message: bounded(message) }),
  ...(disabledFeatures.length === 0
    ? {}
    : { disabled_features: disabledFeatures.slice(0, maximumFeatures).map(bounded) }),
  ...(load === null ? {} : { load: loadReport(load) }),
  ...(resources === null ? {} : { resources: resourcesReport(resources) }),
});

const agentReport = ({
  state,
  connections,
  inFlight,
  queueDepth,
  breaker,
  refusal,
  unsupportedEvents,
  health,
}: AgentStatus): AgentReport => ({
  state,
  connections,
  in_flight: inFlight,
  queue_depth: queueDepth,
  ...(breaker === null ? {} : { breaker }),
  ...(refusal === null ? {} : { refusal: bounded(refusal) }),
  ...(unsupportedEvents.length === 0 ? {} : { unsupported_events: unsupportedEvents }),
  ...(health === null ? {} : healthReport(health)),
});

/** The agents by name. */
export const agentsReport = (agents: readonly AgentStatus[]): Readonly<Record<string, AgentReport>> =>
  Object.fromEntries(agents.map((agent) => [agent.name, agentReport(agent)]));

/** The status of an agent in /ready, without its texts, because the endpoint may be public. */
export type AgentReadiness = Pick<AgentReport, 'state' | 'breaker'> & { readonly refuses_configuration?: true };

export const agentsReadiness = (agents: readonly AgentStatus[]): Readonly<Record<string, AgentReadiness>> =>
  Object.fromEntries(
    agents.map(({ name, state, breaker, refusal }) => [
      name,
      {
        state,
        ...(breaker === null ? {} : { breaker }),
        ...(refusal === null ? {} : { refuses_configuration: true as const }),
      },
    ]),
  );

/** Whether an agent cannot answer: it is unreachable, unhealthy, or its breaker is open. */
export const isAbsent = ({ state, breaker }: AgentStatus): boolean =>
  state === 'unreachable' || state === 'unhealthy' || breaker === 'open';
