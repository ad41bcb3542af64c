import { type GatewayProblemCode, gatewayProblems, problemBody } from '../../../domain/http/gateway-problem.js';
import type { HeaderList } from '../../../domain/http/header-list.js';

/** A response of a built-in endpoint. HEAD has the body of GET, which sets the length and is not sent. */
export interface AdminAnswer {
  readonly status: number;
  readonly headers: HeaderList;
  readonly body: string;
  /** Further members of the audit record; absent: none. */
  readonly audited?: Readonly<Record<string, string>>;
}

/** Reports must not be cached, and browsers must not guess their type. */
const commonHeaders: HeaderList = ['Cache-Control', 'no-store', 'X-Content-Type-Options', 'nosniff'];

export const jsonAnswer = (status: number, body: unknown): AdminAnswer => ({
  status,
  headers: ['Content-Type', 'application/json', ...commonHeaders],
  body: `${JSON.stringify(body)}\n`,
});

/** 204 without a body. */
export const noContent: AdminAnswer = { status: 204, headers: commonHeaders, body: '' };

export const textAnswer = (contentType: string, body: string): AdminAnswer => ({
  status: 200,
  headers: ['Content-Type', contentType, ...commonHeaders],
  body,
});

export const adminProblem = (
  code: GatewayProblemCode,
  detail: string,
  correlationId: string,
  more: HeaderList = [],
  members: Readonly<Record<string, readonly string[]>> = {},
): AdminAnswer => ({
  status: gatewayProblems[code].status,
  headers: ['Content-Type', 'application/problem+json', ...commonHeaders, ...more],
  body: problemBody(code, detail, correlationId, members),
});

/** The answer if this process cannot reach the supervisor. */
export const supervisorUnavailable = (correlationId: string): AdminAnswer =>
  adminProblem('supervisor_unavailable', 'The supervisor does not answer.', correlationId, [
    'Retry-After',
    String(gatewayProblems.supervisor_unavailable.retryAfterSeconds),
  ]);
