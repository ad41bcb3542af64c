import {
  type AgentAnswer,
  allowAnswer,
  emptyAudit,
  type RequestHeadersEvent,
} from '../../../domain/agent-protocol/messages.js';
import { acceptCorrelationId } from '../../../domain/http/correlation-id.js';
import { firstHeader, type HeaderList } from '../../../domain/http/header-list.js';

/** What a client is told where the agent answers in place of the upstream. */
export interface ProblemKind {
  readonly status: number;
  readonly title: string;
  readonly detail: string;
  readonly code: string;
}

/** A block, with a body (RFC 9457) that says the same for all reasons of a kind: the reasons are for the log. */
export const problemAnswer = (
  { status, title, detail, code }: ProblemKind,
  event: RequestHeadersEvent,
  headers: HeaderList,
  reasonCodes: readonly string[],
): AgentAnswer => {
  const correlationId = acceptCorrelationId(firstHeader(event.headers, 'x-correlation-id')) ?? event.correlationId;
  const body = JSON.stringify({ type: 'about:blank', title, status, detail, code, correlation_id: correlationId });
  return {
    ...allowAnswer,
    decision: { kind: 'block', status, body, headers: ['Content-Type', 'application/problem+json', ...headers] },
    audit: { ...emptyAudit, reasonCodes },
  };
};
