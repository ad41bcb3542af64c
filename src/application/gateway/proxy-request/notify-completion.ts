import type { RequestCompleteEvent } from '../../../domain/agent-protocol/messages.js';
import type { Clock } from '../../ports/shared/clock.js';
import { type CountedExchange, type ExchangeOutcome, requestCompleteEvent } from './agent-events.js';
import { type AgentLimitReporters, noteAgentLimit } from './apply-failure-mode.js';
import type { ExchangeView } from './exchange.js';
import { askAgent, type RouteAgent } from './route-agent.js';

export interface CompletionServices extends AgentLimitReporters {
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
  services: CompletionServices,
): void => {
  let event: RequestCompleteEvent | null = null;
  for (const agent of exchange.agents.asked) {
    if (agent.events.has('request_complete')) {
      event ??= requestCompleteEvent(exchange, outcome);
      void sendCompletion(exchange, agent, event, services);
    }
    agent.client.conclude(exchange.id);
  }
};

const sendCompletion = async (
  exchange: CompletedExchange,
  agent: RouteAgent,
  event: RequestCompleteEvent,
  services: CompletionServices,
): Promise<void> => {
  const outcome = await askAgent(agent, event, services.clock, exchange.trace);
  if (!outcome.ok) noteAgentLimit(exchange, agent.client.name, outcome.error, services);
};
