import { type BodySizeLimit, checkBodySize } from '../../../domain/gateway/limits/request-limits.js';
import type { GatewayMetrics } from '../../ports/gateway/gateway-metrics.js';
import type { ProblemAnswerer } from './answer-problem.js';
import { answerViolation } from './answer-violation.js';
import type { Exchange } from './exchange.js';
import type { StageOutcome } from './stage.js';

/** Answers a request whose body could not be read to its end. */
export const answerBodyFailure = (
  exchange: Exchange,
  maxBodySize: BodySizeLimit,
  problems: ProblemAnswerer,
  metrics: GatewayMetrics,
): StageOutcome => {
  const { body, inflation } = exchange;
  if (body?.failure === 'too_large') {
    const violation = checkBodySize(body.octets, maxBodySize);
    if (violation) return answerViolation(exchange, violation, problems, metrics);
  }
  if (inflation?.violation) return answerViolation(exchange, inflation.violation, problems, metrics);
  if (body?.failure === 'timed_out') {
    return problems.answer(exchange, 'request_timeout', 'The request body stopped coming, or came too slowly.');
  }
  return problems.answer(exchange, 'malformed_request', 'The request body ended early or is malformed.');
};
