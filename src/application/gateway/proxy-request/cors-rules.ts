import { type CorsPolicy, CorsResponder } from '../../../domain/gateway/route-transforms/cors-policy.js';
import { correlationIdHeader } from '../../../domain/http/correlation-id.js';
import type { ResponseHeadRule, Stage, StageOf } from './exchange.js';
import { sendOwn } from './send-own.js';

/** How the gateway answers the preflights of a route. */
export interface PreflightAnswer {
  readonly responseRules: readonly ResponseHeadRule[];
  readonly stages: readonly Stage[];
}

/** The response rules of a route with CORS. */
interface CorsRules {
  readonly responseRules: readonly ResponseHeadRule[];
  /** Null: the gateway does not answer preflights. */
  readonly preflight: PreflightAnswer | null;
}

const noContent = 204;

/** The response rules decide about the CORS fields. */
const answerPreflight: StageOf<never> = (exchange) => {
  exchange.outcome.status = noContent;
  const fields = [...exchange.rateLimitFields, correlationIdHeader, exchange.correlationId];
  sendOwn(exchange, noContent, fields, null, exchange.close);
  return 'ended';
};

/**
 * Adds the CORS fields after the other rules of a route.
 *
 * @param policy null: the route has no `cors`
 * @param rate charges a preflight, which has no share in the limits of its route; null: no limit applies
 */
export const withCors = (
  policy: CorsPolicy | null,
  others: readonly ResponseHeadRule[],
  rate: Stage | null,
): CorsRules => {
  if (policy === null) return { responseRules: others, preflight: null };
  const responder = new CorsResponder(policy);
  return {
    responseRules: [
      ...others,
      (head, { request }, source) => responder.withFields(head, request.headers, source === 'upstream'),
    ],
    preflight: {
      responseRules: [...others, (head, { request }) => responder.withPreflightFields(head, request.headers)],
      stages: rate === null ? [answerPreflight] : [rate, answerPreflight],
    },
  };
};
