/** Log level of a problem. */
export type ProblemLevel = 'error' | 'warn' | 'info' | 'debug';

interface ProblemKind {
  readonly status: number;
  readonly title: string;
  readonly level: ProblemLevel;
  /** Whether the gateway closes the connection after this response. */
  readonly closes: boolean;
  /** Seconds, for Retry-After. */
  readonly retryAfterSeconds: number | null;
}

const kind = (
  status: number,
  title: string,
  level: ProblemLevel,
  more: { closes?: boolean; retryAfterSeconds?: number } = {},
): ProblemKind => ({
  status,
  title,
  level,
  closes: more.closes ?? false,
  retryAfterSeconds: more.retryAfterSeconds ?? null,
});

/** All errors that the gateway itself returns, each with its status and log level. */
export const gatewayProblems = {
  malformed_request: kind(400, 'The request is malformed', 'info', { closes: true }),
  unsafe_path: kind(400, 'The path is ambiguous', 'info', { closes: true }),
  invalid_host: kind(400, 'The Host header is missing, repeated or invalid', 'info', { closes: true }),
  admin_unauthorized: kind(401, 'The admin token is missing or wrong', 'warn'),
  admin_forbidden: kind(403, 'The admin endpoint refuses this request', 'warn'),
  agent_challenge: kind(401, 'Credentials are needed', 'info'),
  no_route: kind(404, 'No route matches', 'info'),
  no_such_target: kind(404, 'There is no such target', 'info'),
  no_such_session: kind(404, 'There is no such session', 'info'),
  method_not_allowed: kind(405, 'Method not allowed', 'info'),
  reload_not_now: kind(409, 'The configuration cannot be reloaded now', 'warn'),
  program_replaced: kind(409, 'Another process has replaced this one', 'warn', { closes: true }),
  configuration_refused: kind(422, 'The configuration has errors; the previous one stays active', 'error'),
  request_timeout: kind(408, 'The request took too long to arrive', 'info', { closes: true }),
  body_too_large: kind(413, 'The request body is too large', 'warn', { closes: true }),
  target_too_long: kind(414, 'The request target is too long', 'warn', { closes: true }),
  unsupported_content_encoding: kind(415, 'The content coding of the request body is not supported', 'info', {
    closes: true,
  }),
  expectation_failed: kind(417, 'The expectation cannot be met', 'info', { closes: true }),
  header_too_large: kind(431, 'The request header fields are too large', 'warn', { closes: true }),
  method_not_implemented: kind(501, 'The method is not implemented', 'info', { closes: true }),
  upstream_unreachable: kind(502, 'The upstream cannot be reached', 'error'),
  upstream_invalid_response: kind(502, 'The upstream sent no valid response', 'error'),
  response_too_large: kind(502, 'The response is too large to be inspected', 'warn'),
  response_not_inspectable: kind(502, 'The response cannot be inspected', 'error'),
  upstream_timeout: kind(504, 'The upstream did not answer in time', 'error'),
  upstream_overloaded: kind(503, 'The upstream is overloaded', 'warn', { retryAfterSeconds: 1 }),
  rate_limited: kind(429, 'Too many requests', 'warn'),
  rate_limit_unavailable: kind(503, 'The rate-limit store is unavailable', 'error', { retryAfterSeconds: 1 }),
  connection_limit_reached: kind(503, 'Too many connections', 'warn', { retryAfterSeconds: 1 }),
  request_limit_reached: kind(503, 'Too many concurrent requests', 'warn', { retryAfterSeconds: 1 }),
  memory_limit_reached: kind(503, 'The gateway is short of memory', 'warn', { retryAfterSeconds: 1 }),
  circuit_open: kind(503, 'The circuit breaker of the route is open', 'warn'),
  no_healthy_target: kind(503, 'No target of the upstream is healthy', 'error'),
  agent_unavailable: kind(503, 'A required agent is unavailable', 'error', {
    retryAfterSeconds: 1,
  }),
  supervisor_unavailable: kind(503, 'The supervisor does not answer', 'error', { retryAfterSeconds: 1 }),
  agent_timeout: kind(504, 'An agent did not answer in time', 'error'),
  internal_error: kind(500, 'The gateway failed', 'error', { closes: true }),
} as const satisfies Record<string, ProblemKind>;

/** Stable names; clients and alert rules may rely on them. */
export type GatewayProblemCode = keyof typeof gatewayProblems;

/**
 * The `application/problem+json` body (RFC 9457) that a client gets.
 *
 * @param more additional members
 */
export const problemBody = (
  code: GatewayProblemCode,
  detail: string,
  correlationId: string,
  more: Readonly<Record<string, readonly string[]>> = {},
): string => {
  const { status, title } = gatewayProblems[code];
  return JSON.stringify({ type: 'about:blank', title, status, detail, code, correlation_id: correlationId, ...more });
};
