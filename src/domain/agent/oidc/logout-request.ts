import { encodeParameters } from './authorization-request.js';

/** What a request to end the session at the provider says. */
export interface EndSessionRequest {
  readonly clientId: string;
  /** The ID token of the session; null: not kept. */
  readonly idToken: string | null;
  /** Where the provider sends the browser afterwards; null: it decides. */
  readonly postLogoutUrl: string | null;
  /** The provider returns it to `postLogoutUrl`. */
  readonly state: string;
}

/** Maximum characters of an ID token that a session keeps: some providers and proxies refuse longer URLs. */
export const maximumHintLength = 4_096;

/**
 * The URL that signs a user out at the provider (OpenID Connect RP-Initiated Logout 1.0, section 2). The ID token tells
 * the provider which session ends; without one, `client_id` names the client and the provider asks the user.
 */
export const logoutUrl = (endpoint: string, { clientId, idToken, postLogoutUrl, state }: EndSessionRequest): string => {
  const mark = endpoint.includes('?') ? '&' : '?';
  return (
    endpoint +
    (endpoint.endsWith('?') || endpoint.endsWith('&') ? '' : mark) +
    encodeParameters([
      idToken === null ? ['client_id', clientId] : ['id_token_hint', idToken],
      ...(postLogoutUrl === null
        ? []
        : ([
            ['post_logout_redirect_uri', postLogoutUrl],
            ['state', state],
          ] as const)),
    ])
  );
};
