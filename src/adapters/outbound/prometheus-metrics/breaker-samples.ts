import type { AgentStatus } from '../../../application/ports/gateway/agent-client.js';
import type { GatewayGauges } from '../../../application/ports/gateway/gateway-metrics.js';
import type { CircuitState } from '../../../domain/gateway/circuit-breaking/circuit-breaker.js';
import type { Sample } from './live-metric.js';

/** Never change: alert rules compare with them. */
const breakerNumbers: Readonly<Record<CircuitState, number>> = { closed: 0, half_open: 0.5, open: 1 };

const sample = (component: string, state: CircuitState): Sample => ({
  labels: { component },
  value: breakerNumbers[state],
});

const ofAgents = (agents: readonly AgentStatus[]): readonly Sample[] =>
  agents.flatMap(({ name, breaker }) => (breaker === null ? [] : [sample(`agent:${name}`, breaker)]));

/** A series for each circuit breaker there is: of agents, routes and targets. */
export const breakerSamples = (gauges: GatewayGauges): readonly Sample[] => [
  ...ofAgents(gauges.agents()),
  ...gauges.routeBreakers().map(({ route, state }) => sample(`route:${route}`, state)),
  ...gauges
    .upstreams()
    .flatMap(({ name, targets }) =>
      targets.flatMap(({ address, breaker }) =>
        breaker === null ? [] : [sample(`upstream:${name}/${address}`, breaker)],
      ),
    ),
];
