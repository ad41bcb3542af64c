import { errorPage, errorPagePolicy } from '../../../domain/gateway/error-pages/error-page.js';
import type { LimitViolation } from '../../../domain/gateway/limits/limit-violation.js';
import { type BodySizeLimit, checkBodySize } from '../../../domain/gateway/limits/request-limits.js';
import { correlationIdHeader } from '../../../domain/http/correlation-id.js';
import { type GatewayProblemCode, gatewayProblems, problemBody } from '../../../domain/http/gateway-problem.js';
import { grpcCodeOf, grpcErrorHeaders, isGrpcCall } from '../../../domain/http/grpc-error.js';
import { type HeaderList, withHeader, withoutHeader } from '../../../domain/http/header-list.js';
import { prefersHtml } from '../../../domain/http/media-preference.js';
import { withVary } from '../../../domain/http/vary-field.js';
import type { GatewayMetrics } from '../../ports/gateway/gateway-metrics.js';
import type { LogFields, Logger } from '../../ports/shared/logger.js';
import type { AnswerableExchange, StageExchange, StageOutcome } from './exchange.js';
import { sendOwn } from './send-own.js';

const problemType = 'application/problem+json';

/** The header fields of every problem. */
export const problemHeaders = (code: GatewayProblemCode, correlationId: string): string[] => {
  const { retryAfterSeconds } = gatewayProblems[code];
  const headers = ['Content-Type', problemType, 'Cache-Control', 'no-store', correlationIdHeader, correlationId];
  if (retryAfterSeconds !== null) headers.push('Retry-After', String(retryAfterSeconds));
  return headers;
};

/** Answers exchanges that the gateway refuses, and logs each one. */
export class ProblemAnswerer {
  readonly #logger: Logger;

  constructor(logger: Logger) {
    this.#logger = logger;
  }

  /**
   * Sends a problem document with `detail` and logs it with `fields`. After the response head is sent, it aborts the
   * response instead, so that the client does not take a truncated response for a complete one.
   */
  answer(
    exchange: AnswerableExchange,
    code: GatewayProblemCode,
    detail: string,
    fields: LogFields = {},
    extraHeaders: HeaderList = [],
  ): StageOutcome {
    exchange.outcome.errorType = code;
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
    exchange.outcome.status = status;
    const headers = [...problemHeaders(code, exchange.correlationId), ...exchange.rateLimitFields, ...extraHeaders];
    // In HTTP/2 only the stream ends, not the connection.
    const ends = closes && exchange.request.httpVersion !== '2.0';
    sendError(exchange, {
      headers,
      body: problemBody(code, detail, exchange.correlationId),
      message: detail,
      title,
      close: ends || exchange.close,
    });
    return 'ended';
  }
}

/** Answers a violated limit, logs it and counts it. */
export const answerViolation = (
  exchange: AnswerableExchange,
  violation: LimitViolation,
  problems: ProblemAnswerer,
  metrics: GatewayMetrics,
): StageOutcome => {
  count(violation, metrics);
  return problems.answer(exchange, violation.code, `${violation.name} is ${violation.limit}.`, {
    limit: violation.limit,
    limit_name: violation.name,
    actual: violation.actual,
  });
};

/** Counts a violation. A target that is too long counts as header size. */
const count = ({ code, name }: LimitViolation, metrics: GatewayMetrics): void => {
  switch (code) {
    case 'header_too_large':
    case 'target_too_long':
      metrics.limitExceeded('header_size');
      return;
    case 'body_too_large':
      metrics.limitExceeded('body_size');
      return;
    case 'connection_limit_reached':
      metrics.connectionLimitReached(name);
      return;
    case 'request_limit_reached':
    case 'memory_limit_reached':
      metrics.requestLimitReached(name);
      return;
  }
};

/** An exchange with the request body that is read. */
type UploadingExchange = StageExchange<'body' | 'forwarded'>;

/** Answers a request after its body failed or exceeded a limit. */
export const answerBodyFailure = (
  exchange: UploadingExchange,
  maxBodySize: BodySizeLimit,
  problems: ProblemAnswerer,
  metrics: GatewayMetrics,
): StageOutcome => {
  const { body } = exchange;
  const { inflation } = exchange.forwarded;
  if (body?.failure === 'too_large') {
    const violation = checkBodySize(body.octets, maxBodySize);
    if (violation) return answerViolation(exchange, violation, problems, metrics);
  }
  if (inflation?.violation) return answerViolation(exchange, inflation.violation, problems, metrics);
  if (body?.failure === 'timed_out') {
    return problems.answer(exchange, 'request_timeout', 'The request body arrived too slowly or stopped arriving.');
  }
  return problems.answer(exchange, 'malformed_request', 'The request body ended early or is malformed.');
};

/** An error for the client. `exchange.outcome` holds its status. */
interface ClientError {
  readonly headers: HeaderList;
  readonly body: string | null;
  /** Of a problem document; null: an agent made a body of another kind, which the client gets as it is. */
  readonly title: string | null;
  /** The cause: the detail of a problem document; gRPC clients get it in place of the body. */
  readonly message: string;
  /** The connection closes after the response. */
  readonly close: boolean;
}

/** The head of a page in place of a problem document. */
const pageHead = (headers: HeaderList): HeaderList => [
  'Content-Type',
  'text/html; charset=utf-8',
  'Content-Security-Policy',
  errorPagePolicy,
  ...withoutHeader(withoutHeader(headers, 'content-type'), 'content-security-policy'),
];

/**
 * Sends an error. A client whose Accept prefers HTML gets a page in place of a problem document. A gRPC call gets its
 * status and message in the head of a 200 response.
 */
export const sendError = (
  exchange: AnswerableExchange,
  { headers, body, title, message, close }: ClientError,
): void => {
  const { status } = exchange.outcome;
  if (!isGrpcCall(exchange.request.headers)) {
    if (title === null) {
      sendOwn(exchange, status, headers, body, close);
      return;
    }
    const head = withVary(withHeader(headers, 'Cache-Control', 'no-store'), 'Accept');
    if (!prefersHtml(exchange.request.headers)) {
      sendOwn(exchange, status, head, body, close);
      return;
    }
    const { correlationId, errorPage: template } = exchange;
    const page = errorPage(template, { status, title, detail: message, correlationId });
    sendOwn(exchange, status, pageHead(head), page, close);
    return;
  }
  exchange.outcome.grpcStatus = grpcCodeOf(status);
  sendOwn(exchange, 200, grpcErrorHeaders(status, message, headers), null, close);
};
