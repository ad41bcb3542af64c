import { applyAnswered } from '../../../domain/agent-protocol/lasting-answers.js';
import { verdictOf } from '../../../domain/agent-protocol/verdict.js';
import { contentCodings } from '../../../domain/http/content-codings.js';
import { correlationIdHeader } from '../../../domain/http/correlation-id.js';
import { withHeader } from '../../../domain/http/with-header.js';
import type { BodySizeLimit } from '../../../domain/limits/request-limits.js';
import type { RequestAudit } from '../../keep-audit/audit-trail.js';
import type { Clock } from '../../ports/clock.js';
import type { GatewayMetrics } from '../../ports/gateway-metrics.js';
import type { Logger } from '../../ports/logger.js';
import { type Soon, whenThere } from '../../ports/soon.js';
import { answerBodyFailure } from '../answer-body-failure.js';
import type { ProblemAnswerer } from '../answer-problem.js';
import { answerViolation } from '../answer-violation.js';
import { answerWithDecision } from '../answer-with-decision.js';
import { applyFailureMode } from '../apply-failure-mode.js';
import type { Exchange } from '../exchange.js';
import {
  headersOfInspected,
  type InspectedBody,
  type InspectionFailure,
  type InspectionParts,
} from '../inspect-body.js';
import { judgeWithAgent } from '../judge-with-agent.js';
import { requestHeadersEvent } from '../request-headers-event.js';
import type { RouteAgent } from '../route-agent.js';
import type { Stage, StageOutcome } from '../stage.js';

export interface AskAgentsDependencies {
  readonly clock: Clock;
  readonly logger: Logger;
  readonly problems: ProblemAnswerer;
  readonly metrics: GatewayMetrics;
  readonly audit: RequestAudit;
  readonly inspection: InspectionParts;
  readonly maxBodySize: BodySizeLimit;
}

/** An agent that is asked about requests. */
interface AskedAgent extends RouteAgent {
  /** Who hears of the rest of the request once this one has been asked. */
  readonly asked: readonly RouteAgent[];
}

/** What goes with a coding that is not known (RFC 9110, section 15.5.16). */
const knownCodings = ['Accept-Encoding', [...contentCodings, 'identity'].join(', ')];

/** Asks the agents of the route in order; the first answer that is not allow ends the request. */
export const askAgents = (agents: readonly RouteAgent[], dependencies: AskAgentsDependencies): Stage => {
  const isAsked = ({ events }: RouteAgent): boolean => events.has('request_headers');
  const unasked = agents.filter((agent) => !isAsked(agent));
  const inOrder = agents.flatMap((agent, place): AskedAgent[] => {
    if (!isAsked(agent)) return [];
    const asked = agents.filter((other, index) => index <= place || !isAsked(other));
    return [{ ...agent, asked }];
  });
  const askFrom = (exchange: Exchange, place: number): Soon<StageOutcome> => {
    const agent = inOrder[place];
    if (agent === undefined) return 'continue';
    return whenThere(askOne(exchange, agent, dependencies), (outcome) =>
      outcome === 'ended' ? outcome : askFrom(exchange, place + 1),
    );
  };
  return (exchange) => {
    exchange.asked = unasked;
    return askFrom(exchange, 0);
  };
};

const askOne = (exchange: Exchange, agent: AskedAgent, dependencies: AskAgentsDependencies): Soon<StageOutcome> => {
  const { client } = agent;
  const { clock, inspection } = dependencies;
  exchange.asked = agent.asked;
  exchange.waitFor(() => client.cancel(exchange.id, 'client_disconnect'));
  exchange.request.body?.lookAhead(true);
  const event = requestHeadersEvent(exchange, clock.wallMs());
  const { headers, forwardedBody: body, trace } = exchange;
  return whenThere(judgeWithAgent(agent, { event, headers, body, trace }, inspection), (judgement) => {
    exchange.waitOver();
    exchange.request.body?.lookAhead(false);
    if (exchange.abandoned) return 'ended';
    if (!judgement.ok) return takeFailure(exchange, agent, judgement.error, dependencies);
    return takeJudgement(exchange, agent, judgement.value, dependencies);
  });
};

const takeJudgement = (
  exchange: Exchange,
  { client }: AskedAgent,
  inspected: InspectedBody,
  { problems, audit: auditLog }: AskAgentsDependencies,
): StageOutcome => {
  const { responseHeaders, requestHeaders, decision, audit } = inspected.answer;
  const applied = applyAnswered(headersOfInspected(exchange.headers, inspected), requestHeaders);
  if (!applied.ok) {
    auditLog.undecided(exchange, client.name, 'malformed_answer', false);
    const detail = `The agent "${client.name}" gave no valid answer.`;
    return problems.answer(exchange, 'agent_unavailable', detail, { agent: client.name, reason: applied.error });
  }
  auditLog.judged(exchange, client.name, decision.kind, audit);
  exchange.forwardedBody = inspected.body;
  exchange.inflation = inspected.inflation ?? exchange.inflation;
  if (responseHeaders.length > 0) exchange.responseOperations = [...exchange.responseOperations, ...responseHeaders];
  if (decision.kind !== 'allow') return answerWithDecision(exchange, decision, verdictOf(client.name, audit));
  // The id belongs to the gateway: no agent may make two requests look like one.
  exchange.headers = withHeader(applied.value, correlationIdHeader, exchange.correlationId);
  return 'continue';
};

const takeFailure = (
  exchange: Exchange,
  agent: AskedAgent,
  failure: InspectionFailure,
  dependencies: AskAgentsDependencies,
): StageOutcome => {
  const { problems, metrics, maxBodySize } = dependencies;
  switch (failure.kind) {
    case 'agent': {
      const outcome = applyFailureMode(exchange, agent, failure.failure, 'request', dependencies);
      if (outcome === 'continue') exchange.forwardedBody = failure.body;
      return outcome;
    }
    case 'too_large':
      return answerViolation(exchange, failure.violation, problems, metrics);
    case 'unreadable':
      return answerBodyFailure(exchange, maxBodySize, problems, metrics);
    case 'malformed_encoding': {
      const detail = 'The request body is not what its Content-Encoding says.';
      return problems.answer(exchange, 'malformed_request', detail, { cause: failure.detail });
    }
    case 'unsupported_encoding': {
      const detail = 'The request has a Content-Encoding that the gateway cannot read.';
      return problems.answer(exchange, 'unsupported_content_encoding', detail, {}, knownCodings);
    }
  }
};
