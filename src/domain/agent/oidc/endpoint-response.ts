import type { JsonObject, JsonValue } from '../../shared/json.js';
import { err, ok, type Result } from '../../shared/result.js';
import { parseStrictJsonObject } from '../../shared/strict-json.js';
import type { Claims } from '../tokens/claims.js';
import { maximumTokenLength } from '../tokens/compact-jws.js';
import { parseClaims } from '../tokens/parse-claims.js';

/** The answer of an endpoint of a provider. */
export interface EndpointResponse {
  readonly status: number;
  /** Null: the answer names none. */
  readonly contentType: string | null;
  readonly body: string;
}

/** The tokens of an answer. Not verified. They are secrets. */
export interface ReceivedTokens {
  readonly idToken: string;
  readonly accessToken: string;
  /** Null: none. */
  readonly refreshToken: string | null;
  /** How long the access token is valid, in milliseconds; null: not stated. */
  readonly lifetimeMs: number | null;
}

/** The tokens of an answer to a refresh, which may leave out the ID token. */
export interface RefreshedTokens extends Omit<ReceivedTokens, 'idToken'> {
  readonly idToken: string | null;
}

/** Why a token endpoint gives no tokens. */
export type TokenResponseFault =
  /** The code or the refresh token is not valid: unknown, used, expired, or of another client. */
  | 'code_refused'
  /** The provider does not accept this client or its request. */
  | 'client_refused'
  | 'malformed_token_response'
  | 'token_endpoint_failed';

/** VSCHAR (RFC 6749, appendix A.12). */
const tokenText = /^[\x20-\x7e]+$/;

/** The media type, in lower case and without parameters. */
const mediaType = (value: string | null): string => (value ?? '').replace(/;.*$/s, '').trim().toLowerCase();

/** Whether the answer declares itself as JSON. */
export const isJsonResponse = ({ contentType }: EndpointResponse): boolean =>
  mediaType(contentType) === 'application/json';

const isToken = (value: unknown): value is string =>
  typeof value === 'string' && value.length <= maximumTokenLength && tokenText.test(value);

const faultOf = (response: EndpointResponse): TokenResponseFault => {
  const json = isJsonResponse(response) ? parseStrictJsonObject(response.body) : null;
  const error = json?.['error'];
  // RFC 6749, section 5.2.
  if (typeof error !== 'string' || response.status >= 500) return 'token_endpoint_failed';
  return error === 'invalid_grant' ? 'code_refused' : 'client_refused';
};

/** The longest life of an access token that counts, in seconds. */
const longestLifeSecs = 1_000_000_000;

/** Some providers write a text. A life that is not positive counts as not stated. */
const lifetimeMsOf = (value: JsonValue | undefined): number | null => {
  const isNumberText = typeof value === 'string' && /^\d{1,10}$/.test(value);
  const secs = typeof value === 'number' || isNumberText ? Number(value) : 0;
  return secs > 0 ? Math.ceil(Math.min(secs, longestLifeSecs) * 1000) : null;
};

const tokensOf = (json: JsonObject): RefreshedTokens | null => {
  const { token_type: type, access_token: accessToken } = json;
  const { id_token: idToken = null, refresh_token: refreshToken = null } = json;
  if (typeof type !== 'string' || type.toLowerCase() !== 'bearer' || !isToken(accessToken)) return null;
  if ((idToken !== null && !isToken(idToken)) || (refreshToken !== null && !isToken(refreshToken))) return null;
  return { accessToken, idToken, refreshToken, lifetimeMs: lifetimeMsOf(json['expires_in']) };
};

/** Reads the answer to a refresh (RFC 6749, section 6; OpenID Connect Core, section 12.2). */
export const readRefreshResponse = (response: EndpointResponse): Result<RefreshedTokens, TokenResponseFault> => {
  if (response.status !== 200) return err(faultOf(response));
  const json = isJsonResponse(response) ? parseStrictJsonObject(response.body) : null;
  const tokens = json === null ? null : tokensOf(json);
  return tokens === null ? err('malformed_token_response') : ok(tokens);
};

/**
 * Reads the answer of a token endpoint (OpenID Connect Core, section 3.1.3.3): 200, JSON without repeated names, an
 * access token of the type Bearer, and an ID token.
 */
export const readTokenResponse = (response: EndpointResponse): Result<ReceivedTokens, TokenResponseFault> => {
  const tokens = readRefreshResponse(response);
  if (!tokens.ok) return tokens;
  const { idToken } = tokens.value;
  return idToken === null ? err('malformed_token_response') : ok({ ...tokens.value, idToken });
};

/**
 * Reads the claims of a userinfo endpoint (OpenID Connect Core, section 5.3.2). They must be about the user of the ID
 * token.
 */
export const readUserinfo = (
  response: EndpointResponse,
  subject: string,
): Result<Claims, 'userinfo_failed' | 'wrong_userinfo_subject'> => {
  const claims = response.status === 200 && isJsonResponse(response) ? parseClaims(response.body) : null;
  if (claims === null) return err('userinfo_failed');
  return claims['sub'] === subject ? ok(claims) : err('wrong_userinfo_subject');
};
