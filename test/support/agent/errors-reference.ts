import {
  deniedAnswer,
  formRefusal,
  refusalAnswer,
  undecidedAnswer,
} from '../../../src/application/agent/agent-service/refusal.js';
import { SignOnRefusals } from '../../../src/application/agent/sign-on/saml/sign-on-refusals.js';
import type { FailureReason } from '../../../src/domain/agent/identity/authentication-failure.js';
import type { AgentAnswer } from '../../../src/domain/agent-protocol/messages.js';
import { type GatewayProblemCode, gatewayProblems, problemBody } from '../../../src/domain/http/gateway-problem.js';
import { RecordingLogger } from '../shared/recording-logger.js';
import { requestEvent } from './test-agent.js';
import { tokenEndpointErrors } from './token-endpoint-errors.js';

interface Explanation {
  readonly when: string;
  readonly remedy: string;
}

/** What no code can say of itself. A code without an entry does not compile. */
const explanations: Readonly<Record<GatewayProblemCode, Explanation>> = {
  malformed_request: {
    when: 'The octets are no valid HTTP ([what is refused](http-strictness.md)), `Content-Length` and `Transfer-Encoding` come together or one of them is repeated, the target is no path, the body ends early, or an agent wants to read it and it is not what its `Content-Encoding` says.',
    remedy: 'Correct the client. Behind a proxy: the proxy passes on what it should have refused.',
  },
  unsafe_path: {
    when: 'The path holds `%2F`, `%5C`, `%00`, a backslash, or a segment that begins with `.;` or `..;`, also as `%3B`.',
    remedy: 'Carry such a value in the query or the body.',
  },
  invalid_host: {
    when: '`Host` is missing (HTTP/1.1), comes twice, or is no host. On the admin address without a token: the name is neither an IP address, `localhost` nor the configured host.',
    remedy: 'Send one valid `Host`.',
  },
  admin_unauthorized: {
    when: 'The `admin` block has a `token`, and the request does not show it.',
    remedy: 'Send `Authorization: Bearer <token>`.',
  },
  admin_forbidden: {
    when: 'Without a token: the request comes from another machine, or is a POST under `/admin`.',
    remedy: 'Configure a `token`.',
  },
  agent_challenge: {
    when: 'An agent answered with a challenge.',
    remedy: 'Send the credential that `WWW-Authenticate` asks for.',
  },
  no_route: {
    when: 'No route takes the request; on the admin address, there is no such endpoint.',
    remedy: 'Compare the request with `/admin/routes`. See [routing](../guides/routing.md).',
  },
  no_such_target: {
    when: 'A target is to be drained, or taken back, of an upstream that the configuration does not have, or that has no such target.',
    remedy: 'Compare with `/admin/upstreams`; write `host:port` as it stands there, or as the configuration has it.',
  },
  method_not_allowed: {
    when: 'A built-in endpoint was asked with a method that it does not have.',
    remedy: 'Use a method of `Allow`.',
  },
  reload_not_now: {
    when: 'A reload was asked for while the gateway starts or drains, or another process has taken its place.',
    remedy: 'Ask again when it serves; the process that has taken over is asked on a new connection.',
  },
  program_replaced: {
    when: 'A target was to be drained, or not any more, by a connection to a process whose place another one has taken.',
    remedy: 'Ask again on a new connection, which the other process takes.',
  },
  configuration_refused: {
    when: 'A reload was asked for, and the configuration has errors or cannot be brought into force; `problems` has them.',
    remedy: 'Mend what `problems` names. Until then everything goes on as before.',
  },
  supervisor_unavailable: {
    when: 'The process that watches over the workers, or every worker, gave no answer in time to a question about the gateway as a whole.',
    remedy: 'Ask again. Where it stays so, look at the load of the machine and at the log.',
  },
  request_timeout: {
    when: 'The head did not come within `header-secs` of the listener, or the body fell silent for `body-secs`, or the body came more slowly than `min-body-rate`.',
    remedy: 'Look at the network between client and gateway.',
  },
  body_too_large: {
    when: 'The body is larger than `max-body-size` of the route, or `max-body-size-bytes`, or, where the route has `buffer-requests`, `max-body-buffer-bytes`; or an agent wants to read it and it is larger than `max-body-inspection-bytes`, `max-agent-body-bytes` or the limit that the agent has named, or becomes larger than `max-decompressed-size-bytes` or `max-decompression-ratio` allow when it is inflated for the agent.',
    remedy: 'Send less, or raise the limit that `detail` names.',
  },
  unsupported_content_encoding: {
    when: 'An agent wants to read the body, and its `Content-Encoding` has a coding other than `gzip`, `deflate`, `br` and `identity`, or more than four.',
    remedy: 'Send it in a coding that `Accept-Encoding` of the answer names.',
  },
  target_too_long: {
    when: 'Path and query together have more than 8192 octets, or the request line is too long to be read.',
    remedy: 'Send what is long in a body.',
  },
  expectation_failed: {
    when: 'The request has an `Expect` other than `100-continue`.',
    remedy: 'Leave it out.',
  },
  header_too_large: {
    when: 'The number of header fields, the name or the value of one, or all of them together are over their limits.',
    remedy: 'Send less (cookies are the usual cause), or raise the limit that `detail` names.',
  },
  method_not_implemented: {
    when: 'The method is CONNECT or TRACE, or longer than 32 characters while no route names it.',
    remedy:
      'The gateway is no forward proxy, and shows nobody what it says to upstreams. Name a longer method in `matches { method }` of a route.',
  },
  upstream_unreachable: {
    when: 'The connection to the target was refused or reset, or its name cannot be resolved.',
    remedy: 'Look at the upstream; the log line has `target` and `cause`.',
  },
  upstream_invalid_response: {
    when: 'What the target sent is no valid HTTP response, or its head is larger than 64 KiB.',
    remedy: 'Look at the upstream; the log line has `cause`.',
  },
  response_too_large: {
    when: 'An agent wants to read the body of the response, and it is larger than agents are shown (see `body_too_large`).',
    remedy:
      'Raise the limit that the log line names, or do not subscribe the agent to `response_body_chunk` on this route.',
  },
  response_not_inspectable: {
    when: 'An agent wants to read the body of the response, and its `Content-Encoding` has a coding other than `gzip`, `deflate`, `br` and `identity`, or more than four, or it is a part (206) of something that is coded; or an agent has changed a part (206). The upstream is not counted as failed.',
    remedy:
      'Have the agent remove `Range` from requests, or the upstream heed `Accept-Encoding`; the log line has `cause`. See [bodies](../guides/agents.md#bodies).',
  },
  upstream_timeout: {
    when: 'Connecting took longer than `connect-secs`, the head of the response did not come within `request-secs`, or the target took nothing of the request body for `read-secs`.',
    remedy: 'Look at the upstream, or raise the time-out. See [time-outs](../guides/proxying.md#timeouts).',
  },
  upstream_overloaded: {
    when: 'All `max-connections` to the target are busy, and 1000 requests wait for one, or none was free within `request-secs`; or the request waited for one when the target was taken out, and there is no other; or the gateway has no free file descriptor for one.',
    remedy: 'Try again later; raise `max-connections` or add a target.',
  },
  rate_limited: {
    when: 'A rate of `limits` or of the route has been exceeded. `Retry-After` says when the next request is let through.',
    remedy: 'Send fewer requests, or raise the rate.',
  },
  rate_limit_unavailable: {
    when: 'The store of the rate limits cannot be asked, and `on-store-failure` is `deny`.',
    remedy: 'See that redis can be reached; the log says why it cannot.',
  },
  connection_limit_reached: {
    when: 'There are as many connections, or requests of the client or of the route, as the limits allow.',
    remedy: 'Use fewer connections at a time, or raise the limit that the log line names.',
  },
  request_limit_reached: {
    when: 'As many requests are served as the limits allow, and as many wait; or this one has waited for as long as it may.',
    remedy: 'Try again later; raise the limit that the log line names, or add a gateway.',
  },
  memory_limit_reached: {
    when: 'The gateway uses more memory than `max-memory-bytes` or `max-memory-percent` allow.',
    remedy: 'Try again later; raise the limit, or lower those of bodies and connections.',
  },
  circuit_open: {
    when: 'The route has failed as often in a row as its `circuit-breaker` bears.',
    remedy: 'Try again after the seconds of `Retry-After`; mend the upstream.',
  },
  no_healthy_target: {
    when: 'Every target of the upstream fails its health check, has failed too often, or is drained.',
    remedy: 'See /admin/upstreams for what is wrong with each.',
  },
  agent_unavailable: {
    when: 'An agent of the route cannot be reached, refuses its configuration, gave an answer that is none, or has too many calls waiting (`max-agent-queue-depth`).',
    remedy:
      'Look at the agent; the log line has `reason` and `cause`. See [agents](../guides/agents.md#when-an-agent-does-not-answer).',
  },
  agent_timeout: {
    when: 'An agent of the route did not answer within its `timeout-ms`.',
    remedy: 'Look at the agent, or raise `timeout-ms`.',
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

const signOnRefusals = new SignOnRefusals(new RecordingLogger(), { refused: () => undefined });

const agentRow = (answer: AgentAnswer, when: string): string => {
  const { decision } = answer;
  if (decision.kind !== 'block') throw new Error('an agent refuses by a block');
  const { code, title } = JSON.parse(decision.body ?? '{}') as { readonly code: string; readonly title: string };
  return `| ${decision.status} | \`${code}\` | ${title} | ${when} |`;
};

const example = JSON.stringify(
  JSON.parse(problemBody('no_route', 'No route of this gateway matches the request.', 'shop-17')),
  null,
  2,
);

/** The text of docs/reference/errors.md. */
export const errorsReference = (): string => `# Errors

<!-- Made from src/domain/http/gateway-problem.ts by the unit tests: UPDATE_DOCS=1 npx vitest run --project unit errors-page -->

Every error that the gateway itself answers is a problem document (RFC 9457), \`application/problem+json\`:

\`\`\`json
${example}
\`\`\`

\`code\` is stable: clients and alert rules may rely on it. \`title\` and \`detail\` are for people and may change.
\`correlation_id\` is also in \`X-Correlation-Id\`, in the access record and in the log line of the problem, which says more
than the client is told. Octets that never became a request have no access record; their log line has the id as \`trace_id\`.
An error of an upstream is passed on as it is; it has no \`code\`.

No answer holds an upstream's address, a file's path, a secret or a stack trace. \`Cache-Control\` is \`no-store\`.

## Codes

| Status | Code | Title | Closes the connection | Retry-After, seconds | Logged at |
|---|---|---|---|---|---|
${codes.map(tableRow).join('\n')}

A connection is closed after an answer where it cannot be known where the next request would begin, or where what comes
would not be read. \`Retry-After\` says that a retry is worth while. Where an error happens after the head of a response has
gone out, the connection is cut, so that the client does not take what it got for the whole. Refusals by the admin address
and by built-in endpoints have no log line of their own.

## When they happen, and what to do

| Code | When | What to do |
|---|---|---|
${codes.map(section).join('\n')}

## Answers of the agent

What an agent answers in place of the upstream reaches the client as the agent made it. \`gateway-auth\` answers in the same
form:

| Status | Code | Title | When |
|---|---|---|---|
${agentRow(refusedFor('missing_credentials'), 'No method accepts a credential of the request. `WWW-Authenticate` says what is wanted, and what is wrong with a genuine token; the reason is in the log of the agent alone.')}
${agentRow(refusedFor('insufficient_scope'), 'The token is good, but lacks one of the `required-scopes`, which `WWW-Authenticate` names.')}
${agentRow(deniedAnswer(requestEvent([]), { reason: 'denied_by_policy', policies: [] }, null), 'The policies do not allow the request; which ones decided is in the log of the agent alone. Where a token was shown, `WWW-Authenticate` has `error="insufficient_scope"`.')}
${agentRow(undecidedAnswer(requestEvent([])), 'The agent has no configuration yet, or failed; the keys of the OIDC provider were never had (`Retry-After` is 5), or those of the SAML provider (5), or the session store cannot be asked (5); too many passwords, forms or SAML documents wait. Otherwise `Retry-After` is 1.')}
${agentRow(signOnRefusals.refuse(requestEvent([]), 'wrong_signature', 'sign-on'), 'What came to an endpoint of [single sign-on](../guides/saml.md) from the identity provider is refused, or came in another browser than the one that began; the reason is in the log of the agent alone.')}
${agentRow(signOnRefusals.refuse(requestEvent([]), 'malformed_form', 'sign-on'), 'What came to such an endpoint is no form or query with the fields that it needs.')}
${agentRow(formRefusal({ kind: 'too_large', event: requestEvent([]) }), 'The form has more than 1 MiB.')}
${agentRow(formRefusal({ kind: 'dropped', event: requestEvent([]) }), 'The form was not all there after 30 seconds.')}

Such an endpoint that is asked with another method than its own answers 405 \`method_not_allowed\`, with \`Allow\`.

Their \`error_type\` in the access record is \`blocked_by_agent\`, and so it is for what follows.

${tokenEndpointErrors()}
## Without an answer

A client that goes away before its response has ended is in the access record with the \`error_type\` \`client_gone\`, and with
status 499 where no response had begun.
`;
