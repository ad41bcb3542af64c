import { type Claims, type ClaimValue, isClaims } from '../tokens/claims.js';
import { sameClaim } from '../tokens/same-claim.js';
import type { ExchangePolicy } from './exchange-policy.js';
import type { ExchangeReason } from './exchange-refusal.js';
import { jwtClaims } from './jwt-claims.js';
import type { SecurityToken } from './security-token.js';

/**
 * Members that say who somebody is: at least one of them is needed. `iss` alone would be everybody of an issuer, and an address is
 * often nobody's that its issuer has checked.
 */
const naming = ['sub', 'client_id', 'azp'] as const;

const isNamed = (mayAct: Claims, names: readonly string[]): boolean =>
  names.some((name) => Object.hasOwn(mayAct, name));

const memberHolds = (name: string, value: ClaimValue, actor: SecurityToken): boolean => {
  // An issuer that is not known is none that could be named: null is not equal to null here.
  if (name === 'iss') return typeof value === 'string' && value === actor.issuer;
  if (name === 'sub') return value === actor.subject;
  const claims = jwtClaims(actor);
  if (name === 'email' && claims['email_verified'] !== true) return false;
  return Object.hasOwn(claims, name) && sameClaim(value, claims[name] as ClaimValue);
};

const namesActor = (mayAct: Claims, actor: SecurityToken, issuer: string | null): boolean =>
  isNamed(mayAct, naming) &&
  (Object.hasOwn(mayAct, 'iss') || actor.issuer === issuer) &&
  Object.entries(mayAct).every(([name, value]) => memberHolds(name, value, actor));

const namesClient = (mayAct: Claims, { clientId, issuer }: ExchangePolicy): boolean =>
  clientId !== null &&
  isNamed(mayAct, ['sub', 'client_id']) &&
  Object.entries(mayAct).every(([name, value]) => {
    if (name === 'iss') return value === issuer;
    return (name === 'sub' || name === 'client_id') && value === clientId;
  });

/**
 * Whether `may_act` of the subject token (RFC 8693, section 4.4) lets the party of the actor token act, or, without one, the client that
 * has authenticated itself. Null: it does, or the token has no such claim. Each member has to hold; one that cannot be compared does not.
 */
export const mayActFault = (
  subject: SecurityToken,
  actor: SecurityToken | null,
  policy: ExchangePolicy,
): Extract<ExchangeReason, 'malformed_act' | 'actor_not_allowed'> | null => {
  const claims = jwtClaims(subject);
  if (!Object.hasOwn(claims, 'may_act')) return null;
  const mayAct = claims['may_act'];
  if (!isClaims(mayAct) || Object.keys(mayAct).length === 0) return 'malformed_act';
  const isAllowed = actor === null ? namesClient(mayAct, policy) : namesActor(mayAct, actor, subject.issuer);
  return isAllowed ? null : 'actor_not_allowed';
};
