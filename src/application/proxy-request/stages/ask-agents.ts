import { applyHeaderOperations } from '../../../domain/agent-protocol/header-operations.js';
import type { AgentAnswer, RequestHeadersEvent } from '../../../domain/agent-protocol/messages.js';
import { correlationIdHeader } from '../../../domain/http/correlation-id.js';
import { firstHeader, type HeaderList } from '../../../domain/http/header-list.js';
import { withHeader } from '../../../domain/http/with-header.js';
import type { AgentClient } from '../../ports/agent-client.js';
import type { Clock } from '../../ports/clock.js';
import type { AgentCallMetrics, GatewayMetrics } from '../../ports/gateway-metrics.js';
import { answerBodyFailure } from '../answer-body-failure.js';
import type { ProblemAnswerer } from '../answer-problem.js';
import { answerViolation } from '../answer-violation.js';
import { answerWithDecision } from '../answer-with-decision.js';
import type { Exchange } from '../exchange.js';
import { type JudgementFailure, judgeWithAgent } from '../judge-with-agent.js';
import type { Stage, StageOutcome } from '../stage.js';

export interface AskAgentsDependencies {
  readonly clock: Clock;
  readonly problems: ProblemAnswerer;
  readonly metrics: GatewayMetrics;
  readonly maxInspectedOctets: number;
  readonly maxBodyOctets: number;
}

/** An agent of a route. */
export interface RouteAgent {
  readonly client: AgentClient;
  /** It is subscribed to body chunks. */
  readonly takesBody: boolean;
}

/** With what counts its calls. */
interface CountedAgent extends RouteAgent {
  readonly metrics: AgentCallMetrics;
}

/** Asks the agents of the route in order; the first answer that is not allow ends the request. */
export const askAgents = (agents: readonly RouteAgent[], dependencies: AskAgentsDependencies): Stage => {
  const counted = agents.map((agent) => ({ ...agent, metrics: dependencies.metrics.agent(agent.client.name) }));
  return async (exchange) => {
    for (const agent of counted) {
      if ((await askOne(exchange, agent, dependencies)) === 'ended') return 'ended';
    }
    return 'continue';
  };
};

const askOne = async (
  exchange: Exchange,
  { client, takesBody, metrics }: CountedAgent,
  dependencies: AskAgentsDependencies,
): Promise<StageOutcome> => {
  const { clock } = dependencies;
  const startedMs = clock.monotonicMs();
  exchange.waitFor(() => client.cancel(exchange.id, 'client_disconnect'));
  const judgement = await judgeWithAgent(
    client,
    requestHeadersEvent(exchange, clock.wallMs()),
    exchange.forwardedBody,
    { takesBody, maxInspectedOctets: dependencies.maxInspectedOctets },
  );
  exchange.waitOver();
  if (exchange.abandoned) return 'ended';
  if (!judgement.ok) {
    if (judgement.error.code === 'timed_out') metrics.timedOut();
    else metrics.failed();
    return answerFailure(exchange, client, judgement.error, dependencies);
  }
  metrics.answered((clock.monotonicMs() - startedMs) / 1000);
  exchange.forwardedBody = judgement.value.body;
  return takeAnswer(exchange, client, judgement.value.answer, dependencies);
};

const takeAnswer = (
  exchange: Exchange,
  client: AgentClient,
  answer: AgentAnswer,
  { problems }: AskAgentsDependencies,
): StageOutcome => {
  const { responseHeaders, requestHeaders, decision } = answer;
  if (responseHeaders.length > 0) exchange.responseOperations = [...exchange.responseOperations, ...responseHeaders];
  if (decision.kind !== 'allow') return answerWithDecision(exchange, decision);
  const applied = applyHeaderOperations(exchange.headers, requestHeaders);
  if (!applied.ok) {
    return problems.answer(exchange, 'agent_unavailable', `The agent "${client.name}" gave no valid answer.`, {
      agent: client.name,
      reason: applied.error,
    });
  }
  // The id belongs to the gateway: no agent may make two requests look like one.
  exchange.headers = withHeader(applied.value, correlationIdHeader, exchange.correlationId);
  return 'continue';
};

const answerFailure = (
  exchange: Exchange,
  client: AgentClient,
  failure: JudgementFailure,
  { problems, metrics, maxBodyOctets }: AskAgentsDependencies,
): StageOutcome => {
  if (failure.code === 'body_too_large') {
    client.cancel(exchange.id, 'manual');
    const violation = {
      code: 'body_too_large',
      name: 'max-body-inspection-bytes',
      limit: failure.limit,
      actual: exchange.body?.declaredLength ?? exchange.body?.octets ?? 0,
    } as const;
    return answerViolation(exchange, violation, problems, metrics);
  }
  if (failure.code === 'request_body') {
    client.cancel(exchange.id, 'client_disconnect');
    return answerBodyFailure(exchange, maxBodyOctets, problems, metrics);
  }
  const code = failure.code === 'timed_out' ? 'agent_timeout' : 'agent_unavailable';
  const detail =
    code === 'agent_timeout'
      ? `The agent "${client.name}" did not answer in time.`
      : `The agent "${client.name}" is not available.`;
  return problems.answer(exchange, code, detail, { agent: client.name, reason: failure.code, cause: failure.detail });
};

const requestHeadersEvent = (exchange: Exchange, nowMs: number): RequestHeadersEvent => {
  const { request, client, route } = exchange;
  const { tls } = request.connection;
  return {
    kind: 'request_headers',
    correlationId: exchange.id,
    metadata: {
      correlationId: exchange.id,
      requestId: exchange.id,
      clientIp: client.address,
      clientPort: client.port,
      serverName: exchange.host ?? tls?.serverName ?? null,
      protocol: `HTTP/${request.httpVersion}`,
      tlsVersion: tls?.version ?? null,
      tlsCipher: tls?.cipher ?? null,
      routeId: route?.configuration.id ?? null,
      upstreamId: route?.configuration.upstream ?? null,
      timestampMs: nowMs,
      traceparent: firstHeader(request.headers, 'traceparent') ?? null,
    },
    method: request.method,
    uri: exchange.query === null ? exchange.path : `${exchange.path}?${exchange.query}`,
    headers: lowerNames(exchange.headers),
  };
};

const lowerNames = (headers: HeaderList): HeaderList =>
  headers.map((part, index) => (index % 2 === 0 ? part.toLowerCase() : part));
