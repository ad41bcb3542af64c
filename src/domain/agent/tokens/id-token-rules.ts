import type { JsonObject } from '../../shared/json.js';
import { err, type Result } from '../../shared/result.js';
import type { Claims } from './claims.js';
import { type AcceptedClaims, checkJwtClaims, type JwtClaimRules } from './jwt-claim-rules.js';
import type { TokenRejection } from './token-rejection.js';

/** Checks the header of an ID token: another type is not an ID token (RFC 8725, section 3.11). */
export const checkIdTokenHeader = ({ typ }: JsonObject): TokenRejection | null =>
  typ === undefined || (typeof typ === 'string' && typ.toLowerCase() === 'jwt') ? null : 'wrong_type';

/**
 * Checks the claims of an ID token after its signature (OpenID Connect Core, section 3.1.3.7). The configured audiences
 * must include the client; without audiences, every ID token is refused.
 */
export const checkIdTokenClaims = (
  claims: Claims,
  rules: JwtClaimRules,
  nowMs: number,
): Result<AcceptedClaims, TokenRejection> => {
  const accepted = checkJwtClaims(claims, rules, nowMs);
  if (!accepted.ok) return accepted;
  if (rules.audiences.length === 0) return err('wrong_audience');
  const { iat, aud, azp } = claims;
  if (iat === undefined) return err('missing_issued_at');
  // With several audiences, azp names the one that requested the token.
  const hasSeveral = Array.isArray(aud) && aud.length > 1;
  const isOurs = typeof azp === 'string' && rules.audiences.includes(azp);
  if (azp === undefined ? hasSeveral : !isOurs) return err('wrong_party');
  return accepted;
};
