import { oauthErrorAnswer } from '../../../src/application/agent/exchange-token/oauth-answers.js';
import { type ExchangeReason, exchangeRefusals } from '../../../src/domain/agent/token-exchange/exchange-refusal.js';

/** What no reason can say of itself. A reason without an entry does not compile. */
const occasions: Readonly<Record<ExchangeReason, string>> = {
  method_not_allowed: 'Another method than POST.',
  not_a_form: '`Content-Type` is missing, repeated or another one, or the body is compressed.',
  form_too_large: 'The form has more than 64 KiB, or, where assertions of SAML may be exchanged, more than 1 MiB.',
  form_timeout: 'The form was not all there after 30 seconds, or made way for others.',
  malformed_form: 'A broken escape, octets that are no UTF-8, or characters beyond ASCII that are not escaped.',
  parameters_in_query: 'The query of the URI has a parameter of token exchange.',
  duplicate_parameter: 'A name occurs twice that is not `audience` or `resource`.',
  too_many_parameters: 'More than 64 parameters, or more than 16 of `audience` and `resource` together.',
  missing_grant_type: '`grant_type` is missing or empty.',
  unsupported_grant_type: '`grant_type` is another one.',
  missing_subject_token: '`subject_token` is missing or empty.',
  missing_subject_token_type: '`subject_token_type` is missing or empty.',
  missing_actor_token: '`actor_token_type` comes alone.',
  missing_actor_token_type: '`actor_token` comes alone.',
  unsupported_subject_token_type: '`subject_token_type` is none that is known.',
  unsupported_actor_token_type:
    '`actor_token_type` is none that is known, or none that may be exchanged itself (`subject-token-type` of `allowed-exchanges`).',
  unsupported_requested_token_type: '`requested_token_type` is none that is issued.',
  malformed_scope: '`scope` has characters that no scope has, more than one space between two, or is too long.',
  malformed_resource: '`resource` is relative, has a fragment, or is too long.',
  malformed_audience: '`audience` is too long or has characters that cannot be printed.',
  missing_client: 'There are `clients`, and the request shows no credentials.',
  malformed_client_credentials: 'Credentials of a client that cannot be read.',
  several_client_credentials: 'Two kinds of credentials at once.',
  client_mismatch: '`client_id` names another client than the credentials.',
  wrong_client_credentials: 'An unknown client, or a wrong secret.',
  wrong_client_assertion: 'A `client_assertion` whose signature or claims are not in order.',
  client_assertion_replayed: 'The `jti` of the `client_assertion` was taken before.',
  invalid_subject_token: 'The subject token is not verified; `detail` says why.',
  invalid_actor_token: 'The actor token is not verified (`detail` says why), or it is over.',
  subject_token_replayed: 'The assertion was taken before, and may be taken once.',
  actor_token_replayed: 'The same, of the actor token.',
  bound_token: 'A token with `cnf`: who shows it has not proved that the key is theirs.',
  not_for_client: 'A token issued here whose `aud` names neither the client nor one of its `subject-audiences`.',
  exchange_not_allowed: 'No pair of `allowed-exchanges` fits.',
  client_has_no_exchange: 'The client has no `allowed-exchanges` at all.',
  target_not_allowed: 'An `audience` or `resource` that is not among `allowed-audiences`.',
  scope_not_allowed: 'A scope that the subject token does not have, or that is not among `allowed-scopes`.',
  actor_not_allowed: 'Not the party that `may_act` of the subject token names.',
  too_many_actors: 'The chain of actors would be longer than `max-actors`.',
  malformed_act: '`act` or `may_act` of a token is no such object as RFC 8693 describes.',
  delegated_actor_token: 'The actor token has `act` itself.',
  subject_token_over:
    'The subject token is over, or less than a second of it is left where the new one must not outlast it.',
  token_too_large: 'The `claims-copied` of the subject token are too long.',
  rate_limited: 'The `rate-limit`, of the address or of the client; `detail` says which.',
  overloaded: 'Too many forms, passwords or documents are under way.',
  keys_unavailable: 'The keys of an OIDC provider were never had.',
  provider_unavailable: 'Nothing is known of the SAML provider yet.',
  store_unavailable: 'It cannot be remembered that a token, or a client assertion, was taken.',
  cancelled: 'The client has gone, or the configuration was replaced.',
  signing_failed: 'The token could not be signed, or the agent failed.',
};

const reasons = Object.keys(exchangeRefusals) as ExchangeReason[];

const retryAfterOf = (reason: ExchangeReason): string => {
  const { decision } = oauthErrorAnswer({ reason, detail: null, retryAfterMs: null });
  if (decision.kind !== 'block') throw new Error('a refusal is a block');
  const at = decision.headers.indexOf('Retry-After');
  if (reason === 'rate_limited') return 'until one is let through';
  return at < 0 ? '' : (decision.headers[at + 1] as string);
};

const row = (reason: ExchangeReason): string => {
  const { status, error, description } = exchangeRefusals[reason];
  const cells = [`\`${reason}\``, status, `\`${error}\``, description, retryAfterOf(reason), occasions[reason]];
  return `| ${cells.join(' | ')} |`;
};

const example = JSON.stringify(
  {
    error: exchangeRefusals.target_not_allowed.error,
    error_description: exchangeRefusals.target_not_allowed.description,
  },
  null,
  2,
);

/** The chapter of docs/reference/errors.md about the token endpoint. */
export const tokenEndpointErrors = (): string => `## Answers of the token endpoint

The token endpoint returns OAuth errors (RFC 6749, section 5.2; RFC 8693, section 2.2.2) as \`application/json\` with
\`Cache-Control: no-store\` and \`Pragma: no-cache\`:

\`\`\`json
${example}
\`\`\`

\`error\` is stable. The client does not get the reason. It is in the audit line of the exchange (\`audit\` is
\`token_exchange\`) and in the label \`result\` of \`token_exchanges_total\`. Several reasons share one answer where a difference
would help a forger. A 401 has \`WWW-Authenticate\` with the schemes Basic and Bearer, a 405 has \`Allow\`.

| Reason | Status | error | error_description | Retry-After, seconds | When |
|---|---|---|---|---|---|
${reasons.map(row).join('\n')}

The documents of the issuer, its keys and its metadata, are read with GET or HEAD; other methods get 405 \`method_not_allowed\` as a
problem document.
`;
