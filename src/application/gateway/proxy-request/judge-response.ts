import { verdictOf } from '../../../domain/agent-protocol/agent-verdict.js';
import { opensDialogue } from '../../../domain/agent-protocol/answer-rules.js';
import { lowerNames } from '../../../domain/http/header-list.js';
import { err, ok, type Result } from '../../../domain/shared/result.js';
import type { UpstreamResponse } from '../../ports/gateway/upstream-client.js';
import type { RequestAudit } from '../audit/audit-trail.js';
import { answerWithDecision } from './answer-with-decision.js';
import { applyFailureMode, type FailureModeDependencies } from './apply-failure-mode.js';
import { brokenResponse, type ResponseFault, uninspectable, unreadableContent } from './attempt-end.js';
import type { StageExchange } from './exchange.js';
import {
  headersOfInspected,
  type InspectedBody,
  type InspectionFailure,
  type InspectionParts,
  inspectBody,
  responseDirection,
} from './inspect-body.js';
import { MeteredBody } from './metered-body.js';
import { relayedHead, withBody } from './relay-response.js';
import { askAgent, type RouteAgent } from './route-agent.js';

export interface ResponseJudgeDependencies extends FailureModeDependencies {
  readonly inspection: InspectionParts;
}

/**
 * What becomes of a response. `ended`: it does not go on; the client has its answer, or is gone, or (with a fault)
 * has to be told why.
 */
export type JudgedResponse =
  | { readonly kind: 'relay'; readonly response: UpstreamResponse }
  | { readonly kind: 'ended'; readonly fault: ResponseFault | null };

/** An exchange as agents judge its response. */
export type JudgedExchange = StageExchange<'id' | 'target' | 'targetFields' | 'trace' | 'waitFor', 'agents'>;

const ended: JudgedResponse = { kind: 'ended', fault: null };

/** A status whose body is a part of something (RFC 9110, section 15.3.7). */
const partialContent = 206;

/** Asks the agents of a route what they think of its upstream's response. It is held meanwhile, head and body. */
export class ResponseJudge {
  readonly #agents: readonly RouteAgent[];
  readonly #dependencies: ResponseJudgeDependencies;

  private constructor(agents: readonly RouteAgent[], dependencies: ResponseJudgeDependencies) {
    this.#agents = agents;
    this.#dependencies = dependencies;
  }

  /** Null where no agent of the route is subscribed to responses: nothing is to be done for them then. */
  static of(agents: readonly RouteAgent[], dependencies: ResponseJudgeDependencies): ResponseJudge | null {
    const subscribed = agents.filter(({ events }) => events.has('response_headers'));
    return subscribed.length === 0 ? null : new ResponseJudge(subscribed, dependencies);
  }

  /**
   * Asks one agent after the other, each about the response as those before have left it; the first answer that is not
   * allow takes its place. `cancelUpstream` ends what is left of the response, and need not be called again.
   */
  async judge(
    exchange: JudgedExchange,
    response: UpstreamResponse,
    cancelUpstream: () => void,
  ): Promise<JudgedResponse> {
    const upload = exchange.request.body;
    upload?.lookAhead(true);
    const judged = await this.#askAll(exchange, response, cancelUpstream);
    upload?.lookAhead(false);
    return judged;
  }

  async #askAll(
    exchange: JudgedExchange,
    response: UpstreamResponse,
    cancelUpstream: () => void,
  ): Promise<JudgedResponse> {
    const source = response.body === null ? null : new MeteredBody(response.body, Number.POSITIVE_INFINITY);
    let standing = withBody(response, source, response.isBodyLate);
    // INVARIANT: a request reaches the upstream only once every agent that is to be asked about it was.
    for (const agent of this.#agents) {
      if (exchange.abandoned) return ended;
      exchange.waitFor(() => {
        agent.client.cancel(exchange.id, 'client_disconnect');
        cancelUpstream();
      });
      const judgement = await this.#ask(agent, exchange, standing);
      exchange.waitFor(cancelUpstream);
      const judged = this.#take(exchange, standing, agent, judgement, source);
      if (judged.kind === 'ended') {
        cancelUpstream();
        // What inflates a body, for this agent or one before it, has to be released too.
        if (judgement.ok) judgement.value.body?.cancel();
        standing.body?.cancel();
        return judged;
      }
      standing = judged.response;
    }
    return { kind: 'relay', response: standing };
  }

  async #ask(
    agent: RouteAgent,
    exchange: JudgedExchange,
    { status, headers, body }: UpstreamResponse,
  ): Promise<Result<InspectedBody, InspectionFailure>> {
    const correlationId = exchange.id;
    const seen = lowerNames(relayedHead(exchange, status, headers));
    const { inspection: parts } = this.#dependencies;
    const event = { kind: 'response_headers', correlationId, status, headers: seen } as const;
    const first = await askAgent(agent, event, parts.clock, exchange.trace);
    if (!first.ok) return err({ kind: 'agent', failure: first.error, body });
    if (!opensDialogue(first.value)) return ok({ answer: first.value, body, isChanged: false, inflation: null });
    const isPart = status === partialContent;
    const inspection = {
      agent,
      correlationId,
      first: first.value,
      headers,
      body,
      isPart,
      direction: responseDirection,
      trace: exchange.trace,
    };
    return inspectBody(inspection, parts);
  }

  #take(
    exchange: JudgedExchange,
    standing: UpstreamResponse,
    agent: RouteAgent,
    judgement: Result<InspectedBody, InspectionFailure>,
    source: MeteredBody | null,
  ): JudgedResponse {
    if (exchange.abandoned) return ended;
    return judgement.ok
      ? takeJudgement(exchange, agent.client.name, standing, judgement.value, this.#dependencies.audit)
      : this.#takeFailure(exchange, standing, agent, judgement.error, source);
  }

  #takeFailure(
    exchange: JudgedExchange,
    standing: UpstreamResponse,
    agent: RouteAgent,
    failure: InspectionFailure,
    source: MeteredBody | null,
  ): JudgedResponse {
    if (failure.kind !== 'agent') return { kind: 'ended', fault: faultOf(failure, source) };
    const outcome = applyFailureMode(exchange, agent, failure.failure, 'response', this.#dependencies);
    return outcome === 'ended'
      ? ended
      : { kind: 'relay', response: withBody(standing, failure.body, standing.isBodyLate) };
  }
}

const takeJudgement = (
  exchange: JudgedExchange,
  agent: string,
  standing: UpstreamResponse,
  inspected: InspectedBody,
  auditLog: RequestAudit,
): JudgedResponse => {
  const { decision, responseHeaders, audit } = inspected.answer;
  if (responseHeaders.length > 0)
    exchange.agents.responseOperations = [...exchange.agents.responseOperations, ...responseHeaders];
  // That a response may go on says nothing of who asked for it.
  if (decision.kind !== 'allow') {
    auditLog.judged(exchange, agent, decision, audit);
    answerWithDecision(exchange, decision, verdictOf(agent, audit));
    return ended;
  }
  if (inspected.isChanged && standing.status === partialContent) {
    // Whoever puts the parts together would put what the agent has made among what it has not seen.
    return { kind: 'ended', fault: uninspectable(`the agent "${agent}" has changed a part of something`) };
  }
  return { kind: 'relay', response: afterInspection(standing, inspected) };
};

const afterInspection = (response: UpstreamResponse, inspected: InspectedBody): UpstreamResponse => {
  const { status, received, tunnel } = response;
  const headers = headersOfInspected(response.headers, inspected);
  return {
    status,
    headers,
    received: headers === response.headers ? received : null,
    body: inspected.body,
    // What had come of the body may have been dropped, and the rest be still to come.
    isBodyLate: response.isBodyLate || inspected.isChanged,
    tunnel,
  };
};

const faultOf = (failure: Exclude<InspectionFailure, { kind: 'agent' }>, source: MeteredBody | null): ResponseFault => {
  switch (failure.kind) {
    case 'too_large':
      return { kind: 'too_large', violation: failure.violation };
    case 'unreadable': {
      const reason = source?.failure ?? 'aborted';
      return brokenResponse(reason === 'too_large' ? 'aborted' : reason, failure.detail);
    }
    case 'malformed_encoding':
      return unreadableContent(failure.detail);
    case 'unsupported_encoding':
      return uninspectable(failure.detail);
  }
};
