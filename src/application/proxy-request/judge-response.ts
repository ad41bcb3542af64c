import { opensDialogue } from '../../domain/agent-protocol/answer-rules.js';
import { lowerNames } from '../../domain/http/lower-names.js';
import { err, ok, type Result } from '../../domain/shared/result.js';
import type { Clock } from '../ports/clock.js';
import type { AgentCallMetrics, GatewayMetrics } from '../ports/gateway-metrics.js';
import type { UpstreamResponse } from '../ports/upstream-client.js';
import { answerWithDecision } from './answer-with-decision.js';
import { applyFailureMode, type FailureModeDependencies } from './apply-failure-mode.js';
import { responseDirection } from './body-direction.js';
import type { Exchange } from './exchange.js';
import {
  headersOfInspected,
  type InspectedBody,
  type InspectionFailure,
  type InspectionParts,
  inspectBody,
} from './inspect-body.js';
import { MeteredBody } from './metered-body.js';
import { responseHead } from './relay-response.js';
import { brokenResponse, type ResponseFault, unreadableContent } from './response-fault.js';
import type { RouteAgent } from './route-agent.js';

export interface ResponseJudgeDependencies extends FailureModeDependencies {
  readonly clock: Clock;
  readonly metrics: GatewayMetrics;
  readonly inspection: InspectionParts;
}

/**
 * What becomes of a response. `ended`: it does not go on; the client has its answer, or is gone, or (with a fault) has to
 * be told why.
 */
export type JudgedResponse =
  | { readonly kind: 'relay'; readonly response: UpstreamResponse }
  | { readonly kind: 'ended'; readonly fault: ResponseFault | null };

const ended: JudgedResponse = { kind: 'ended', fault: null };

interface CountedAgent extends RouteAgent {
  readonly metrics: AgentCallMetrics;
}

/** Asks the agents of a route what they think of its upstream's response. It is held meanwhile, head and body. */
export class ResponseJudge {
  readonly #agents: readonly CountedAgent[];
  readonly #dependencies: ResponseJudgeDependencies;

  private constructor(agents: readonly RouteAgent[], dependencies: ResponseJudgeDependencies) {
    this.#agents = agents.map((agent) => ({ ...agent, metrics: dependencies.metrics.agent(agent.client.name) }));
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
  async judge(exchange: Exchange, response: UpstreamResponse, cancelUpstream: () => void): Promise<JudgedResponse> {
    const source = response.body === null ? null : new MeteredBody(response.body, Number.POSITIVE_INFINITY);
    let standing: UpstreamResponse = { ...response, body: source };
    // INVARIANT: a request reaches the upstream only once every agent that is to be asked about it was.
    for (const agent of this.#agents) {
      if (exchange.abandoned) return ended;
      exchange.waitFor(() => {
        agent.client.cancel(exchange.id, 'client_disconnect');
        cancelUpstream();
      });
      const startedMs = this.#dependencies.clock.monotonicMs();
      const judgement = await this.#ask(agent, exchange, standing);
      exchange.waitFor(cancelUpstream);
      if (exchange.abandoned) return ended;
      if (judgement.ok) agent.metrics.answered((this.#dependencies.clock.monotonicMs() - startedMs) / 1000);
      const judged = judgement.ok
        ? takeJudgement(exchange, standing, judgement.value)
        : this.#takeFailure(exchange, standing, agent, judgement.error, source);
      if (judged.kind === 'ended') {
        cancelUpstream();
        return judged;
      }
      standing = judged.response;
    }
    return { kind: 'relay', response: standing };
  }

  async #ask(
    agent: RouteAgent,
    exchange: Exchange,
    { status, headers, body }: UpstreamResponse,
  ): Promise<Result<InspectedBody, InspectionFailure>> {
    const correlationId = exchange.id;
    const seen = lowerNames(responseHead(exchange, status, headers));
    const first = await agent.client.ask({ kind: 'response_headers', correlationId, status, headers: seen });
    if (!first.ok) return err({ kind: 'agent', failure: first.error, body });
    if (!opensDialogue(first.value)) return ok({ answer: first.value, body, isChanged: false, inflation: null });
    const inspection = { agent, correlationId, first: first.value, headers, body, direction: responseDirection };
    return inspectBody(inspection, this.#dependencies.inspection);
  }

  #takeFailure(
    exchange: Exchange,
    standing: UpstreamResponse,
    agent: CountedAgent,
    failure: InspectionFailure,
    source: MeteredBody | null,
  ): JudgedResponse {
    if (failure.kind !== 'agent') return { kind: 'ended', fault: faultOf(failure, source) };
    const outcome = applyFailureMode(exchange, agent, failure.failure, 'response', this.#dependencies);
    return outcome === 'ended' ? ended : { kind: 'relay', response: { ...standing, body: failure.body } };
  }
}

const takeJudgement = (exchange: Exchange, standing: UpstreamResponse, inspected: InspectedBody): JudgedResponse => {
  const { decision, responseHeaders } = inspected.answer;
  if (responseHeaders.length > 0) exchange.responseOperations = [...exchange.responseOperations, ...responseHeaders];
  if (decision.kind === 'allow') return { kind: 'relay', response: afterInspection(standing, inspected) };
  answerWithDecision(exchange, decision);
  return ended;
};

const afterInspection = (response: UpstreamResponse, inspected: InspectedBody): UpstreamResponse => ({
  ...response,
  headers: headersOfInspected(response.headers, inspected),
  body: inspected.body,
  // What had come of the body may have been dropped, and the rest be still to come.
  isBodyLate: response.isBodyLate || inspected.isChanged,
});

const faultOf = (failure: Exclude<InspectionFailure, { kind: 'agent' }>, source: MeteredBody | null): ResponseFault => {
  switch (failure.kind) {
    case 'too_large':
      return { kind: 'too_large', violation: failure.violation };
    case 'unreadable': {
      const reason = source?.failure ?? 'aborted';
      return brokenResponse(reason === 'too_large' ? 'aborted' : reason, failure.detail);
    }
    case 'malformed_encoding':
    case 'unsupported_encoding':
      return unreadableContent(failure.detail);
  }
};
