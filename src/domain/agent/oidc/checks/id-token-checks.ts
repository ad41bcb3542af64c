import { type Claims, numericDateMs } from '../../tokens/claims.js';
import type { OidcRejection } from '../oidc-rejection.js';

/** What the claims of an ID token must match, besides those of every token of the provider. */
export interface IdTokenExpectation {
  readonly nowMs: number;
  readonly clockSkewMs: number;
  readonly clientId: string;
  /** The nonce of the request. */
  readonly nonce: string;
  /** When the request was sent, in milliseconds since the Unix epoch. */
  readonly requestedMs: number;
  /** The hash of the access token that came along, as `tokenHash` makes it. */
  readonly accessTokenHash: string;
  /** The hash of the code. */
  readonly codeHash: string;
  /** Maximum age of the user's authentication, in seconds; null: any. */
  readonly maxAgeSecs: number | null;
  /** Authentication contexts of which one is required; empty: any. */
  readonly acrValues: readonly string[];
}

/** A requirement for the claims of an ID token with a verified signature; null: fulfilled. */
export type IdTokenCheck<Members extends keyof IdTokenExpectation = keyof IdTokenExpectation> = (
  claims: Claims,
  expectation: Pick<IdTokenExpectation, Members>,
) => OidcRejection | null;

/** Requires the nonce of the request (OpenID Connect Core, section 3.1.3.7, rule 11). */
const checkNonce: IdTokenCheck = ({ nonce: given }, { nonce }) => (given === nonce ? null : 'wrong_nonce');

/** Requires this client as authorized party, if the token names one (rules 4 and 5). */
export const checkAuthorizedParty: IdTokenCheck<'clientId'> = ({ azp }, { clientId }) =>
  azp === undefined || azp === clientId ? null : 'wrong_party';

/** Refuses a token that is older than the request: the provider makes it for the code (rule 10). */
export const checkIssuedAt: IdTokenCheck<'requestedMs' | 'clockSkewMs'> = ({ iat }, { requestedMs, clockSkewMs }) => {
  const issuedMs = numericDateMs(iat);
  if (issuedMs === null) return 'missing_issued_at';
  // Seconds are rounded down.
  return issuedMs + 1000 + clockSkewMs >= requestedMs ? null : 'issued_too_long_ago';
};

/** Requires the hash of the access token, if the token has one (OpenID Connect Core, section 3.1.3.8). */
export const checkAccessTokenHash: IdTokenCheck<'accessTokenHash'> = (claims, { accessTokenHash }) =>
  !Object.hasOwn(claims, 'at_hash') || claims['at_hash'] === accessTokenHash ? null : 'wrong_access_token_hash';

/** Requires the hash of the code, if the token has one (OpenID Connect Core, section 3.3.2.10). */
const checkCodeHash: IdTokenCheck = (claims, { codeHash }) =>
  !Object.hasOwn(claims, 'c_hash') || claims['c_hash'] === codeHash ? null : 'wrong_code_hash';

/** Requires a recent authentication, if the request demanded one (rule 13). */
const checkAuthenticationTime: IdTokenCheck = ({ auth_time: given }, { maxAgeSecs, nowMs, clockSkewMs }) => {
  if (maxAgeSecs === null) return null;
  const authenticatedMs = numericDateMs(given);
  if (authenticatedMs === null || authenticatedMs - clockSkewMs > nowMs) return 'authentication_not_fresh';
  return nowMs <= authenticatedMs + maxAgeSecs * 1000 + clockSkewMs ? null : 'authentication_not_fresh';
};

/** Requires one of the requested authentication contexts (rule 12). */
const checkAuthenticationContext: IdTokenCheck = ({ acr }, { acrValues }) =>
  acrValues.length === 0 || (typeof acr === 'string' && acrValues.includes(acr))
    ? null
    : 'wrong_authentication_context';

/**
 * The requirements of a sign-on for an ID token, in order. `checkIdTokenClaims` has checked issuer, audience, times and
 * subject before, with the signature.
 */
export const idTokenChecks: readonly IdTokenCheck[] = [
  checkNonce,
  checkAuthorizedParty,
  checkIssuedAt,
  checkAccessTokenHash,
  checkCodeHash,
  checkAuthenticationTime,
  checkAuthenticationContext,
];

/** The first requirement that the claims fail; null: they fulfil all. */
export const idTokenFault = (claims: Claims, expectation: IdTokenExpectation): OidcRejection | null => {
  for (const check of idTokenChecks) {
    const fault = check(claims, expectation);
    if (fault !== null) return fault;
  }
  return null;
};
