import type { AgentVerdict } from '../../../domain/agent-protocol/agent-verdict.js';
import type { AgentDecision } from '../../../domain/agent-protocol/messages.js';
import { correlationIdHeader } from '../../../domain/http/correlation-id.js';
import { withoutHopByHop } from '../../../domain/http/field-traits.js';
import { gatewayProblems, problemBody } from '../../../domain/http/gateway-problem.js';
import { firstHeader, type HeaderList, withHeader, withoutHeader } from '../../../domain/http/header-list.js';
import { parseStrictJsonObject } from '../../../domain/shared/strict-json.js';
import { problemHeaders, sendError } from './answer-problem.js';
import type { StageExchange, StageOutcome } from './exchange.js';
import { withResponseOperations } from './relay-response.js';
import { sendOwn } from './send-own.js';

/** A quoted-string (RFC 9110, section 5.6.4). */
const quoted = (text: string): string => `"${text.replaceAll('\\', '\\\\').replaceAll('"', '\\"')}"`;

interface AgentResponse {
  readonly status: number;
  readonly headers: HeaderList;
  readonly body: string | null;
}

const responseTo = (decision: Exclude<AgentDecision, { kind: 'allow' }>, correlationId: string): AgentResponse => {
  switch (decision.kind) {
    case 'block':
      return { status: decision.status, headers: withoutFraming(decision.headers), body: decision.body };
    case 'redirect':
      return { status: decision.status, headers: ['Location', decision.url], body: null };
    case 'challenge': {
      const params = Object.entries(decision.params).map(([name, value]) => `${name}=${quoted(value)}`);
      const challenge = [decision.challengeType, params.join(', ')].join(' ').trimEnd();
      const { status } = gatewayProblems.agent_challenge;
      const headers = [...problemHeaders('agent_challenge', correlationId), 'WWW-Authenticate', challenge];
      return { status, headers, body: problemBody('agent_challenge', 'An agent asks for credentials.', correlationId) };
    }
  }
};

/** The gateway frames the body itself, so it drops the framing fields that the agent sets. */
const withoutFraming = (headers: HeaderList): HeaderList => withoutHeader(withoutHopByHop(headers), 'content-length');

interface Refusal {
  /** Null: the body is no problem document. */
  readonly title: string | null;
  readonly message: string;
}

const isProblemDocument = (headers: HeaderList): boolean =>
  /^application\/problem\+json(?:$|[; \t])/i.test(firstHeader(headers, 'content-type') ?? '');

/** The title and the detail of a problem document (RFC 9457), otherwise the body as the message. */
const refusalOf = (headers: HeaderList, body: string | null): Refusal => {
  if (body === null) return { title: null, message: 'An agent refuses the request.' };
  const { title, detail } = parseStrictJsonObject(body) ?? {};
  return {
    title: typeof title === 'string' && isProblemDocument(headers) ? title : null,
    message: typeof detail === 'string' ? detail : body,
  };
};

/** Answers the client with the decision of an agent. The upstream's response, if any, is dropped. */
export const answerWithDecision = (
  exchange: StageExchange<'agents'>,
  decision: Exclude<AgentDecision, { kind: 'allow' }>,
  verdict: AgentVerdict,
): StageOutcome => {
  const { status, headers, body } = responseTo(decision, exchange.correlationId);
  const changed = withResponseOperations(headers, exchange.agents.responseOperations);
  const all = withHeader([...changed, ...exchange.rateLimitFields], correlationIdHeader, exchange.correlationId);
  exchange.outcome.status = status;
  exchange.outcome.verdict = verdict;
  if (status < 400) sendOwn(exchange, status, all, body, exchange.close);
  else {
    exchange.outcome.errorType = 'blocked_by_agent';
    sendError(exchange, { headers: all, body, ...refusalOf(headers, body), close: exchange.close });
  }
  return 'ended';
};
