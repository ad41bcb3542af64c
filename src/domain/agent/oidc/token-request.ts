import { claimsJson } from '../tokens/claims.js';
import { encodeParameters } from './authorization-request.js';

/** How a client proves to the token endpoint who it is. */
export type ClientMethod = 'client_secret_basic' | 'client_secret_post' | 'private_key_jwt' | 'none';

/** The credentials of a client for one request. */
export type ClientProof =
  | { readonly method: 'client_secret_basic' | 'client_secret_post'; readonly secret: string }
  /** `assertion`: a signed JWT. */
  | { readonly method: 'private_key_jwt'; readonly assertion: string }
  | { readonly method: 'none' };

/** The code of a callback, and what proves that it belongs to this sign-on. */
export interface CodeGrant {
  readonly code: string;
  /** The redirect URI of the authorization request. */
  readonly redirectUri: string;
  /** RFC 7636, section 4.5. */
  readonly codeVerifier: string;
}

/** A request to the token endpoint. It contains secrets. */
export interface TokenRequest {
  /** application/x-www-form-urlencoded. */
  readonly form: string;
  /** The user name and the password of Basic authentication, both form-encoded; null: none. */
  readonly basic: { readonly user: string; readonly password: string } | null;
}

/** RFC 7523, section 2.2. */
const assertionType = 'urn:ietf:params:oauth:client-assertion-type:jwt-bearer';

const clientParameters = (clientId: string, proof: ClientProof): readonly (readonly [string, string])[] => {
  switch (proof.method) {
    case 'client_secret_basic':
      return [];
    case 'client_secret_post':
      return [
        ['client_id', clientId],
        ['client_secret', proof.secret],
      ];
    case 'private_key_jwt':
      return [
        ['client_id', clientId],
        ['client_assertion_type', assertionType],
        ['client_assertion', proof.assertion],
      ];
    case 'none':
      return [['client_id', clientId]];
  }
};

/** The parameters of a grant. */
export type GrantParameters = readonly (readonly [string, string])[];

/** Exchanges a code for tokens (RFC 6749, section 4.1.3; RFC 7636, section 4.5). */
export const codeParameters = ({ code, redirectUri, codeVerifier }: CodeGrant): GrantParameters => [
  ['grant_type', 'authorization_code'],
  ['code', code],
  ['redirect_uri', redirectUri],
  ['code_verifier', codeVerifier],
];

/** Exchanges a refresh token for tokens, with the scope of the session (RFC 6749, section 6). */
export const refreshParameters = (refreshToken: string): GrantParameters => [
  ['grant_type', 'refresh_token'],
  ['refresh_token', refreshToken],
];

/** A request of an authenticated client (RFC 6749, section 2.3.1). */
export const tokenRequest = (clientId: string, grant: GrantParameters, proof: ClientProof): TokenRequest => ({
  form: encodeParameters([...grant, ...clientParameters(clientId, proof)]),
  basic:
    proof.method === 'client_secret_basic'
      ? { user: encodeURIComponent(clientId), password: encodeURIComponent(proof.secret) }
      : null,
});

/**
 * The method of a client with a secret. Basic is the default (OpenID Connect Discovery, section 3); `post` applies if
 * the provider lists it and not Basic.
 * @param supported the listed methods; null: no list
 */
export const secretMethod = (supported: readonly string[] | null): 'client_secret_basic' | 'client_secret_post' =>
  supported === null || supported.includes('client_secret_basic') || !supported.includes('client_secret_post')
    ? 'client_secret_basic'
    : 'client_secret_post';

/** Seconds for which a client assertion is valid. */
const assertionLifeSecs = 60;

/** The claims of a client assertion for a token endpoint (OpenID Connect Core, section 9). */
export const clientAssertionClaims = (clientId: string, tokenUrl: string, id: string, nowMs: number): string => {
  const iat = Math.floor(nowMs / 1000);
  return claimsJson({ iss: clientId, sub: clientId, aud: tokenUrl, jti: id, iat, exp: iat + assertionLifeSecs });
};
