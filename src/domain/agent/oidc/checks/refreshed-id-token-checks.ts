import { type Claims, type ClaimValue, claimedNumberText, isClaimedNumber } from '../../tokens/claims.js';
import type { OidcRejection } from '../oidc-rejection.js';
import {
  checkAccessTokenHash,
  checkAuthorizedParty,
  checkIssuedAt,
  type IdTokenExpectation,
} from './id-token-checks.js';

/** What the claims of the ID token of a refresh must match, besides those of every token of the provider. */
export interface RefreshedIdTokenExpectation
  extends Pick<IdTokenExpectation, 'clientId' | 'clockSkewMs' | 'requestedMs' | 'accessTokenHash' | 'acrValues'> {
  /** The claims of the session: those of the sign-on, or of the last refresh with an ID token. */
  readonly before: Claims;
}

/** A requirement for the claims of an ID token with a verified signature; null: fulfilled. */
type RefreshedIdTokenCheck = (claims: Claims, expectation: RefreshedIdTokenExpectation) => OidcRejection | null;

const claimOf = (claims: Claims, name: string): ClaimValue | undefined =>
  Object.hasOwn(claims, name) ? claims[name] : undefined;

/** Requires the user of the sign-on. */
const checkSubject: RefreshedIdTokenCheck = (claims, { before }) =>
  claimOf(claims, 'sub') === claimOf(before, 'sub') ? null : 'other_subject';

const sameNumber = (one: ClaimValue | undefined, other: ClaimValue | undefined): boolean =>
  isClaimedNumber(one) && isClaimedNumber(other) && claimedNumberText(one) === claimedNumberText(other);

/** Requires the time of the original authentication, if both tokens name one. */
const checkAuthenticationTime: RefreshedIdTokenCheck = (claims, { before }) => {
  const [now, then] = [claimOf(claims, 'auth_time'), claimOf(before, 'auth_time')];
  return now === undefined || then === undefined || sameNumber(now, then) ? null : 'other_authentication_time';
};

/** Requires the former or a requested authentication context, if the token names one. */
const checkAuthenticationContext: RefreshedIdTokenCheck = (claims, { acrValues, before }) => {
  const acr = claimOf(claims, 'acr');
  if (acr === undefined || acrValues.length === 0 || acr === claimOf(before, 'acr')) return null;
  return typeof acr === 'string' && acrValues.includes(acr) ? null : 'wrong_authentication_context';
};

/**
 * The requirements of a refresh for an ID token, in order (OpenID Connect Core, section 12.2). `checkIdTokenClaims` has
 * checked issuer, audience, times and subject before, with the signature. A refresh has no nonce.
 */
export const refreshedIdTokenChecks: readonly RefreshedIdTokenCheck[] = [
  checkSubject,
  checkAuthorizedParty,
  checkIssuedAt,
  checkAccessTokenHash,
  checkAuthenticationTime,
  checkAuthenticationContext,
];

/** The first requirement that the claims fail; null: they fulfil all. */
export const refreshedIdTokenFault = (
  claims: Claims,
  expectation: RefreshedIdTokenExpectation,
): OidcRejection | null => {
  for (const check of refreshedIdTokenChecks) {
    const fault = check(claims, expectation);
    if (fault !== null) return fault;
  }
  return null;
};

/** Claims about the sign-on. */
const signOnClaims = ['auth_time', 'acr', 'amr', 'sid', 'nonce'];

/** The claims of a session after a refresh: those of its ID token, and what only the first ID token says of the sign-on. */
export const refreshedClaims = (before: Claims, claims: Claims): Claims => ({
  ...Object.fromEntries(
    signOnClaims.filter((name) => Object.hasOwn(before, name)).map((name) => [name, before[name] as ClaimValue]),
  ),
  ...claims,
});
