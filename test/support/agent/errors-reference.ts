import {
  crossSiteAnswer,
  deniedAnswer,
  formRefusal,
  insufficientSessionAnswer,
  refusalAnswer,
  stepUpFailed,
  undecidedAnswer,
} from '../../../src/application/agent/agent-service/refusal.js';
import { SignOnRefusals } from '../../../src/application/agent/sign-on/saml/sign-on-refusals.js';
import type { FailureReason } from '../../../src/domain/agent/identity/authentication-failure.js';
import type { AgentAnswer } from '../../../src/domain/agent-protocol/messages.js';
import { type GatewayProblemCode, gatewayProblems, problemBody } from '../../../src/domain/http/gateway-problem.js';
import { RecordingLogger } from '../shared/recording-logger.js';
import { wrapProse } from '../shared/wrap-prose.js';
import { requestEvent } from './test-agent.js';
import { testSession } from './test-sessions.js';
import { tokenEndpointErrors } from './token-endpoint-errors.js';

interface Explanation {
  readonly when: string;
  readonly remedy: string;
}

/** Causes and remedies. A code without an entry does not compile. */
const explanations: Readonly<Record<GatewayProblemCode, Explanation>> = {
  malformed_request: {
    when: 'The octets are not valid HTTP ([what is refused](http-strictness.md)); `Content-Length` and `Transfer-Encoding` occur together or one is repeated; the target is not a path; the body ends early; or an agent inspects the body and it does not match its `Content-Encoding`.',
    remedy: 'Correct the client. Behind a proxy, the proxy forwards requests that it should refuse.',
  },
  unsafe_path: {
    when: 'The path contains `%2F`, `%5C`, `%00`, a backslash, or a segment that begins with `.;` or `..;`, also as `%3B`. Or the path for the upstream is not valid: see [rewrites](../guides/rewrite.md#paths-that-are-refused).',
    remedy:
      'Move such a value to the query or the body. For an upstream that needs `%2F`, set [`allow-encoded-slash`](../guides/rewrite.md#encoded-slashes) on its route.',
  },
  invalid_host: {
    when: '`Host` is missing (HTTP/1.1), repeated, or not a host. On the admin address without a token: the name is neither an IP address, `localhost` nor the configured host.',
    remedy: 'Send one valid `Host`.',
  },
  admin_unauthorized: {
    when: 'The `admin` block has a `token`, and the request does not send it.',
    remedy: 'Send `Authorization: Bearer <token>`.',
  },
  admin_forbidden: {
    when: 'Without a token: the request comes from another host, or is a POST under `/admin`.',
    remedy: 'Configure a `token`.',
  },
  agent_challenge: {
    when: 'An agent answered with a challenge.',
    remedy: 'Send the credential that `WWW-Authenticate` names.',
  },
  no_route: {
    when: 'No route matches the request; on the admin address, the endpoint does not exist.',
    remedy:
      'Run [`gateway config explain`](../guides/config-explain.md), or compare the request with `/admin/routes`. See [routing](../guides/routing.md).',
  },
  no_such_session: {
    when: 'A DELETE under `/admin/sessions` names no session, or several.',
    remedy: 'Use an `id` from `/admin/sessions`; the session may have ended.',
  },
  no_such_target: {
    when: 'A drain or undrain names an upstream or target that does not exist.',
    remedy: 'Compare with `/admin/upstreams`; write `host:port` as shown there or as in the configuration.',
  },
  method_not_allowed: {
    when: 'A built-in endpoint does not support the method.',
    remedy: 'Use a method in `Allow`.',
  },
  reload_not_now: {
    when: 'A reload was requested while the gateway starts or drains, or after another process replaced it.',
    remedy: 'Retry when the gateway serves. A new connection reaches the new process.',
  },
  program_replaced: {
    when: 'A drain or undrain arrived on a connection to a process that another one has replaced.',
    remedy: 'Retry on a new connection, which reaches the new process.',
  },
  configuration_refused: {
    when: 'A reload was requested, and the configuration has errors or cannot be applied; `problems` lists them.',
    remedy: 'Fix the entries of `problems`. Until then the old configuration remains active.',
  },
  supervisor_unavailable: {
    when: 'The supervisor of the workers, or every worker, did not answer in time to a query about the whole gateway.',
    remedy: 'Retry. If the error persists, check the load of the host and the log.',
  },
  request_timeout: {
    when: 'The head did not arrive within `header-secs` of the listener, the body stalled for `body-secs`, or the body was slower than `min-body-rate`.',
    remedy: 'Check the network between client and gateway.',
  },
  body_too_large: {
    when: 'The body exceeds `max-body-size` of the route, `max-body-size-bytes`, or, for a route with `buffer-requests`, `max-body-buffer-bytes`. Or an agent inspects it, and it exceeds `max-body-inspection-bytes`, `max-agent-body-bytes` or the limit of the agent, or its decompressed form exceeds `max-decompressed-size-bytes` or `max-decompression-ratio`.',
    remedy: 'Send less, or raise the limit that `detail` names.',
  },
  unsupported_content_encoding: {
    when: 'An agent inspects the body, and its `Content-Encoding` has a coding other than `gzip`, `deflate`, `br` and `identity`, or more than four.',
    remedy: 'Use a coding that `Accept-Encoding` of the answer lists.',
  },
  target_too_long: {
    when: 'Path and query together exceed 8192 octets, or the request line is too long.',
    remedy: 'Send long values in a body.',
  },
  expectation_failed: {
    when: 'The request has an `Expect` other than `100-continue`.',
    remedy: 'Remove `Expect`.',
  },
  header_too_large: {
    when: 'The number of header fields, a name or value, or their total size exceeds its limit.',
    remedy: 'Send less (cookies are the usual cause), or raise the limit that `detail` names.',
  },
  method_not_implemented: {
    when: 'The method is CONNECT or TRACE, or longer than 32 characters while no route names it.',
    remedy:
      'The gateway is not a forward proxy and does not reflect its upstream requests. Name a longer method in `matches { method }` of a route.',
  },
  upstream_unreachable: {
    when: 'The connection to the target was refused or reset, or its name cannot be resolved.',
    remedy: 'Check the upstream; the log line has `target` and `cause`.',
  },
  upstream_invalid_response: {
    when: 'The target sent an invalid HTTP response, or its head exceeds 64 KiB.',
    remedy: 'Check the upstream; the log line has `cause`.',
  },
  response_too_large: {
    when: 'An agent inspects the response body, and it exceeds the limits for agents (see `body_too_large`).',
    remedy:
      'Raise the limit that the log line names, or do not subscribe the agent to `response_body_chunk` on this route.',
  },
  response_not_inspectable: {
    when: 'An agent inspects the response body, and its `Content-Encoding` has a coding other than `gzip`, `deflate`, `br` and `identity`, or more than four, or it is a part (206) of an encoded representation; or an agent changed a part (206). This does not count as a failure of the upstream.',
    remedy:
      'Let the agent remove `Range` from requests, or let the upstream honour `Accept-Encoding`; the log line has `cause`. See [bodies](../guides/agents.md#bodies).',
  },
  upstream_timeout: {
    when: 'Connecting exceeded `connect-secs`, the head of the response did not arrive within `request-secs`, or the target read nothing of the request body for `read-secs`.',
    remedy: 'Check the upstream, or raise the timeout. See [timeouts](../guides/proxying.md#timeouts).',
  },
  upstream_overloaded: {
    when: 'All `max-connections` to the target are busy, and 1000 requests wait, or none became free within `request-secs`. Or the target was removed while the request waited, and there is no other. Or the gateway has no free file descriptor.',
    remedy: 'Try again later; raise `max-connections` or add a target.',
  },
  rate_limited: {
    when: 'A rate of `limits` or of the route is exceeded. `Retry-After` gives the time of the next accepted request.',
    remedy: 'Send fewer requests, or raise the rate.',
  },
  rate_limit_unavailable: {
    when: 'The rate-limit store is unavailable, and `on-store-failure` is `deny`.',
    remedy: 'Make Redis reachable; the log has the cause.',
  },
  connection_limit_reached: {
    when: 'The connections, or the requests of the client or of the route, have reached their limit.',
    remedy: 'Use fewer concurrent connections, or raise the limit that the log line names.',
  },
  request_limit_reached: {
    when: 'The limits of running and of queued requests are reached, or this request exceeded its queue timeout.',
    remedy: 'Try again later; raise the limit that the log line names, or add a gateway.',
  },
  memory_limit_reached: {
    when: 'The memory of the gateway exceeds `max-memory-bytes` or `max-memory-percent`.',
    remedy: 'Try again later; raise the limit, or lower those of bodies and connections.',
  },
  circuit_open: {
    when: 'The consecutive failures of the route reached the threshold of its `circuit-breaker`.',
    remedy: 'Try again after `Retry-After` seconds; fix the upstream.',
  },
  no_healthy_target: {
    when: 'Every target of the upstream fails its health check, has failed too often, or is drained.',
    remedy: 'See /admin/upstreams for the state of each.',
  },
  agent_unavailable: {
    when: 'An agent of the route is unreachable, refuses its configuration, gave an invalid answer, or has too many queued calls (`max-agent-queue-depth`).',
    remedy:
      'Check the agent; the log line has `reason` and `cause`. See [agents](../guides/agents.md#when-an-agent-does-not-answer).',
  },
  agent_timeout: {
    when: 'An agent of the route did not answer within its `timeout-ms`.',
    remedy: 'Check the agent, or raise `timeout-ms`.',
  },
  internal_error: {
    when: 'A fault of the gateway itself.',
    remedy: 'Report it, with the log line of this `correlation_id`.',
  },
};

const codes = (Object.keys(gatewayProblems) as GatewayProblemCode[]).toSorted(
  (left, right) => gatewayProblems[left].status - gatewayProblems[right].status,
);

const tableRow = (code: GatewayProblemCode): string => {
  const { status, title, level, closes, retryAfterSeconds } = gatewayProblems[code];
  const cells = [status, `\`${code}\``, title, closes ? 'yes' : 'no', retryAfterSeconds ?? '', `\`${level}\``];
  return `| ${cells.join(' | ')} |`;
};

const section = (code: GatewayProblemCode): string => {
  const { when, remedy } = explanations[code];
  return `| \`${code}\` | ${when} | ${remedy} |`;
};

const refusedFor = (reason: FailureReason): AgentAnswer =>
  refusalAnswer(requestEvent([]), {
    kind: 'refused',
    failure: { method: null, reason },
    undecided: null,
    bearer: null,
    requiredScope: null,
    mayUseBasic: false,
  });

const insufficientStep = insufficientSessionAnswer(
  requestEvent([]),
  {
    session: testSession('alice'),
    unmet: 'authentication_too_old',
    required: { provider: null, acrValues: ['urn:mfa'], maxAgeSecs: 300 },
    maySignOn: true,
  },
  false,
);

const signOnRefusals = new SignOnRefusals(new RecordingLogger(), { refused: () => undefined });

const agentRow = (answer: AgentAnswer, when: string): string => {
  const { decision } = answer;
  if (decision.kind !== 'block') throw new Error('a refusal must be a block');
  const { code, title } = JSON.parse(decision.body ?? '{}') as { readonly code: string; readonly title: string };
  return `| ${decision.status} | \`${code}\` | ${title} | ${when} |`;
};

const example = JSON.stringify(
  JSON.parse(problemBody('no_route', 'No route of this gateway matches the request.', 'shop-17')),
  null,
  2,
);

/** The text of docs/reference/errors.md. */
export const errorsReference = (): string =>
  wrapProse(`# Errors

<!-- Generated from src/domain/http/gateway-problem.ts:
UPDATE_DOCS=1 npx vitest run --project unit errors-page -->

On this page you look up an error code, its cause and its remedy. Every error of the gateway itself is a problem document
(RFC 9457), \`application/problem+json\`:

\`\`\`json
${example}
\`\`\`

\`code\` is stable: clients and alert rules can rely on it. \`title\` and \`detail\` are for people and may change.
\`correlation_id\` is also in \`X-Correlation-Id\`, in the access record, and in the log line of the problem, which has more
detail. Octets that never became a request have no access record; their log line has the id as \`trace_id\`. The gateway
passes errors of an upstream unchanged; they have no \`code\`.

No error contains an upstream's address, a file path, a secret or a stack trace. \`Cache-Control\` is \`no-store\`.

## Codes

| Status | Code | Title | Closes the connection | Retry-After, seconds | Logged at |
|---|---|---|---|---|---|
${codes.map(tableRow).join('\n')}

The gateway closes the connection after an error if it cannot find the start of the next request, or does not read the rest
of the body. \`Retry-After\` means that a retry can succeed. If an error occurs after the head of a response was sent, the
gateway aborts the connection, so that the client does not mistake a partial response for a complete one. Refusals by the
admin address and by built-in endpoints have no separate log line.

## When they happen, and what to do

| Code | When | What to do |
|---|---|---|
${codes.map(section).join('\n')}

## Answers of the agent

An agent can answer in place of the upstream; the client receives its answer unchanged. \`gateway-auth\` uses the same
format:

| Status | Code | Title | When |
|---|---|---|---|
${agentRow(refusedFor('missing_credentials'), 'No method accepts a credential of the request. `WWW-Authenticate` names the expected scheme, and the fault of a genuine token. Only the agent log has the reason.')}
${agentRow(refusedFor('insufficient_scope'), 'The token is valid, but lacks one of the `required-scopes`, which `WWW-Authenticate` names.')}
${agentRow(deniedAnswer(requestEvent([]), { reason: 'denied_by_policy', policies: [] }, null), 'The policies do not allow the request. Only the agent log names the deciding policies. For a request with a token, `WWW-Authenticate` has `error="insufficient_scope"`.')}
${agentRow(crossSiteAnswer(requestEvent([]), { method: 'saml', userId: 'alice', claims: null, certificate: null }), 'A page of another site sent a request that could change something, with a [session cookie](../guides/sessions.md#requests-of-other-sites) or a [token in a cookie](../guides/oidc.md#tokens-in-another-header-or-a-cookie). List its origin in `allow-origins` of `sessions` if it may.')}
${agentRow(insufficientStep, 'A session does not meet what [`require`](../guides/sessions.md#ask-for-a-stronger-sign-on) asks for the path, and the request is not a navigation. `WWW-Authenticate` names `acr_values` and `max_age`.')}
${agentRow(stepUpFailed(requestEvent([]), []), 'A sign-on did not bring what [`require`](../guides/sessions.md#ask-for-a-stronger-sign-on) asks for its page. No redirect follows.')}
${agentRow(undecidedAnswer(requestEvent([])), 'The keys of an OIDC or SAML provider have never arrived, the provider does not refresh the access token of a session, or the session store is unavailable: `Retry-After` is 5. Otherwise it is 1: the agent has no configuration yet, or failed; an introspection failed; or too many passwords, forms, tokens or SAML documents wait.')}
${agentRow(signOnRefusals.refuse(requestEvent([]), 'wrong_signature', 'sign-on'), 'An endpoint of [SAML](../guides/saml.md) or [OpenID Connect](../guides/oidc-login.md) sign-on refused a message of the identity provider, or the message came from another browser than the one that began. Only the agent log has the reason.')}
${agentRow(signOnRefusals.refuse(requestEvent([]), 'malformed_form', 'sign-on'), 'A message to such an endpoint is not a form or query with the required fields.')}
${agentRow(formRefusal({ kind: 'too_large', event: requestEvent([]) }), 'The form exceeds 1 MiB, or 32 KiB at an endpoint of `oidc-login`.')}
${agentRow(formRefusal({ kind: 'dropped', event: requestEvent([]) }), 'The form was not complete after 30 seconds.')}

A single sign-on endpoint answers any other method with 405 \`method_not_allowed\` and \`Allow\`.

The \`error_type\` of these answers in the access record is \`blocked_by_agent\`, also for those below.

${tokenEndpointErrors()}
## Without an answer

If a client disconnects before its response ends, the access record has the \`error_type\` \`client_gone\`, and status 499 if
no response had begun.
`);
