import { verdictOf } from '../../../domain/agent-protocol/agent-verdict.js';
import { opensDialogue } from '../../../domain/agent-protocol/answer-rules.js';
import { lowerNames } from '../../../domain/http/header-list.js';
import { err, ok, type Result } from '../../../domain/shared/result.js';
import type { UpstreamResponse } from '../../ports/gateway/upstream-client.js';
import type { RequestAudit } from '../audit/audit-trail.js';
import { answerWithDecision } from './answer-with-decision.js';
import { applyFailureMode, type FailureModeServices } from './apply-failure-mode.js';
import { brokenResponse, type ResponseFault, uninspectable, unreadableContent } from './attempt-end.js';
import type { StageExchange } from './exchange.js';
import {
  headersOfInspected,
  type InspectedBody,
  type InspectionEnvironment,
  type InspectionFailure,
  inspectBody,
  responseDirection,
} from './inspect-body.js';
import { MeteredBody } from './metered-body.js';
import { relayedHead, withBody } from './relay-response.js';
import { askAgent, type RouteAgent } from './route-agent.js';

export interface ResponseInspectionServices extends FailureModeServices {
  readonly inspection: InspectionEnvironment;
}

/**
 * The result of asking agents about a response. `ended`: the response is not relayed. Without a fault the client has
 * its answer or is gone; with a fault the caller must answer it.
 */
export type InspectedResponse =
  | { readonly kind: 'relay'; readonly response: UpstreamResponse }
  | { readonly kind: 'ended'; readonly fault: ResponseFault | null };

/** The parts of an exchange that are needed to ask agents about its response. */
export type InspectedExchange = StageExchange<'id' | 'target' | 'targetFields' | 'trace' | 'waitFor', 'agents'>;

const ended: InspectedResponse = { kind: 'ended', fault: null };

/** The status of a partial response (RFC 9110, section 15.3.7). */
const partialContent = 206;

/** Asks the agents of a route about the upstream's response. The gateway holds its head and body meanwhile. */
export class ResponseInspector {
  readonly #agents: readonly RouteAgent[];
  readonly #services: ResponseInspectionServices;

  private constructor(agents: readonly RouteAgent[], services: ResponseInspectionServices) {
    this.#agents = agents;
    this.#services = services;
  }

  /** Null: no agent of the route subscribes to responses. */
  static of(agents: readonly RouteAgent[], services: ResponseInspectionServices): ResponseInspector | null {
    const subscribed = agents.filter(({ events }) => events.has('response_headers'));
    return subscribed.length === 0 ? null : new ResponseInspector(subscribed, services);
  }

  /**
   * Asks one agent after the other about the response as the earlier agents have left it. The first answer other than
   * allow replaces the response; then `cancelUpstream` is called.
   */
  async inspect(
    exchange: InspectedExchange,
    response: UpstreamResponse,
    cancelUpstream: () => void,
  ): Promise<InspectedResponse> {
    const upload = exchange.request.body;
    upload?.lookAhead(true);
    const outcome = await this.#askAll(exchange, response, cancelUpstream);
    upload?.lookAhead(false);
    return outcome;
  }

  async #askAll(
    exchange: InspectedExchange,
    response: UpstreamResponse,
    cancelUpstream: () => void,
  ): Promise<InspectedResponse> {
    const upstreamBody = response.body === null ? null : new MeteredBody(response.body, Number.POSITIVE_INFINITY);
    let current = withBody(response, upstreamBody, response.isBodyLate);
    // INVARIANT: a request reaches the upstream only after every agent that must be asked about it was asked.
    for (const agent of this.#agents) {
      if (exchange.abandoned) return ended;
      exchange.waitFor(() => {
        agent.client.cancel(exchange.id, 'client_disconnect');
        cancelUpstream();
      });
      const inspected = await this.#ask(agent, exchange, current);
      exchange.waitFor(cancelUpstream);
      const outcome = this.#take(exchange, current, agent, inspected, upstreamBody);
      if (outcome.kind === 'ended') {
        cancelUpstream();
        // This also releases the decoders of this agent and the earlier ones.
        if (inspected.ok) inspected.value.body?.cancel();
        current.body?.cancel();
        return outcome;
      }
      current = outcome.response;
    }
    return { kind: 'relay', response: current };
  }

  async #ask(
    agent: RouteAgent,
    exchange: InspectedExchange,
    { status, headers, body }: UpstreamResponse,
  ): Promise<Result<InspectedBody, InspectionFailure>> {
    const correlationId = exchange.id;
    const seen = lowerNames(relayedHead(exchange, status, headers));
    const { inspection: parts } = this.#services;
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
    exchange: InspectedExchange,
    current: UpstreamResponse,
    agent: RouteAgent,
    inspected: Result<InspectedBody, InspectionFailure>,
    upstreamBody: MeteredBody | null,
  ): InspectedResponse {
    if (exchange.abandoned) return ended;
    return inspected.ok
      ? takeInspection(exchange, agent.client.name, current, inspected.value, this.#services.audit)
      : this.#takeFailure(exchange, current, agent, inspected.error, upstreamBody);
  }

  #takeFailure(
    exchange: InspectedExchange,
    current: UpstreamResponse,
    agent: RouteAgent,
    failure: InspectionFailure,
    upstreamBody: MeteredBody | null,
  ): InspectedResponse {
    if (failure.kind !== 'agent') return { kind: 'ended', fault: faultOf(failure, upstreamBody) };
    const outcome = applyFailureMode(exchange, agent, failure.failure, 'response', this.#services);
    return outcome === 'ended'
      ? ended
      : { kind: 'relay', response: withBody(current, failure.body, current.isBodyLate) };
  }
}

const takeInspection = (
  exchange: InspectedExchange,
  agent: string,
  current: UpstreamResponse,
  inspected: InspectedBody,
  auditLog: RequestAudit,
): InspectedResponse => {
  const { decision, responseHeaders, audit } = inspected.answer;
  if (responseHeaders.length > 0)
    exchange.agents.responseOperations = [...exchange.agents.responseOperations, ...responseHeaders];
  // An allowed response is not audited, because it says nothing about the identity of the client.
  if (decision.kind !== 'allow') {
    auditLog.decided(exchange, agent, decision, audit);
    answerWithDecision(exchange, decision, verdictOf(agent, audit));
    return ended;
  }
  if (inspected.isChanged && current.status === partialContent) {
    // The client would combine the changed range with ranges that the agent has not seen.
    return { kind: 'ended', fault: uninspectable(`the agent "${agent}" has changed a partial response`) };
  }
  return { kind: 'relay', response: afterInspection(current, inspected) };
};

const afterInspection = (response: UpstreamResponse, inspected: InspectedBody): UpstreamResponse => {
  const { status, received, tunnel } = response;
  const headers = headersOfInspected(response.headers, inspected);
  return {
    status,
    headers,
    received: headers === response.headers ? received : null,
    body: inspected.body,
    // An agent may have dropped the octets that had arrived, while the rest has yet to arrive.
    isBodyLate: response.isBodyLate || inspected.isChanged,
    tunnel,
  };
};

const faultOf = (
  failure: Exclude<InspectionFailure, { kind: 'agent' }>,
  upstreamBody: MeteredBody | null,
): ResponseFault => {
  switch (failure.kind) {
    case 'too_large':
      return { kind: 'too_large', violation: failure.violation };
    case 'unreadable': {
      const reason = upstreamBody?.failure ?? 'aborted';
      return brokenResponse(reason === 'too_large' ? 'aborted' : reason, failure.detail);
    }
    case 'malformed_encoding':
      return unreadableContent(failure.detail);
    case 'unsupported_encoding':
      return uninspectable(failure.detail);
  }
};
