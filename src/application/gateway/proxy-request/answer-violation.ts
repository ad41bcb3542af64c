import type { LimitViolation } from '../../../domain/gateway/limits/limit-violation.js';
import type { GatewayMetrics } from '../../ports/gateway/gateway-metrics.js';
import type { ProblemAnswerer } from './answer-problem.js';
import type { Exchange } from './exchange.js';
import type { StageOutcome } from './stage.js';

/** Counts a violation; that of the target has no series of its own. */
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

/** Answers a violated limit, with the log line and the count that it calls for. */
export const answerViolation = (
  exchange: Exchange,
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
