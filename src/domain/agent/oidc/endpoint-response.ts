import type { JsonObject } from '../../shared/json.js';
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
}

/** Why a token endpoint gives no tokens. */
export type TokenResponseFault =
  /** The code is not valid: unknown, used, expired, or of another client. */
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
  if (error === 'invalid_grant') return 'code_refused';
  return typeof error === 'string' && response.status < 500 ? 'client_refused' : 'token_endpoint_failed';
};

const tokensOf = (json: JsonObject): ReceivedTokens | null => {
  const { token_type: type, access_token: accessToken, id_token: idToken } = json;
  if (typeof type !== 'string' || type.toLowerCase() !== 'bearer') return null;
  return isToken(accessToken) && isToken(idToken) ? { accessToken, idToken } : null;
};

/**
 * Reads the answer of a token endpoint (OpenID Connect Core, section 3.1.3.3): 200, JSON without repeated names, an
 * access token of the type Bearer, and an ID token.
 */
export const readTokenResponse = (response: EndpointResponse): Result<ReceivedTokens, TokenResponseFault> => {
  if (response.status !== 200) return err(faultOf(response));
  const json = isJsonResponse(response) ? parseStrictJsonObject(response.body) : null;
  const tokens = json === null ? null : tokensOf(json);
  return tokens === null ? err('malformed_token_response') : ok(tokens);
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
