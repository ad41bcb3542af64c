import { err, ok, type Result } from '../../shared/result.js';
import { isUsableSubject } from '../identity/identity.js';
import { type Claims, type ClaimValue, claimedNumberText, isClaimedNumber } from './claims.js';
import type { TokenRejection } from './token-rejection.js';

/** Required claims of a signed token. */
export interface JwtClaimRules {
  /** Null: any. */
  readonly issuer: string | null;
  /** The token must name at least one of them; empty: any audience, or none. */
  readonly audiences: readonly string[];
  /** Tolerance for the issuer's clock. */
  readonly clockSkewMs: number;
  /** Whether `exp` may be absent: another party then vouches for the token. */
  readonly mayLackExpiry?: true;
}

/** When a token is valid, in milliseconds since the Unix epoch, including the tolerance. */
export interface TokenWindow {
  /** The first valid moment. */
  readonly fromMs: number;
  /** The first moment after its validity. */
  readonly untilMs: number;
}

export interface AcceptedClaims {
  readonly subject: string;
  readonly window: TokenWindow;
  /** The moment of expiry, without tolerance. */
  readonly expiresMs: number;
}

/** Null if absent; fails for anything but a number (RFC 7519, section 2: NumericDate). */
const numericDate = (value: ClaimValue | undefined): Result<number | null, TokenRejection> => {
  if (value === undefined) return ok(null);
  // Rounding beyond 2^53 seconds or below a microsecond is harmless.
  return isClaimedNumber(value) ? ok(Number(claimedNumberText(value))) : err('malformed');
};

const namesOneOf = (value: ClaimValue | undefined, audiences: readonly string[]): boolean =>
  audiences.some((audience) => value === audience || (Array.isArray(value) && value.includes(audience)));

/** Why a token is not valid at this moment; null if it is. */
export const checkWindow = (window: TokenWindow, nowMs: number): 'expired' | 'not_yet_valid' | null => {
  if (nowMs >= window.untilMs) return 'expired';
  return nowMs < window.fromMs ? 'not_yet_valid' : null;
};

/** Checks the claims of a token after its signature (RFC 7519, section 4.1). `exp` is required unless the rules say otherwise. */
export const checkJwtClaims = (
  claims: Claims,
  rules: JwtClaimRules,
  nowMs: number,
): Result<AcceptedClaims, TokenRejection> => {
  const expires = numericDate(claims['exp']);
  const notBefore = numericDate(claims['nbf']);
  const issuedAt = numericDate(claims['iat']);
  if (!expires.ok) return expires;
  if (!notBefore.ok) return notBefore;
  if (!issuedAt.ok) return issuedAt;
  if (expires.value === null && rules.mayLackExpiry !== true) return err('missing_expiry');

  const expiresMs = expires.value === null ? Number.POSITIVE_INFINITY : expires.value * 1000;
  const window: TokenWindow = {
    fromMs: Math.max(notBefore.value ?? 0, issuedAt.value ?? 0) * 1000 - rules.clockSkewMs,
    untilMs: expiresMs + rules.clockSkewMs,
  };
  const untimely = checkWindow(window, nowMs);
  if (untimely === 'expired') return err('expired');
  if (untimely !== null) {
    const issuedInFuture = (issuedAt.value ?? 0) * 1000 - rules.clockSkewMs > nowMs;
    return err(issuedInFuture ? 'issued_in_future' : 'not_yet_valid');
  }
  if (rules.issuer !== null && claims['iss'] !== rules.issuer) return err('wrong_issuer');
  if (rules.audiences.length > 0 && !namesOneOf(claims['aud'], rules.audiences)) return err('wrong_audience');

  const subject = claims['sub'];
  if (typeof subject !== 'string' || !isUsableSubject(subject)) return err('unusable_subject');
  return ok({ subject, window, expiresMs });
};
