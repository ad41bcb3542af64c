import type { RequestCompleteEvent } from '../../../domain/agent-protocol/messages.js';
import type { Clock } from '../../ports/shared/clock.js';
import { type CountedExchange, type ExchangeOutcome, requestCompleteEvent } from './agent-events.js';
import { type AgentLimitDependencies, noteAgentLimit } from './apply-failure-mode.js';
import type { ExchangeView } from './exchange.js';
import { askAgent, type RouteAgent } from './route-agent.js';

export interface CompletionDependencies extends AgentLimitDependencies {
  readonly clock: Clock;
}

type CompletedExchange = CountedExchange & ExchangeView<'agents' | 'client' | 'correlationId' | 'trace' | 'traceId'>;

/**
 * Tells the agents that are subscribed to it of an exchange that is over. Nobody waits for what they answer. The
 * clients of all that were asked may forget it.
 */
export const notifyCompletion = (
  exchange: CompletedExchange,
  outcome: ExchangeOutcome,
  dependencies: CompletionDependencies,
): void => {
  let event: RequestCompleteEvent | null = null;
  for (const agent of exchange.agents.asked) {
    if (agent.events.has('request_complete')) {
      event ??= requestCompleteEvent(exchange, outcome);
      void tellAgent(exchange, agent, event, dependencies);
    }
    agent.client.conclude(exchange.id);
  }
};

const tellAgent = async (
  exchange: CompletedExchange,
  agent: RouteAgent,
  event: RequestCompleteEvent,
  dependencies: CompletionDependencies,
): Promise<void> => {
  const outcome = await askAgent(agent, event, dependencies.clock, exchange.trace);
  if (!outcome.ok) noteAgentLimit(exchange, agent.client.name, outcome.error, dependencies);
};
