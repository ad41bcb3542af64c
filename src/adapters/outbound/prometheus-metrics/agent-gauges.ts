import type { AgentStatus } from '../../../application/ports/gateway/agent-client.js';
import type { Sample } from './live-metric.js';
import { type MetricDefinition, metricDefinitions } from './metric-definitions.js';

/** A gauge whose series are read from how the agents are. */
interface AgentGauge {
  readonly definition: MetricDefinition;
  readonly samples: (agents: readonly AgentStatus[]) => readonly Sample[];
}

/** Never change: alert rules compare with them. */
const stateNumbers: Readonly<Record<AgentStatus['state'], number>> = {
  unreachable: 0,
  healthy: 1,
  degraded: 2,
  draining: 3,
  unhealthy: 4,
};

const ofEach = (definition: MetricDefinition, figure: (agent: AgentStatus) => number): AgentGauge => ({
  definition,
  samples: (agents) => agents.map((agent) => ({ labels: { agent: agent.name }, value: figure(agent) })),
});

/** How the agents are, one series each. */
export const agentGauges: readonly AgentGauge[] = [
  ofEach(metricDefinitions.agentState, ({ state }) => stateNumbers[state]),
  ofEach(metricDefinitions.agentConnections, ({ connections }) => connections),
  ofEach(metricDefinitions.agentInFlight, ({ inFlight }) => inFlight),
  ofEach(metricDefinitions.agentQueueDepth, ({ queueDepth }) => queueDepth),
];
