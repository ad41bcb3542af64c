import { correlationIdHeader } from '../../../domain/http/correlation-id.js';
import { type GatewayProblemCode, gatewayProblems, problemBody } from '../../../domain/http/gateway-problem.js';
import type { HeaderList } from '../../../domain/http/header-list.js';
import type { LogFields, Logger } from '../../ports/shared/logger.js';
import type { Exchange } from './exchange.js';
import { sendError } from './send-error.js';
import type { StageOutcome } from './stage.js';

/** Header fields that every problem has. */
export const problemHeaders = (code: GatewayProblemCode, correlationId: string): string[] => {
  const { retryAfterSeconds } = gatewayProblems[code];
  const headers = [
    'Content-Type',
    'application/problem+json',
    'Cache-Control',
    'no-store',
    correlationIdHeader,
    correlationId,
  ];
  if (retryAfterSeconds !== null) headers.push('Retry-After', String(retryAfterSeconds));
  return headers;
};

/** Answers exchanges that the gateway itself has to refuse, and says so in the log. */
export class ProblemAnswerer {
  readonly #logger: Logger;

  constructor(logger: Logger) {
    this.#logger = logger;
  }

  /**
   * `detail` is for the client; `fields` for the log alone. Where the head is on its way already, the connection is cut
   * instead: the client must not take what it got for the whole.
   */
  answer(
    exchange: Exchange,
    code: GatewayProblemCode,
    detail: string,
    fields: LogFields = {},
    extraHeaders: HeaderList = [],
  ): StageOutcome {
    exchange.errorType = code;
    const { status, level, closes, title } = gatewayProblems[code];
    this.#logger[level](title, {
      error_type: code,
      detail,
      correlation_id: exchange.correlationId,
      trace_id: exchange.traceId,
      client_ip: exchange.client.address,
      route: exchange.route?.configuration.id ?? null,
      ...fields,
    });
    if (exchange.abandoned) return 'ended';
    if (exchange.response.headSent) {
      exchange.response.abort();
      return 'ended';
    }
    exchange.status = status;
    const headers = [...problemHeaders(code, exchange.correlationId), ...exchange.rateLimitFields, ...extraHeaders];
    // A stream of HTTP/2 ends alone: what is wrong with one says nothing of the others of its connection.
    const ends = closes && exchange.request.httpVersion !== '2.0';
    sendError(exchange, {
      headers,
      body: problemBody(code, detail, exchange.correlationId),
      message: detail,
      close: ends || exchange.close,
    });
    return 'ended';
  }
}
