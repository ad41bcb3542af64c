import { type AgentAnswer, emptyAudit, type RequestHeadersEvent } from '../../domain/agent-protocol/messages.js';
import { acceptCorrelationId } from '../../domain/http/correlation-id.js';
import { firstHeader, type HeaderList } from '../../domain/http/header-list.js';

interface RefusalKind {
  readonly status: number;
  readonly title: string;
  readonly detail: string;
  readonly code: string;
}

const unauthenticated: RefusalKind = {
  status: 401,
  title: 'Unauthorized',
  detail: 'The request carries no credential that is accepted here.',
  code: 'unauthenticated',
};

const undecided: RefusalKind = {
  status: 503,
  title: 'The request cannot be judged',
  detail: 'The agent is not able to decide at the moment.',
  code: 'agent_undecided',
};

/** Every 401 names the realm; where a token was shown, also that it is no good (RFC 6750, section 3). */
const challenge = 'Bearer realm="gateway"';
const tokenChallenge = `${challenge}, error="invalid_token"`;

/** A block, with a body (RFC 9457) that says the same whatever the reason: the reasons are for the log. */
const refusal = (
  { status, ...kind }: RefusalKind,
  event: RequestHeadersEvent,
  headers: HeaderList,
  reasonCodes: readonly string[],
): AgentAnswer => {
  const correlationId = acceptCorrelationId(firstHeader(event.headers, 'x-correlation-id')) ?? event.correlationId;
  const { title, detail, code } = kind;
  const body = JSON.stringify({ type: 'about:blank', title, status, detail, code, correlation_id: correlationId });
  return {
    decision: { kind: 'block', status, body, headers: ['Content-Type', 'application/problem+json', ...headers] },
    requestHeaders: [],
    responseHeaders: [],
    needsMore: false,
    audit: { ...emptyAudit, reasonCodes },
  };
};

/** 401: no method authenticated the request. */
export const unauthenticatedAnswer = (event: RequestHeadersEvent, reason: string, bearerShown: boolean): AgentAnswer =>
  refusal(unauthenticated, event, ['WWW-Authenticate', bearerShown ? tokenChallenge : challenge], [reason]);

/** 503: there is no configuration to judge by, or judging failed. */
export const undecidedAnswer = (event: RequestHeadersEvent): AgentAnswer =>
  refusal(undecided, event, ['Retry-After', '1'], ['undecided']);
