import type { AgentEvent } from '../../domain/agent-protocol/messages.js';
import type { AgentOutcome } from '../ports/agent-client.js';
import type { Clock } from '../ports/clock.js';
import type { RouteAgent } from './route-agent.js';

/** Asks an agent of a route about one event. How long it takes to answer is counted for each event by itself. */
export const askAgent = async (
  { client, metrics }: RouteAgent,
  event: AgentEvent,
  clock: Clock,
): Promise<AgentOutcome> => {
  const startedMs = clock.monotonicMs();
  const outcome = await client.ask(event);
  if (outcome.ok) metrics.answered((clock.monotonicMs() - startedMs) / 1000);
  return outcome;
};
