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
 * Sends the end of an exchange to the agents that subscribe to it, without waiting for their answers. Lets the clients
 * of all asked agents forget the exchange.
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
      void sendCompletion(exchange, agent, event, dependencies);
    }
    agent.client.conclude(exchange.id);
  }
};

const sendCompletion = async (
  exchange: CompletedExchange,
  agent: RouteAgent,
  event: RequestCompleteEvent,
  dependencies: CompletionDependencies,
): Promise<void> => {
  const outcome = await askAgent(agent, event, dependencies.clock, exchange.trace);
  if (!outcome.ok) noteAgentLimit(exchange, agent.client.name, outcome.error, dependencies);
};
