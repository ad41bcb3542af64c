/**
 * Error codes of the token endpoint (RFC 6749, section 5.2; RFC 8693, section 2.2.2; the last two: RFC 6749, section
 * 4.1.2.1).
 */
export type OAuthErrorCode =
  | 'invalid_request'
  | 'invalid_client'
  | 'unauthorized_client'
  | 'unsupported_grant_type'
  | 'invalid_scope'
  | 'invalid_target'
  | 'server_error'
  | 'temporarily_unavailable';

/** The answer to a refused exchange. */
export interface RefusalAnswer {
  readonly status: 400 | 401 | 405 | 408 | 413 | 429 | 500 | 503;
  readonly error: OAuthErrorCode;
  /** ASCII without quotes and backslashes (RFC 6749, section 5.2), and without any of the request. */
  readonly description: string;
}

const answer = (error: OAuthErrorCode, description: string, status: RefusalAnswer['status'] = 400): RefusalAnswer => ({
  status,
  error,
  description,
});

const busy = (description: string): RefusalAnswer => answer('temporarily_unavailable', description, 503);

/**
 * Why an exchange is refused, with its answer. The reasons are stable: logs, metric labels and audit records contain
 * them. Several share an answer if the difference would help a forger.
 */
export const exchangeRefusals = {
  // The request.
  method_not_allowed: answer('invalid_request', 'The token endpoint accepts only POST.', 405),
  not_a_form: answer('invalid_request', 'The body must be application/x-www-form-urlencoded.'),
  form_too_large: answer('invalid_request', 'The body is too large.', 413),
  form_timeout: answer('invalid_request', 'The body did not arrive in time.', 408),
  malformed_form: answer('invalid_request', 'The body is not a well-formed form.'),
  parameters_in_query: answer('invalid_request', 'Parameters belong in the body, not in the URI.'),
  duplicate_parameter: answer('invalid_request', 'A parameter is repeated that may occur only once.'),
  too_many_parameters: answer('invalid_request', 'There are too many parameters.'),
  missing_grant_type: answer('invalid_request', 'grant_type is missing.'),
  unsupported_grant_type: answer('unsupported_grant_type', 'Only token exchange (RFC 8693) is supported.'),
  missing_subject_token: answer('invalid_request', 'subject_token is missing.'),
  missing_subject_token_type: answer('invalid_request', 'subject_token_type is missing.'),
  missing_actor_token: answer('invalid_request', 'actor_token_type is given without actor_token.'),
  missing_actor_token_type: answer('invalid_request', 'actor_token is given without actor_token_type.'),
  unsupported_subject_token_type: answer('invalid_request', 'Tokens of that subject_token_type are not accepted.'),
  unsupported_actor_token_type: answer('invalid_request', 'Tokens of that actor_token_type are not accepted.'),
  unsupported_requested_token_type: answer('invalid_request', 'Tokens of that requested_token_type are not issued.'),
  malformed_scope: answer('invalid_scope', 'scope is not a list of scopes, separated by single spaces.'),
  malformed_resource: answer('invalid_target', 'resource must be an absolute URI without a fragment.'),
  malformed_audience: answer('invalid_target', 'audience is too long, or not made of printable characters.'),
  // The client.
  missing_client: answer('invalid_client', 'The client must authenticate.', 401),
  malformed_client_credentials: answer('invalid_client', 'The credentials of the client are malformed.', 401),
  several_client_credentials: answer('invalid_request', 'The client uses more than one authentication method.'),
  client_mismatch: answer('invalid_client', 'The credentials and client_id name different clients.', 401),
  wrong_client_credentials: answer('invalid_client', 'The client is unknown, or its credentials are wrong.', 401),
  wrong_client_assertion: answer('invalid_client', 'The client assertion is not accepted.', 401),
  client_assertion_replayed: answer('invalid_client', 'The client assertion is not accepted.', 401),
  // The tokens.
  invalid_subject_token: answer('invalid_request', 'The subject token is not accepted.'),
  invalid_actor_token: answer('invalid_request', 'The actor token is not accepted.'),
  subject_token_replayed: answer('invalid_request', 'The subject token is not accepted.'),
  actor_token_replayed: answer('invalid_request', 'The actor token is not accepted.'),
  bound_token: answer('invalid_request', 'A token that is bound to a key cannot be exchanged.'),
  not_for_client: answer('invalid_request', 'The token is not meant for this client.'),
  // What is requested.
  exchange_not_allowed: answer('invalid_request', 'This kind of token cannot be exchanged for that one.'),
  client_has_no_exchange: answer('unauthorized_client', 'The client may not exchange tokens.'),
  target_not_allowed: answer('invalid_target', 'That audience or resource is not allowed.'),
  scope_not_allowed: answer('invalid_scope', 'The scope exceeds the scope of the subject token.'),
  actor_not_allowed: answer('invalid_request', 'The actor may not act for the subject.'),
  too_many_actors: answer('invalid_request', 'The chain of actors is too long.'),
  malformed_act: answer('invalid_request', 'The claim act or may_act of a token cannot be read.'),
  delegated_actor_token: answer('invalid_request', 'The actor token has an actor itself.'),
  subject_token_over: answer('invalid_request', 'The subject token is not accepted.'),
  token_too_large: answer('invalid_request', 'The token would be too large.'),
  // Temporary conditions.
  rate_limited: answer('temporarily_unavailable', 'Too many requests.', 429),
  overloaded: busy('Too many requests are pending. Try again later.'),
  keys_unavailable: busy('The token cannot be verified now. Try again later.'),
  provider_unavailable: busy('The token cannot be verified now. Try again later.'),
  store_unavailable: busy('The token cannot be verified now. Try again later.'),
  cancelled: busy('The exchange was cancelled.'),
  signing_failed: answer('server_error', 'The token could not be issued.', 500),
} as const satisfies Readonly<Record<string, RefusalAnswer>>;

export type ExchangeReason = keyof typeof exchangeRefusals;
