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

/** Members that the agent does not tell are left out; sizes in octets. */
type AgentResourcesReport = Readonly<Record<string, number>>;

/** How one agent is. Members that say nothing are left out. */
export interface AgentReport {
  readonly state: AgentStatus['state'];
  readonly connections: number;
  readonly in_flight: number;
  /** Calls that wait for a free place. */
  readonly queue_depth: number;
  /** The state of its circuit breaker. */
  readonly breaker?: CircuitState;
  /** Why it refuses the configuration in force. */
  readonly refusal?: string;
  /** Events that its block subscribes it to, and that it does not take. */
  readonly unsupported_events?: readonly string[];
  /** What it says of its state. */
  readonly message?: string;
  /** What it does without, while it is degraded. */
  readonly disabled_features?: readonly string[];
  /** What it says of its load, from all gateways. */
  readonly load?: AgentLoadReport;
  /** What it says that its process uses. */
  readonly resources?: AgentResourcesReport;
}

/** An agent may send any text, and many. */
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
  const told: readonly (readonly [string, number | null])[] = [
    ['cpu_percent', resources.cpuPercent],
    ['memory_bytes', resources.memoryBytes],
    ['memory_limit', resources.memoryLimit],
    ['active_threads', resources.activeThreads],
    ['open_fds', resources.openFds],
    ['fd_limit', resources.fdLimit],
    ['connections', resources.connections],
  ];
  return Object.fromEntries(told.flatMap(([name, value]) => (value === null ? [] : [[name, value]])));
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

/** The agents by their names. */
export const agentsReport = (agents: readonly AgentStatus[]): Readonly<Record<string, AgentReport>> =>
  Object.fromEntries(agents.map((agent) => [agent.name, agentReport(agent)]));

/** What /ready tells of an agent: no text that it has sent, for a balancer's check may be open to all. */
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

/**
 * It gives no answers: no connection takes calls, it says itself that it cannot decide, or it has failed too often to
 * be asked.
 */
export const isAbsent = ({ state, breaker }: AgentStatus): boolean =>
  state === 'unreachable' || state === 'unhealthy' || breaker === 'open';
