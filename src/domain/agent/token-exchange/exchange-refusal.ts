/**
 * Error codes of the token endpoint (RFC 6749, section 5.2; RFC 8693, section 2.2.2; RFC 6749, section 4.1.2.1 for
 * the last two).
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

/** What the client is told where its exchange is refused. */
export interface RefusalAnswer {
  readonly status: 400 | 401 | 405 | 408 | 413 | 429 | 500 | 503;
  readonly error: OAuthErrorCode;
  /** ASCII without quotes and backslashes (RFC 6749, section 5.2), and nothing of what was sent. */
  readonly description: string;
}

const answer = (error: OAuthErrorCode, description: string, status: RefusalAnswer['status'] = 400): RefusalAnswer => ({
  status,
  error,
  description,
});

const busy = (description: string): RefusalAnswer => answer('temporarily_unavailable', description, 503);

/**
 * Why an exchange is refused, with the answer to it. The reasons are stable: they are in logs, metric labels and
 * audit lines. Several may have one answer, where a forger could learn by the difference.
 */
export const exchangeRefusals = {
  // Of the request.
  method_not_allowed: answer('invalid_request', 'The token endpoint takes POST alone.', 405),
  not_a_form: answer('invalid_request', 'The body must be application/x-www-form-urlencoded.'),
  form_too_large: answer('invalid_request', 'The body is too large.', 413),
  form_timeout: answer('invalid_request', 'The body was not here in time.', 408),
  malformed_form: answer('invalid_request', 'The body is not a well-formed form.'),
  parameters_in_query: answer('invalid_request', 'Parameters belong in the body, not in the URI.'),
  duplicate_parameter: answer('invalid_request', 'A parameter occurs more than once that may occur once.'),
  too_many_parameters: answer('invalid_request', 'There are too many parameters.'),
  missing_grant_type: answer('invalid_request', 'grant_type is missing.'),
  unsupported_grant_type: answer('unsupported_grant_type', 'Only token exchange (RFC 8693) is done here.'),
  missing_subject_token: answer('invalid_request', 'subject_token is missing.'),
  missing_subject_token_type: answer('invalid_request', 'subject_token_type is missing.'),
  missing_actor_token: answer('invalid_request', 'actor_token_type is given without actor_token.'),
  missing_actor_token_type: answer('invalid_request', 'actor_token is given without actor_token_type.'),
  unsupported_subject_token_type: answer('invalid_request', 'Tokens of that subject_token_type are not taken here.'),
  unsupported_actor_token_type: answer('invalid_request', 'Tokens of that actor_token_type are not taken here.'),
  unsupported_requested_token_type: answer(
    'invalid_request',
    'Tokens of that requested_token_type are not issued here.',
  ),
  malformed_scope: answer('invalid_scope', 'scope is not a list of scopes, separated by single spaces.'),
  malformed_resource: answer('invalid_target', 'resource must be an absolute URI without a fragment.'),
  malformed_audience: answer('invalid_target', 'audience is too long, or not made of printable characters.'),
  // Of the client.
  missing_client: answer('invalid_client', 'The client has to authenticate itself.', 401),
  malformed_client_credentials: answer('invalid_client', 'The credentials of the client are malformed.', 401),
  several_client_credentials: answer('invalid_request', 'The client authenticates itself in more than one way.'),
  client_mismatch: answer('invalid_client', 'The credentials are of another client than client_id.', 401),
  wrong_client_credentials: answer('invalid_client', 'The client is not known, or its credentials are wrong.', 401),
  wrong_client_assertion: answer('invalid_client', 'The client assertion is not accepted.', 401),
  client_assertion_replayed: answer('invalid_client', 'The client assertion is not accepted.', 401),
  // Of the tokens.
  invalid_subject_token: answer('invalid_request', 'The subject token is not accepted.'),
  invalid_actor_token: answer('invalid_request', 'The actor token is not accepted.'),
  subject_token_replayed: answer('invalid_request', 'The subject token is not accepted.'),
  actor_token_replayed: answer('invalid_request', 'The actor token is not accepted.'),
  bound_token: answer('invalid_request', 'A token that is bound to a key cannot be exchanged.'),
  not_for_client: answer('invalid_request', 'The token is not meant for this client.'),
  // Of what is asked for.
  exchange_not_allowed: answer('invalid_request', 'This kind of token is not exchanged for that one.'),
  client_has_no_exchange: answer('unauthorized_client', 'The client may not exchange tokens.'),
  target_not_allowed: answer('invalid_target', 'A token for that audience or resource cannot be had.'),
  scope_not_allowed: answer('invalid_scope', 'The scope goes beyond what the subject token gives.'),
  actor_not_allowed: answer('invalid_request', 'The actor may not act for the subject.'),
  too_many_actors: answer('invalid_request', 'Too many actors act for one another.'),
  malformed_act: answer('invalid_request', 'The claim act or may_act of a token cannot be read.'),
  delegated_actor_token: answer('invalid_request', 'Somebody acts for the actor.'),
  subject_token_over: answer('invalid_request', 'The subject token is not accepted.'),
  token_too_large: answer('invalid_request', 'The token would be too large.'),
  // Of the moment.
  rate_limited: answer('temporarily_unavailable', 'Too many requests.', 429),
  overloaded: busy('Too much is under way at the moment.'),
  keys_unavailable: busy('The token cannot be judged at the moment.'),
  provider_unavailable: busy('The token cannot be judged at the moment.'),
  store_unavailable: busy('The token cannot be judged at the moment.'),
  cancelled: busy('The exchange was given up.'),
  signing_failed: answer('server_error', 'The token could not be made.', 500),
} as const satisfies Readonly<Record<string, RefusalAnswer>>;

export type ExchangeReason = keyof typeof exchangeRefusals;
