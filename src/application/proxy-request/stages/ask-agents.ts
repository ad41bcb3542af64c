import { opensDialogue } from '../../../domain/agent-protocol/answer-rules.js';
import { applyAnswered } from '../../../domain/agent-protocol/lasting-answers.js';
import type { AgentAnswer } from '../../../domain/agent-protocol/messages.js';
import { verdictOf } from '../../../domain/agent-protocol/verdict.js';
import { contentCodings } from '../../../domain/http/content-codings.js';
import type { BodySizeLimit } from '../../../domain/limits/request-limits.js';
import type { Result } from '../../../domain/shared/result.js';
import type { RequestAudit } from '../../keep-audit/audit-trail.js';
import type { AgentOutcome } from '../../ports/agent-client.js';
import type { Clock } from '../../ports/clock.js';
import type { GatewayMetrics } from '../../ports/gateway-metrics.js';
import type { Logger } from '../../ports/logger.js';
import type { Soon } from '../../ports/soon.js';
import { answerBodyFailure } from '../answer-body-failure.js';
import type { ProblemAnswerer } from '../answer-problem.js';
import { answerViolation } from '../answer-violation.js';
import { answerWithDecision } from '../answer-with-decision.js';
import { applyFailureMode } from '../apply-failure-mode.js';
import { askAgent } from '../ask-agent.js';
import { requestDirection } from '../body-direction.js';
import type { Exchange } from '../exchange.js';
import {
  headersOfInspected,
  type InspectedBody,
  type InspectionFailure,
  type InspectionParts,
  inspectBody,
} from '../inspect-body.js';
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
  const askFrom = (exchange: Exchange, first: number): Soon<StageOutcome> => {
    for (let place = first; place < inOrder.length; place += 1) {
      const outcome = askOne(exchange, inOrder[place] as AskedAgent, dependencies);
      if (outcome instanceof Promise) {
        return outcome.then((late) => (late === 'ended' ? late : askFrom(exchange, place + 1)));
      }
      if (outcome === 'ended') return outcome;
    }
    return 'continue';
  };
  return (exchange) => {
    exchange.asked = unasked;
    return askFrom(exchange, 0);
  };
};

/** Whether the agent decides once it has seen the body. */
const asksForBody = (outcome: AgentOutcome): boolean => outcome.ok && opensDialogue(outcome.value);

const askOne = (exchange: Exchange, agent: AskedAgent, dependencies: AskAgentsDependencies): Soon<StageOutcome> => {
  exchange.asked = agent.asked;
  const event = requestHeadersEvent(exchange, dependencies.clock.wallMs());
  const asked = askAgent(agent, event, dependencies.inspection.clock, exchange.trace);
  if (asked instanceof Promise || asksForBody(asked)) return waitForAgent(exchange, agent, asked, dependencies);
  return takeOutcome(exchange, agent, asked, dependencies);
};

/** The request is held meanwhile: no octet of it goes on before the agent has decided. */
const waitForAgent = (
  exchange: Exchange,
  agent: AskedAgent,
  asked: Soon<AgentOutcome>,
  dependencies: AskAgentsDependencies,
): Soon<StageOutcome> => {
  exchange.waitFor(() => agent.client.cancel(exchange.id, 'client_disconnect'));
  exchange.request.body?.lookAhead(true);
  const { headers, forwardedBody: body, trace } = exchange;
  const decided = (outcome: AgentOutcome): Soon<StageOutcome> => {
    if (outcome.ok && opensDialogue(outcome.value)) {
      const inspection = {
        agent,
        correlationId: exchange.id,
        first: outcome.value,
        headers,
        body,
        isPart: false,
        trace,
      };
      return inspectBody({ ...inspection, direction: requestDirection }, dependencies.inspection).then(inspected);
    }
    endWait(exchange);
    return takeOutcome(exchange, agent, outcome, dependencies);
  };
  const inspected = (judgement: Result<InspectedBody, InspectionFailure>): StageOutcome => {
    endWait(exchange);
    if (exchange.abandoned) return 'ended';
    if (!judgement.ok) return takeFailure(exchange, agent, judgement.error, dependencies);
    exchange.headers = headersOfInspected(exchange.headers, judgement.value);
    exchange.forwardedBody = judgement.value.body;
    exchange.inflation = judgement.value.inflation ?? exchange.inflation;
    return takeAnswer(exchange, agent, judgement.value.answer, dependencies);
  };
  return asked instanceof Promise ? asked.then(decided) : decided(asked);
};

const endWait = (exchange: Exchange): void => {
  exchange.waitOver();
  exchange.request.body?.lookAhead(false);
};

const takeOutcome = (
  exchange: Exchange,
  agent: AskedAgent,
  outcome: AgentOutcome,
  dependencies: AskAgentsDependencies,
): StageOutcome => {
  if (exchange.abandoned) return 'ended';
  if (outcome.ok) return takeAnswer(exchange, agent, outcome.value, dependencies);
  const failure: InspectionFailure = { kind: 'agent', failure: outcome.error, body: exchange.forwardedBody };
  return takeFailure(exchange, agent, failure, dependencies);
};

const takeAnswer = (
  exchange: Exchange,
  { client }: AskedAgent,
  answer: AgentAnswer,
  { problems, audit: auditLog }: AskAgentsDependencies,
): StageOutcome => {
  const { responseHeaders, decision, audit } = answer;
  // INVARIANT: the id belongs to the gateway, and was set before: no operation of an agent touches it.
  const applied = applyAnswered(exchange.headers, answer);
  if (!applied.ok) {
    auditLog.undecided(exchange, client.name, 'malformed_answer', false);
    const detail = `The agent "${client.name}" gave no valid answer.`;
    return problems.answer(exchange, 'agent_unavailable', detail, { agent: client.name, reason: applied.error });
  }
  auditLog.judged(exchange, client.name, decision.kind, audit);
  if (responseHeaders.length > 0) exchange.responseOperations = [...exchange.responseOperations, ...responseHeaders];
  if (decision.kind !== 'allow') return answerWithDecision(exchange, decision, verdictOf(client.name, audit));
  exchange.headers = applied.value;
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
