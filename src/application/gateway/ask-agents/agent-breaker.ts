import { isBodyChunk } from '../../../domain/agent-protocol/answer-rules.js';
import type { AgentFailureCode } from '../../../domain/agent-protocol/failure-rules.js';
import type { AgentEvent } from '../../../domain/agent-protocol/messages.js';
import type { AttemptOutcome, CircuitBreakerRules } from '../../../domain/gateway/circuit-breaking/circuit-breaker.js';
import type { AgentOutcome } from '../../ports/gateway/agent-client.js';
import type { Clock } from '../../ports/shared/clock.js';
import type { Logger } from '../../ports/shared/logger.js';
import { CircuitBreakerHolder, uncountedPeriod } from '../circuit-breakers/circuit-breaker-holder.js';

/** The failures that count against an agent. The gateway causes the others, or they prove nothing. */
const isAgentsFault: Readonly<Record<AgentFailureCode, boolean>> = {
  unreachable: true,
  disconnected: true,
  timed_out: true,
  malformed_answer: true,
  refused: true,
  unhealthy: true,
  response_too_large: true,
  cancelled: false,
  queue_full: false,
  unsupported_event: false,
  circuit_open: false,
};

/** The circuit breaker of an agent; without rules it is disabled. It logs each change of state. */
export const agentBreaker = (
  agent: string,
  rules: CircuitBreakerRules | null,
  clock: Clock,
  logger: Logger,
): CircuitBreakerHolder =>
  new CircuitBreakerHolder(rules, clock, (state, cause) => {
    switch (state) {
      case 'open':
        logger.warn('Agent circuit breaker open', { agent, last_failure: cause, open_ms: rules?.openMs ?? null });
        return;
      case 'half_open':
        logger.info('Agent circuit breaker half-open', { agent });
        return;
      case 'closed':
        logger.info('Agent circuit breaker closed', { agent });
    }
  });

/**
 * The period in which a call counts; null: the breaker refuses it. A body chunk is always sent and never a probe,
 * because the head was admitted and the gateway holds the message. The end of a request is always sent too, because the
 * agent may keep state until then.
 */
export const admitCall = (breaker: CircuitBreakerHolder, event: AgentEvent): number | null => {
  if (event.kind === 'request_complete') return uncountedPeriod;
  if (breaker.isClosed) return breaker.period;
  return isBodyChunk(event) ? uncountedPeriod : breaker.admit();
};

/** Reports the outcome of an admitted call to the breaker. Call it once per call. */
export const noteCall = (breaker: CircuitBreakerHolder, period: number, outcome: AgentOutcome): void => {
  if (outcome.ok) breaker.ended(period, 'success');
  else breaker.ended(period, outcomeOf(outcome.error.code), outcome.error.code);
};

const outcomeOf = (code: AgentFailureCode): AttemptOutcome => (isAgentsFault[code] ? 'failure' : 'neither');
