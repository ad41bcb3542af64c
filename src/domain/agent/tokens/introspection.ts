import { err, ok, type Result } from '../../shared/result.js';
import { type EndpointResponse, isJsonResponse } from '../oidc/endpoint-response.js';
import type { Claims } from './claims.js';
import { type AcceptedClaims, checkJwtClaims, type JwtClaimRules } from './jwt-claim-rules.js';
import { parseClaims } from './parse-claims.js';
import type { TokenRejection } from './token-rejection.js';

/**
 * Reads the answer of an introspection endpoint (RFC 7662, section 2.2): 200 and JSON without repeated names. The claims
 * of an active token, without `active`; null for a token that is not active.
 * @returns the error is one clause for the log, without any of the answer
 */
export const readIntrospection = (response: EndpointResponse): Result<Claims | null, string> => {
  if (response.status !== 200) return err(`it answered with status ${response.status}`);
  if (!isJsonResponse(response)) return err('the answer is not application/json');
  const members = parseClaims(response.body);
  if (members === null) return err('the answer is not a JSON object, or repeats a name');
  const { active, ...claims } = members;
  if (typeof active !== 'boolean') return err('"active" is not a boolean');
  return ok(active ? claims : null);
};

/** Values of `typ` and `token_type` of tokens that give no access. Keycloak sets `typ`. */
const otherTypes: readonly unknown[] = ['refresh', 'offline', 'id', 'refresh_token', 'id_token'];

const isOther = (value: unknown): boolean => typeof value === 'string' && otherTypes.includes(value.toLowerCase());

/**
 * Checks the claims of an active token as those of a JWT, with two exceptions: `exp` and `iss` may be absent (RFC 7662,
 * section 2.2).
 */
export const checkIntrospectedClaims = (
  claims: Claims,
  rules: JwtClaimRules,
  nowMs: number,
): Result<AcceptedClaims, TokenRejection> => {
  if (isOther(claims['typ']) || isOther(claims['token_type'])) return err('wrong_type');
  const issuer = Object.hasOwn(claims, 'iss') ? rules.issuer : null;
  return checkJwtClaims(claims, { ...rules, issuer, mayLackExpiry: true }, nowMs);
};
