import { type BodySizeLimit, checkBodySize } from '../../../../domain/gateway/limits/request-limits.js';
import type { GatewayMetrics } from '../../../ports/gateway/gateway-metrics.js';
import { answerViolation, type ProblemAnswerer } from '../answer-problem.js';
import type { StageOf } from '../exchange.js';
import { MeteredBody } from '../metered-body.js';

/** Refuses a body whose declared length exceeds the limit. Counts every other body while it is read. */
export const limitBody =
  (
    limit: BodySizeLimit,
    problems: ProblemAnswerer,
    metrics: GatewayMetrics,
  ): StageOf<'request', 'body' | 'forwarded'> =>
  (exchange) => {
    const { body } = exchange.request;
    if (body === null) return 'continue';
    const violation = body.declaredLength === null ? null : checkBodySize(body.declaredLength, limit);
    if (violation) return answerViolation(exchange, violation, problems, metrics);
    exchange.body = new MeteredBody(body, limit.octets);
    exchange.forwarded.body = exchange.body;
    return 'continue';
  };
