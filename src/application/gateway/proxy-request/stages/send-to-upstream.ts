import type { BodySizeLimit } from '../../../../domain/gateway/limits/request-limits.js';
import type { GatewayMetrics } from '../../../ports/gateway/gateway-metrics.js';
import { uncountedPeriod } from '../../circuit-breakers/circuit-breaker-holder.js';
import type { ProblemAnswerer } from '../answer-problem.js';
import { UpstreamFailureAnswers } from '../answer-upstream-failure.js';
import type { Stage } from '../exchange.js';
import type { SendingRules } from '../sending-rules.js';
import { UpstreamForwarder } from '../upstream-forwarder.js';

export interface ForwardingOptions extends Omit<SendingRules, 'upstream' | 'counters' | 'answers'> {
  readonly metrics: GatewayMetrics;
  readonly problems: ProblemAnswerer;
  /** The limit for request bodies. */
  readonly maxBodySize: BodySizeLimit;
}

/** Forwards the request to a target of the upstream, retries it on other targets, and relays the response. */
export const sendToUpstream = (upstream: string, options: ForwardingOptions): Stage => {
  const { chooser, clock, scheduler, metrics, timeoutMs, retries, allowance, problems, routeBreaker } = options;
  const { readTimeoutMs, descriptors, heldResponseOctets, responseJudge } = options;
  const rules: SendingRules = {
    upstream,
    chooser,
    clock,
    scheduler,
    counters: metrics.upstream(upstream),
    timeoutMs,
    readTimeoutMs,
    descriptors,
    routeBreaker,
    retries,
    allowance,
    answers: new UpstreamFailureAnswers(upstream, options),
    heldResponseOctets,
    responseJudge,
  };
  return (exchange) => {
    const period = routeBreaker === null ? uncountedPeriod : routeBreaker.admit();
    if (period === null) {
      const seconds = String(Math.max(1, Math.ceil((routeBreaker?.openForMs ?? 0) / 1000)));
      const detail = 'The circuit breaker of the route is open.';
      return problems.answer(exchange, 'circuit_open', detail, { upstream }, ['Retry-After', seconds]);
    }
    UpstreamForwarder.begin(exchange, rules, period);
    return 'ended';
  };
};
