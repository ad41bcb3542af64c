/** How the provider sends its answer: in the query of a redirect, or in a posted form (OAuth 2.0 Form Post). */
export type ResponseMode = 'query' | 'form_post';

/** The parameters of an authorization request that the configuration determines. */
export interface AuthorizationParameters {
  readonly clientId: string;
  readonly scopes: readonly string[];
  /** Values of `prompt`; empty: not sent. */
  readonly prompt: readonly string[];
  /** Maximum age of the user's authentication, in seconds; null: any. */
  readonly maxAgeSecs: number | null;
  /** Requested and required authentication contexts, most wanted first; empty: any. */
  readonly acrValues: readonly string[];
  readonly responseMode: ResponseMode;
}

/** One authorization request. */
export interface CodeFlowRequest {
  readonly redirectUri: string;
  readonly state: string;
  readonly nonce: string;
  /** The SHA-256 of the code verifier, in base64url (RFC 7636, section 4.2). */
  readonly codeChallenge: string;
}

/**
 * The parameters of an authorization request (OpenID Connect Core, section 3.1.2.1; RFC 7636, section 4.3).
 * `response_mode` is sent only if it is not the default of the code flow.
 */
export const authorizationParameters = (
  options: AuthorizationParameters,
  { redirectUri, state, nonce, codeChallenge }: CodeFlowRequest,
): readonly (readonly [string, string])[] => [
  ['response_type', 'code'],
  ['client_id', options.clientId],
  ['redirect_uri', redirectUri],
  ['scope', options.scopes.join(' ')],
  ['state', state],
  ['nonce', nonce],
  ['code_challenge', codeChallenge],
  ['code_challenge_method', 'S256'],
  ...(options.responseMode === 'query' ? [] : [['response_mode', options.responseMode] as const]),
  ...(options.prompt.length === 0 ? [] : [['prompt', options.prompt.join(' ')] as const]),
  ...(options.maxAgeSecs === null ? [] : [['max_age', String(options.maxAgeSecs)] as const]),
  ...(options.acrValues.length === 0 ? [] : [['acr_values', options.acrValues.join(' ')] as const]),
];

/** Encodes parameters as a query or a form. No value has a lone surrogate. */
export const encodeParameters = (parameters: readonly (readonly [string, string])[]): string =>
  parameters.map(([name, value]) => `${encodeURIComponent(name)}=${encodeURIComponent(value)}`).join('&');

/** The URL of an authorization request. The query of the endpoint stays (RFC 6749, section 3.1). */
export const authorizationUrl = (
  endpoint: string,
  options: AuthorizationParameters,
  request: CodeFlowRequest,
): string => {
  const mark = endpoint.includes('?') ? '&' : '?';
  return (
    endpoint +
    (endpoint.endsWith('?') || endpoint.endsWith('&') ? '' : mark) +
    encodeParameters(authorizationParameters(options, request))
  );
};
