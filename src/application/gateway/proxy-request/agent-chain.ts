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
import { answerBodyFailure } from './answer-body-failure.js';
import type { ProblemAnswerer } from './answer-problem.js';
import { answerViolation } from './answer-violation.js';
import { answerWithDecision } from './answer-with-decision.js';
import { answeredAgain, rememberAnswered } from './answered-again.js';
import { applyFailureMode } from './apply-failure-mode.js';
import { noteOutcome } from './ask-agent.js';
import { requestDirection } from './body-direction.js';
import type { Exchange } from './exchange.js';
import type { IdentityHeaderFilter } from './identity-header-filter.js';
import {
  headersOfInspected,
  type InspectedBody,
  type InspectionFailure,
  type InspectionParts,
  inspectBody,
} from './inspect-body.js';
import { requestHeadersEvent } from './request-headers-event.js';
import type { PartTrace } from './request-trace.js';
import type { RouteAgent } from './route-agent.js';
import { resumeStages, type StageOutcome } from './stage.js';

export interface AskAgentsDependencies {
  readonly clock: Clock;
  readonly logger: Logger;
  readonly problems: ProblemAnswerer;
  readonly metrics: GatewayMetrics;
  readonly audit: RequestAudit;
  readonly inspection: InspectionParts;
  readonly maxBodySize: BodySizeLimit;
  readonly identity: IdentityHeaderFilter;
}

/** An agent that is asked about requests. */
export interface AskedAgent extends RouteAgent {
  /** Who hears of the rest of the request once this one has been asked. */
  readonly asked: readonly RouteAgent[];
}

/** Asks agents in order, from one of them on; the first answer that is not allow ends the request. Gives no promise. */
export const askFrom = (
  agents: readonly AskedAgent[],
  first: number,
  exchange: Exchange,
  dependencies: AskAgentsDependencies,
): StageOutcome => {
  for (let place = first; place < agents.length; place += 1) {
    const outcome = new AgentChain(agents, place, exchange, dependencies).begin();
    if (outcome !== 'continue') return outcome;
  }
  return 'continue';
};

/** What goes with a coding that is not known (RFC 9110, section 15.5.16). */
const knownCodings = ['Accept-Encoding', [...contentCodings, 'identity'].join(', ')];

/** One agent that is asked about one request, which is held meanwhile: no octet of it goes on before the agent has decided. */
class AgentChain implements AgentCallListener {
  readonly #agents: readonly AskedAgent[];
  readonly #place: number;
  readonly #agent: AskedAgent;
  readonly #exchange: Exchange;
  readonly #dependencies: AskAgentsDependencies;
  readonly #startedMs: number;
  /** Null while tracing is off. */
  readonly #part: PartTrace | null;
  /** The call has been made, and nothing has come of it yet. What is said at any other time counts for nothing. */
  #isAwaited = false;

  constructor(agents: readonly AskedAgent[], place: number, exchange: Exchange, dependencies: AskAgentsDependencies) {
    this.#agents = agents;
    this.#place = place;
    this.#agent = agents[place] as AskedAgent;
    this.#exchange = exchange;
    this.#dependencies = dependencies;
    this.#startedMs = dependencies.inspection.clock.monotonicMs();
    this.#part = exchange.trace === null ? null : exchange.trace.agentCall(this.#agent.client.name, 'request_headers');
  }

  begin(): StageOutcome {
    const exchange = this.#exchange;
    const agent = this.#agent;
    exchange.asked = agent.asked;
    const outcome = agent.client.askFor(requestHeadersEvent(exchange, this.#dependencies.clock.wallMs()), this);
    if (outcome === null) {
      this.#hold();
      this.#isAwaited = true;
      return 'later';
    }
    this.#note(outcome);
    if (outcome.ok && opensDialogue(outcome.value)) {
      this.#hold();
      this.#inspect(outcome.value);
      return 'later';
    }
    return takeOutcome(exchange, agent, outcome, this.#dependencies);
  }

  answered(outcome: AgentOutcome): void {
    // A call that has failed as it was made may come to something yet: its request has had its answer.
    if (!this.#isAwaited) return;
    this.#isAwaited = false;
    const exchange = this.#exchange;
    try {
      this.#note(outcome);
      if (outcome.ok && opensDialogue(outcome.value)) this.#inspect(outcome.value);
      else {
        this.#endHold();
        this.#goOn(takeOutcome(exchange, this.#agent, outcome, this.#dependencies));
      }
    } catch (error) {
      exchange.fail(error);
    }
  }

  /** The client is gone. */
  cancel(): void {
    this.#agent.client.cancel(this.#exchange.id, 'client_disconnect');
  }

  #note(outcome: AgentOutcome): void {
    noteOutcome(outcome, this.#agent.metrics, this.#dependencies.inspection.clock, this.#startedMs, this.#part);
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

  /** The agent decides once it has seen the body. */
  #inspect(first: AgentAnswer): void {
    const exchange = this.#exchange;
    const { id: correlationId, headers, forwardedBody: body, trace } = exchange;
    const inspection = { agent: this.#agent, correlationId, first, headers, body, isPart: false, trace };
    inspectBody({ ...inspection, direction: requestDirection }, this.#dependencies.inspection)
      .then((judgement) => this.#inspected(judgement))
      .catch((error: unknown) => exchange.fail(error));
  }

  #inspected(judgement: Result<InspectedBody, InspectionFailure>): void {
    this.#endHold();
    this.#goOn(takeJudgement(this.#exchange, this.#agent, judgement, this.#dependencies));
  }

  /** It has come to something later: the next agent is asked, and then come the next stages. */
  #goOn(outcome: StageOutcome): void {
    const exchange = this.#exchange;
    const rest =
      outcome === 'continue' ? askFrom(this.#agents, this.#place + 1, exchange, this.#dependencies) : outcome;
    if (rest !== 'later') resumeStages(exchange, rest);
  }
}

const takeJudgement = (
  exchange: Exchange,
  agent: AskedAgent,
  judgement: Result<InspectedBody, InspectionFailure>,
  dependencies: AskAgentsDependencies,
): StageOutcome => {
  if (exchange.abandoned) return 'ended';
  dependencies.identity.removeNewlyDeclared(exchange);
  if (!judgement.ok) return takeFailure(exchange, agent, judgement.error, dependencies);
  exchange.headers = headersOfInspected(exchange.headers, judgement.value);
  exchange.forwardedBody = judgement.value.body;
  exchange.inflation = judgement.value.inflation ?? exchange.inflation;
  return takeAnswer(exchange, agent, judgement.value.answer, dependencies);
};

const takeOutcome = (
  exchange: Exchange,
  agent: AskedAgent,
  outcome: AgentOutcome,
  dependencies: AskAgentsDependencies,
): StageOutcome => {
  if (exchange.abandoned) return 'ended';
  dependencies.identity.removeNewlyDeclared(exchange);
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
  const again = answeredAgain(exchange, answer);
  if (again !== null) {
    auditLog.judged(exchange, client.name, decision, audit);
    exchange.alike = again;
    exchange.headers = again.fields;
    return 'continue';
  }
  // INVARIANT: the id belongs to the gateway, and was set before: no operation of an agent touches it.
  const applied = applyAnswered(exchange.headers, answer);
  if (!applied.ok) {
    auditLog.undecided(exchange, client.name, 'malformed_answer', false);
    const detail = `The agent "${client.name}" gave no valid answer.`;
    return problems.answer(exchange, 'agent_unavailable', detail, { agent: client.name, reason: applied.error });
  }
  auditLog.judged(exchange, client.name, decision, audit);
  if (responseHeaders.length > 0) exchange.responseOperations = [...exchange.responseOperations, ...responseHeaders];
  if (decision.kind !== 'allow') return answerWithDecision(exchange, decision, verdictOf(client.name, audit));
  rememberAnswered(exchange, answer, applied.value);
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
