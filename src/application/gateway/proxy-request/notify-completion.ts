import type { RequestCompleteEvent } from '../../../domain/agent-protocol/messages.js';
import type { Clock } from '../../ports/shared/clock.js';
import { askAgent } from './ask-agent.js';
import type { Exchange } from './exchange.js';
import { type AgentLimitDependencies, noteAgentLimit } from './note-agent-limit.js';
import type { RouteAgent } from './route-agent.js';

export interface CompletionDependencies extends AgentLimitDependencies {
  readonly clock: Clock;
}

/** How an exchange has ended, as the access log says it too. */
export interface ExchangeOutcome {
  readonly status: number;
  readonly durationMs: number;
}

/**
 * Tells the agents that are subscribed to it of an exchange that is over. Nobody waits for what they answer. The clients of
 * all that were asked may forget it.
 */
export const notifyCompletion = (
  exchange: Exchange,
  outcome: ExchangeOutcome,
  dependencies: CompletionDependencies,
): void => {
  let event: RequestCompleteEvent | null = null;
  for (const agent of exchange.asked) {
    if (agent.events.has('request_complete')) {
      event ??= requestCompleteEvent(exchange, outcome);
      void tellAgent(exchange, agent, event, dependencies);
    }
    agent.client.conclude(exchange.id);
  }
};

const tellAgent = async (
  exchange: Exchange,
  agent: RouteAgent,
  event: RequestCompleteEvent,
  dependencies: CompletionDependencies,
): Promise<void> => {
  const outcome = await askAgent(agent, event, dependencies.clock, exchange.trace);
  if (!outcome.ok) noteAgentLimit(exchange, agent.client.name, outcome.error, dependencies);
};

const requestCompleteEvent = (exchange: Exchange, { status, durationMs }: ExchangeOutcome): RequestCompleteEvent => ({
  kind: 'request_complete',
  correlationId: exchange.id,
  status,
  // The wire counts whole milliseconds, and its readers take nothing else.
  durationMs: Math.round(durationMs),
  requestBodySize: exchange.body?.octets ?? 0,
  responseBodySize: exchange.response.bytesSent(),
  upstreamAttempts: exchange.upstreamAttempts,
  upstream: exchange.upstreamAttempts === 0 ? null : (exchange.route?.configuration.upstream ?? null),
  error: exchange.errorType,
});
