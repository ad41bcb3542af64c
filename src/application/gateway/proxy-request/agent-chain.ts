import { verdictOf } from '../../../domain/agent-protocol/agent-verdict.js';
import { opensDialogue } from '../../../domain/agent-protocol/answer-rules.js';
import { applyAnswered } from '../../../domain/agent-protocol/lasting-answers.js';
import type { AgentAnswer } from '../../../domain/agent-protocol/messages.js';
import type { BodySizeLimit } from '../../../domain/gateway/limits/request-limits.js';
import { contentCodings } from '../../../domain/http/content-codings.js';
import type { Result } from '../../../domain/shared/result.js';
import type { AgentCallListener, AgentOutcome } from '../../ports/gateway/agent-client.js';
import type { GatewayMetrics } from '../../ports/gateway/gateway-metrics.js';
import type { Clock } from '../../ports/shared/clock.js';
import type { Logger } from '../../ports/shared/logger.js';
import type { RequestAudit } from '../audit/audit-trail.js';
import type { PartTrace } from '../trace/request-tracing.js';
import { requestHeadersEvent } from './agent-events.js';
import { answerBodyFailure, answerViolation, type ProblemAnswerer } from './answer-problem.js';
import { answerWithDecision } from './answer-with-decision.js';
import { applyFailureMode } from './apply-failure-mode.js';
import { type Exchange, resumeStages, type StageExchange, type StageOutcome } from './exchange.js';
import {
  headersOfInspected,
  type InspectedBody,
  type InspectionEnvironment,
  type InspectionFailure,
  inspectBody,
  requestDirection,
} from './inspect-body.js';
import { noteOutcome, type RouteAgent } from './route-agent.js';
import type { IdentityHeaderFilter } from './stages/prepare-headers.js';

export interface AgentChainServices {
  readonly clock: Clock;
  readonly logger: Logger;
  readonly problems: ProblemAnswerer;
  readonly metrics: GatewayMetrics;
  readonly audit: RequestAudit;
  readonly inspection: InspectionEnvironment;
  readonly maxBodySize: BodySizeLimit;
  readonly identity: IdentityHeaderFilter;
}

/** An agent that is asked about request heads. */
export interface AskedAgent extends RouteAgent {
  /** The agents that get the later events of a request after this agent was asked. */
  readonly asked: readonly RouteAgent[];
}

/** Asks agents in order, from index `first`. The first answer other than allow ends the request. */
export const askFrom = (
  agents: readonly AskedAgent[],
  first: number,
  exchange: Exchange,
  services: AgentChainServices,
): StageOutcome => {
  for (let index = first; index < agents.length; index += 1) {
    const outcome = new AgentChain(agents, index, exchange, services).begin();
    if (outcome !== 'continue') return outcome;
  }
  return 'continue';
};

/** The parts of an exchange that an agent's answer reads and changes. */
type InspectedExchange = StageExchange<'body' | 'id' | 'target', 'agents' | 'forwarded'>;

/** The field that a response to an unknown content coding needs (RFC 9110, section 15.5.16). */
const knownCodings = ['Accept-Encoding', [...contentCodings, 'identity'].join(', ')];

/** Asks one agent about one request. Nothing of the request is forwarded before the agent decides. */
class AgentChain implements AgentCallListener {
  readonly #agents: readonly AskedAgent[];
  readonly #index: number;
  readonly #agent: AskedAgent;
  readonly #exchange: Exchange;
  readonly #services: AgentChainServices;
  readonly #startedMs: number;
  /** Null while tracing is off. */
  readonly #part: PartTrace | null;
  /** The call waits for its outcome. `answered` ignores outcomes at other times. */
  #isPending = false;

  constructor(agents: readonly AskedAgent[], index: number, exchange: Exchange, services: AgentChainServices) {
    this.#agents = agents;
    this.#index = index;
    this.#agent = agents[index] as AskedAgent;
    this.#exchange = exchange;
    this.#services = services;
    this.#startedMs = services.inspection.clock.monotonicMs();
    this.#part = exchange.trace === null ? null : exchange.trace.agentCall(this.#agent.client.name, 'request_headers');
  }

  begin(): StageOutcome {
    const exchange = this.#exchange;
    const agent = this.#agent;
    exchange.agents.asked = agent.asked;
    const outcome = agent.client.askFor(requestHeadersEvent(exchange, this.#services.clock.wallMs()), this);
    if (outcome === null) {
      this.#hold();
      this.#isPending = true;
      return 'later';
    }
    this.#recordOutcome(outcome);
    if (outcome.ok && opensDialogue(outcome.value)) {
      this.#hold();
      this.#inspect(outcome.value);
      return 'later';
    }
    return takeOutcome(exchange, agent, outcome, this.#services);
  }

  answered(outcome: AgentOutcome): void {
    // A call that failed at once may report another outcome later. Its request has its answer already.
    if (!this.#isPending) return;
    this.#isPending = false;
    const exchange = this.#exchange;
    try {
      this.#recordOutcome(outcome);
      if (outcome.ok && opensDialogue(outcome.value)) this.#inspect(outcome.value);
      else {
        this.#endHold();
        this.#proceed(takeOutcome(exchange, this.#agent, outcome, this.#services));
      }
    } catch (error) {
      exchange.fail(error);
    }
  }

  /** The client is gone. */
  cancel(): void {
    this.#agent.client.cancel(this.#exchange.id, 'client_disconnect');
  }

  #recordOutcome(outcome: AgentOutcome): void {
    noteOutcome(outcome, this.#agent.metrics, this.#services.inspection.clock, this.#startedMs, this.#part);
  }

  #hold(): void {
    const exchange = this.#exchange;
    exchange.waitForUpstream(this);
    exchange.request.body?.lookAhead(true);
  }

  #endHold(): void {
    const exchange = this.#exchange;
    exchange.waitOver();
    exchange.request.body?.lookAhead(false);
  }

  /** Sends the body to an agent that asks for it before it decides. */
  #inspect(first: AgentAnswer): void {
    const exchange = this.#exchange;
    const { id: correlationId, trace } = exchange;
    const { headers, body } = exchange.forwarded;
    const inspection = { agent: this.#agent, correlationId, first, headers, body, isPart: false, trace };
    inspectBody({ ...inspection, direction: requestDirection }, this.#services.inspection)
      .then((inspected) => this.#inspected(inspected))
      .catch((error: unknown) => exchange.fail(error));
  }

  #inspected(inspected: Result<InspectedBody, InspectionFailure>): void {
    this.#endHold();
    this.#proceed(takeInspection(this.#exchange, this.#agent, inspected, this.#services));
  }

  /** Asks the next agents, then resumes the stages. */
  #proceed(outcome: StageOutcome): void {
    const exchange = this.#exchange;
    const rest = outcome === 'continue' ? askFrom(this.#agents, this.#index + 1, exchange, this.#services) : outcome;
    if (rest !== 'later') resumeStages(exchange, rest);
  }
}

const takeInspection = (
  exchange: InspectedExchange,
  agent: AskedAgent,
  inspected: Result<InspectedBody, InspectionFailure>,
  services: AgentChainServices,
): StageOutcome => {
  if (exchange.abandoned) return 'ended';
  services.identity.removeNewlyDeclared(exchange);
  if (!inspected.ok) return takeFailure(exchange, agent, inspected.error, services);
  exchange.forwarded.headers = headersOfInspected(exchange.forwarded.headers, inspected.value);
  exchange.forwarded.body = inspected.value.body;
  exchange.forwarded.inflation = inspected.value.inflation ?? exchange.forwarded.inflation;
  return takeAnswer(exchange, agent, inspected.value.answer, services);
};

const takeOutcome = (
  exchange: InspectedExchange,
  agent: AskedAgent,
  outcome: AgentOutcome,
  services: AgentChainServices,
): StageOutcome => {
  if (exchange.abandoned) return 'ended';
  services.identity.removeNewlyDeclared(exchange);
  if (outcome.ok) return takeAnswer(exchange, agent, outcome.value, services);
  const failure: InspectionFailure = { kind: 'agent', failure: outcome.error, body: exchange.forwarded.body };
  return takeFailure(exchange, agent, failure, services);
};

const takeAnswer = (
  exchange: InspectedExchange,
  { client }: AskedAgent,
  answer: AgentAnswer,
  { problems, audit: auditLog }: AgentChainServices,
): StageOutcome => {
  const { responseHeaders, decision, audit } = answer;
  // INVARIANT: the gateway has already set its correlation id, and no operation of an agent can change it.
  const applied = applyAnswered(exchange.forwarded.headers, answer);
  if (!applied.ok) {
    auditLog.undecided(exchange, client.name, 'malformed_answer', false);
    const detail = `The agent "${client.name}" sent an invalid answer.`;
    return problems.answer(exchange, 'agent_unavailable', detail, { agent: client.name, reason: applied.error });
  }
  auditLog.decided(exchange, client.name, decision, audit);
  if (responseHeaders.length > 0)
    exchange.agents.responseOperations = [...exchange.agents.responseOperations, ...responseHeaders];
  if (decision.kind !== 'allow') return answerWithDecision(exchange, decision, verdictOf(client.name, audit));
  exchange.forwarded.headers = applied.value;
  return 'continue';
};

const takeFailure = (
  exchange: InspectedExchange,
  agent: AskedAgent,
  failure: InspectionFailure,
  services: AgentChainServices,
): StageOutcome => {
  const { problems, metrics, maxBodySize } = services;
  switch (failure.kind) {
    case 'agent': {
      const outcome = applyFailureMode(exchange, agent, failure.failure, 'request', services);
      if (outcome === 'continue') exchange.forwarded.body = failure.body;
      return outcome;
    }
    case 'too_large':
      return answerViolation(exchange, failure.violation, problems, metrics);
    case 'unreadable':
      return answerBodyFailure(exchange, maxBodySize, problems, metrics);
    case 'malformed_encoding': {
      const detail = 'The request body does not match its Content-Encoding.';
      return problems.answer(exchange, 'malformed_request', detail, { cause: failure.detail });
    }
    case 'unsupported_encoding': {
      const detail = 'The gateway does not support the Content-Encoding of the request.';
      return problems.answer(exchange, 'unsupported_content_encoding', detail, {}, knownCodings);
    }
  }
};
