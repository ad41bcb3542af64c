import type { LimitViolation } from '../../domain/limits/limit-violation.js';
import type { GatewayMetrics } from '../ports/gateway-metrics.js';
import type { ProblemAnswerer } from './answer-problem.js';
import type { Exchange } from './exchange.js';
import type { StageOutcome } from './stage.js';

/** What a limit's violation is called in the metrics; the target's has no series of its own. */
const metricOf = {
  header_too_large: 'header_size',
  body_too_large: 'body_size',
  target_too_long: 'header_size',
} as const;

/** Answers a violated limit, with the log line and the count that it calls for. */
export const answerViolation = (
  exchange: Exchange,
  violation: LimitViolation,
  problems: ProblemAnswerer,
  metrics: GatewayMetrics,
): StageOutcome => {
  metrics.limitExceeded(metricOf[violation.code]);
  return problems.answer(exchange, violation.code, `${violation.name} is ${violation.limit}.`, {
    limit: violation.limit,
    limit_name: violation.name,
    actual: violation.actual,
  });
};
