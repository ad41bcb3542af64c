import type { RequestCompleteEvent } from '../../domain/agent-protocol/messages.js';
import type { Exchange } from './exchange.js';

/** How an exchange has ended, as the access log says it too. */
export interface ExchangeOutcome {
  readonly status: number;
  readonly durationMs: number;
}

/** Tells the agents that are subscribed to it of an exchange that is over. Nobody waits for what they answer. */
export const tellCompletion = (exchange: Exchange, outcome: ExchangeOutcome): void => {
  let event: RequestCompleteEvent | null = null;
  for (const { client, events } of exchange.asked) {
    if (!events.has('request_complete')) continue;
    event ??= requestCompleteEvent(exchange, outcome);
    void client.ask(event);
  }
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
  error: exchange.errorType,
});
