import type { AgentHealth } from '../../../../domain/agent-protocol/health.js';
import type { AgentStatus } from '../../../ports/gateway/agent-client.js';
import { firstOf, mergedBy, sumOf, worstBreaker, worstOf } from './merged.js';

type Agents = readonly [AgentStatus, ...AgentStatus[]];

const bestToWorst: readonly AgentStatus['state'][] = ['healthy', 'degraded', 'draining', 'unhealthy', 'unreachable'];

const statesOf = ([first, ...others]: Agents): readonly [AgentStatus['state'], ...AgentStatus['state'][]] => [
  first.state,
  ...others.map(({ state }) => state),
];

/** The latest report. */
const latest = (reports: readonly (AgentHealth | null)[]): AgentHealth | null =>
  reports.reduce((last, report) => {
    if (last === null || report === null) return last ?? report;
    return report.timestampMs > last.timestampMs ? report : last;
  }, null);

const mergeOne = (agents: Agents): AgentStatus => ({
  name: agents[0].name,
  state: worstOf(bestToWorst, statesOf(agents)),
  connections: sumOf(agents, ({ connections }) => connections),
  inFlight: sumOf(agents, ({ inFlight }) => inFlight),
  queueDepth: sumOf(agents, ({ queueDepth }) => queueDepth),
  health: latest(agents.map(({ health }) => health)),
  breaker: worstBreaker(agents.map(({ breaker }) => breaker)),
  ...(agents.some(({ isStarting }) => isStarting) ? { isStarting: true as const } : {}),
  refusal: firstOf(agents.map(({ refusal }) => refusal)),
  unsupportedEvents: [...new Set(agents.flatMap(({ unsupportedEvents }) => unsupportedEvents))],
});

/**
 * Merges the agents by name, with the worst state of all workers, because requests fail there. Connections and calls
 * are summed; the latest report counts.
 */
export const mergeAgents = (ofWorkers: readonly (readonly AgentStatus[])[]): readonly AgentStatus[] =>
  mergedBy(ofWorkers.flat(), ({ name }) => name, mergeOne);
