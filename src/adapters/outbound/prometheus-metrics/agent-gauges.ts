import type { AgentStatus } from '../../../application/ports/agent-client.js';
import type { CircuitState } from '../../../domain/circuit-breaking/circuit-breaker.js';
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

const breakerNumbers: Readonly<Record<CircuitState, number>> = { closed: 0, half_open: 0.5, open: 1 };

const ofEach = (definition: MetricDefinition, figure: (agent: AgentStatus) => number): AgentGauge => ({
  definition,
  samples: (agents) => agents.map((agent) => ({ labels: { agent: agent.name }, value: figure(agent) })),
});

/** How the agents are, one series each; a breaker has one where there is a breaker. */
export const agentGauges: readonly AgentGauge[] = [
  ofEach(metricDefinitions.agentState, ({ state }) => stateNumbers[state]),
  ofEach(metricDefinitions.agentConnections, ({ connections }) => connections),
  ofEach(metricDefinitions.agentInFlight, ({ inFlight }) => inFlight),
  ofEach(metricDefinitions.agentQueueDepth, ({ queueDepth }) => queueDepth),
  {
    definition: metricDefinitions.circuitBreakerState,
    samples: (agents) =>
      agents.flatMap(({ name, breaker }) =>
        breaker === null ? [] : [{ labels: { component: `agent:${name}` }, value: breakerNumbers[breaker] }],
      ),
  },
];
