import type { JsonObject } from '../../../shared/json.js';
import { err, ok, type Result } from '../../../shared/result.js';
import { type Claims, type ClaimValue, claimedNumberText, isClaimedNumber, isClaims } from '../../tokens/claims.js';
import type { OidcRejection } from '../oidc-rejection.js';

/** What the claims of a logout token must match. */
export interface LogoutTokenExpectation {
  readonly nowMs: number;
  readonly clockSkewMs: number;
  readonly issuer: string;
  readonly clientId: string;
}

/** The sessions that a logout token ends, and the name of the token. */
export interface LogoutToken {
  /** Unique for the issuer. */
  readonly id: string;
  /** Null: `session` alone names the session. */
  readonly subject: string | null;
  /** Null: every session of the subject. */
  readonly session: string | null;
  /** From this moment on the token is too old. In milliseconds since the Unix epoch. */
  readonly untilMs: number;
}

/** A requirement for the claims of a logout token with a verified signature; null: fulfilled. */
export type LogoutTokenCheck = (claims: Claims, expectation: LogoutTokenExpectation) => OidcRejection | null;

/** The member of `events` (OpenID Connect Back-Channel Logout 1.0, section 2.4). */
const logoutEvent = 'http://schemas.openid.net/event/backchannel-logout';
/** Maximum age of a logout token. */
const longestAgeMs = 120_000;
/** Maximum characters of a `jti`, a `sub` or a `sid`. */
const maximumNameLength = 1_024;

/** Types of logout tokens, in lower case. Many providers write none, or that of every JWT. */
const types: readonly string[] = ['logout+jwt', 'application/logout+jwt', 'jwt'];

/** Whether `typ` allows a logout token (section 2.4). */
export const isLogoutTokenType = ({ typ }: JsonObject): boolean =>
  typ === undefined || (typeof typ === 'string' && types.includes(typ.toLowerCase()));

const ownClaim = (claims: Claims, name: string): ClaimValue | undefined =>
  Object.hasOwn(claims, name) ? claims[name] : undefined;

/** Null: no number. */
const millisecondsOf = (value: ClaimValue | undefined): number | null =>
  isClaimedNumber(value) ? Number(claimedNumberText(value)) * 1000 : null;

const isName = (value: ClaimValue | undefined): value is string =>
  typeof value === 'string' && value !== '' && value.length <= maximumNameLength;

/** Requires the issuer, whose keys verified the signature. */
const checkIssuer: LogoutTokenCheck = ({ iss }, { issuer }) => (iss === issuer ? null : 'wrong_issuer');

/** Requires this client in the audience. */
const checkAudience: LogoutTokenCheck = ({ aud }, { clientId }) =>
  aud === clientId || (Array.isArray(aud) && aud.includes(clientId)) ? null : 'wrong_audience';

/** Requires a token of the last two minutes. */
const checkIssuedAt: LogoutTokenCheck = ({ iat }, { nowMs, clockSkewMs }) => {
  const issuedMs = millisecondsOf(iat);
  if (issuedMs === null) return 'missing_issued_at';
  if (issuedMs - clockSkewMs > nowMs) return 'issued_in_future';
  return nowMs < issuedMs + longestAgeMs + clockSkewMs ? null : 'issued_too_long_ago';
};

/** Requires an expiry in the future, if there is one: earlier drafts have none. */
const checkExpiry: LogoutTokenCheck = (claims, { nowMs, clockSkewMs }) => {
  if (!Object.hasOwn(claims, 'exp')) return null;
  const expiresMs = millisecondsOf(claims['exp']);
  if (expiresMs === null) return 'malformed';
  return nowMs < expiresMs + clockSkewMs ? null : 'expired';
};

/** Requires the logout event, so that no other token of the provider ends sessions. */
const checkEvents: LogoutTokenCheck = ({ events }) =>
  isClaims(events) && isClaims(ownClaim(events, logoutEvent)) ? null : 'wrong_event';

/** Refuses a nonce, so that no ID token ends sessions. */
const checkNoNonce: LogoutTokenCheck = (claims) => (Object.hasOwn(claims, 'nonce') ? 'unexpected_nonce' : null);

/** Requires the name by which a replay is found. */
const checkTokenId: LogoutTokenCheck = (claims) => (isName(ownClaim(claims, 'jti')) ? null : 'missing_token_id');

/** Requires a subject or a session, and neither malformed. */
const checkNames: LogoutTokenCheck = (claims) => {
  const given = ['sub', 'sid'].filter((name) => Object.hasOwn(claims, name));
  return given.length > 0 && given.every((name) => isName(claims[name])) ? null : 'names_no_session';
};

/** The requirements for a logout token, in order (OpenID Connect Back-Channel Logout 1.0, section 2.6). */
export const logoutTokenChecks: readonly LogoutTokenCheck[] = [
  checkIssuer,
  checkAudience,
  checkIssuedAt,
  checkExpiry,
  checkEvents,
  checkNoNonce,
  checkTokenId,
  checkNames,
];

/** Reads the claims of a logout token after its signature. The error is the first requirement that they fail. */
export const readLogoutToken = (
  claims: Claims,
  expectation: LogoutTokenExpectation,
): Result<LogoutToken, OidcRejection> => {
  for (const check of logoutTokenChecks) {
    const fault = check(claims, expectation);
    if (fault !== null) return err(fault);
  }
  const text = (name: string): string | null => (isName(ownClaim(claims, name)) ? (claims[name] as string) : null);
  const issuedMs = millisecondsOf(claims['iat']) as number;
  return ok({
    id: claims['jti'] as string,
    subject: text('sub'),
    session: text('sid'),
    untilMs: issuedMs + longestAgeMs + expectation.clockSkewMs,
  });
};
