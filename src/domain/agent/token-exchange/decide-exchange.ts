import { err, ok, type Result } from '../../shared/result.js';
import { type Claims, type ClaimValue, isClaims, scopesIn } from '../tokens/claims.js';
import { sameClaim } from '../tokens/same-claim.js';
import { isMarkedAsAccessToken } from '../tokens/token-marks.js';
import { actorChain } from './delegation.js';
import type { ExchangeGrant, ExchangePolicy } from './exchange-policy.js';
import type { ExchangeReason } from './exchange-refusal.js';
import { issuedClaims } from './issued-claims.js';
import { jwtClaims } from './jwt-claims.js';
import { isClientId, isScope } from './printable-name.js';
import type { ExchangeRequest } from './read-exchange-request.js';
import type { ExchangeTokenKind, IssuedKind, SecurityToken } from './security-token.js';

/**
 * Members that say who somebody is: at least one of them is needed. `iss` alone would be everybody of an issuer, and
 * an address is often nobody's that its issuer has checked.
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
 * Whether `may_act` of the subject token (RFC 8693, section 4.4) lets the party of the actor token act, or, without
 * one, the client that has authenticated itself. Null: it does, or the token has no such claim. Each member has to
 * hold; one that cannot be compared does not.
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

/** Whether a token is there to say what may be done: then it may do nothing that it does not say, whoever issued it. */
const saysWhatMayBeDone = ({ kind, isOwn, isTypedForAccess }: SecurityToken, claims: Claims): boolean =>
  isOwn || kind === 'access_token' || isTypedForAccess || isMarkedAsAccessToken(claims);

/**
 * Scopes that a subject token has, each once; null: it says nothing of scopes, as assertions, ID tokens and plain
 * JWTs do. An access token without `scope` has none, whatever it is shown as: its scopes were taken away, by us or by
 * others, and must not be had back by an exchange.
 */
export const heldScopes = (subject: SecurityToken): readonly string[] | null => {
  const claims = jwtClaims(subject);
  if (!saysWhatMayBeDone(subject, claims)) return null;
  const held = [...scopesIn(claims['scope']), ...scopesIn(claims['scp'])];
  // What is none would become another scope in a text, or several.
  return [...new Set(held.filter(isScope))];
};

/** Those of the scopes that are held which may be issued; null: all of them. */
const heldAndAllowed = (held: readonly string[], allowed: ReadonlySet<string> | null): readonly string[] =>
  allowed === null ? held : held.filter((scope) => allowed.has(scope));

/**
 * Scopes of the issued token: those asked for, or else what is left of those that the subject token has. Null: more
 * is asked for than may be had (RFC 6749, section 5.2: invalid_scope); the answer is never less than what was asked
 * for.
 */
export const narrowScopes = (
  asked: readonly string[] | null,
  held: readonly string[] | null,
  allowed: ReadonlySet<string> | null,
): readonly string[] | null => {
  if (asked === null) return held === null ? [] : heldAndAllowed(held, allowed);
  const permitted = held === null ? (allowed ?? new Set()) : new Set(heldAndAllowed(held, allowed));
  return asked.every((scope) => permitted.has(scope)) ? [...new Set(asked)] : null;
};

const namesOneOf = (audience: ClaimValue | undefined, accepted: ReadonlySet<ClaimValue>): boolean =>
  Array.isArray(audience)
    ? audience.some((value) => accepted.has(value))
    : audience !== undefined && accepted.has(audience);

/**
 * Why a subject or actor token cannot be exchanged, whatever for; null: it can. One that is bound to a key (`cnf`,
 * RFC 7800, section 3.1) would be set free by it; and a client that was shown a token which is meant for others could
 * make it its own.
 */
export const tokenFitness = (
  token: SecurityToken,
  { acceptedAudiences }: Pick<ExchangePolicy, 'acceptedAudiences'>,
): Extract<ExchangeReason, 'bound_token' | 'not_for_client'> | null => {
  const claims = jwtClaims(token);
  if (Object.hasOwn(claims, 'cnf')) return 'bound_token';
  if (!token.isOwn || acceptedAudiences === null) return null;
  return namesOneOf(claims['aud'], acceptedAudiences) ? null : 'not_for_client';
};

/** Whether a token is over by its own word. */
export const hasExpired = ({ expiresMs }: Pick<SecurityToken, 'expiresMs'>, nowMs: number): boolean =>
  !(expiresMs > nowMs);

/**
 * For how long the issued token is good, in whole seconds; null: not for one. Together with the second of now it
 * never outlasts its limits.
 */
export const tokenLifetimeSecs = (
  subject: Pick<SecurityToken, 'expiresMs' | 'isOwn'>,
  { tokenTtlMs, limitLifetimeToSubject }: ExchangePolicy,
  nowMs: number,
): number | null => {
  // A token of ours that could be prolonged would never end: each exchange gives one that can be exchanged again.
  const isLimited = limitLifetimeToSubject || subject.isOwn;
  const lifetimeMs = isLimited ? Math.min(tokenTtlMs, subject.expiresMs - nowMs) : tokenTtlMs;
  const lifetimeSecs = Math.floor(lifetimeMs / 1000);
  return lifetimeSecs >= 1 ? lifetimeSecs : null;
};

/**
 * What the request names, as `aud` will: audiences, then resources, each once (RFC 8693, section 2.1.1). Empty: it
 * names nothing.
 */
const targetsNamed = ({ audiences, resources }: ExchangeRequest): readonly string[] => [
  ...new Set([...audiences, ...resources]),
];

/**
 * Whether each target that the request names may be had. One that stands for none is the configuration's own, and
 * may.
 */
export const allowsTargets = (request: ExchangeRequest, { allowedAudiences }: ExchangePolicy): boolean =>
  allowedAudiences === null || targetsNamed(request).every((target) => allowedAudiences.has(target));

/** Whom the issued token is for; at least one. */
export const audiencesOf = (request: ExchangeRequest, policy: ExchangePolicy): readonly string[] => {
  const named = targetsNamed(request);
  return named.length > 0 ? named : [policy.defaultAudience ?? policy.issuer];
};

const clientIn = (claims: Claims, name: string): string | null => {
  const value = claims[name];
  return typeof value === 'string' && isClientId(value) ? value : null;
};

/**
 * The client that a subject token was issued to, by `client_id` (RFC 8693, section 4.3) or `azp`; null: it does not
 * say.
 */
export const clientOfSubject = (subject: SecurityToken): string | null => {
  const claims = jwtClaims(subject);
  return clientIn(claims, 'client_id') ?? clientIn(claims, 'azp');
};

/** An exchange whose tokens have been verified. */
export interface AskedExchange {
  readonly request: ExchangeRequest;
  /** Of the kinds that the request presents. */
  readonly subject: SecurityToken;
  readonly actor: SecurityToken | null;
  readonly policy: ExchangePolicy;
  /** Milliseconds since the Unix epoch. */
  readonly nowMs: number;
  /** Of the token that may be issued: never used before. */
  readonly jti: string;
}

/** What is issued for what is asked; null: nothing may be. */
const issuedKindOf = ({ subject, requestedKind }: ExchangeRequest, policy: ExchangePolicy): IssuedKind | null =>
  policy.allowedExchanges.find(
    ({ subjectKind, issuedKind }) =>
      subjectKind === subject.kind && (requestedKind === null || issuedKind === requestedKind),
  )?.issuedKind ?? null;

/** Whether there is any use for such a token: only then it is one that is taken as the actor's, too. */
const takesKind = ({ allowedExchanges }: ExchangePolicy, kind: ExchangeTokenKind): boolean =>
  allowedExchanges.some(({ subjectKind }) => subjectKind === kind);

/**
 * Why a token counts for nothing, though it was verified: with a tolerance for clocks, which is not for what is
 * issued.
 */
const overFault = (
  subject: SecurityToken,
  actor: SecurityToken | null,
  nowMs: number,
): Extract<ExchangeReason, 'subject_token_over' | 'invalid_actor_token'> | null => {
  if (hasExpired(subject, nowMs)) return 'subject_token_over';
  return actor !== null && hasExpired(actor, nowMs) ? 'invalid_actor_token' : null;
};

/** Why a request is refused, as far as it can be said before a token is verified; null: nothing is wrong so far. */
export const requestFault = (request: ExchangeRequest, policy: ExchangePolicy): ExchangeReason | null => {
  const { clientId, allowedExchanges, allowedScopes, maximumActors } = policy;
  if (clientId !== null && allowedExchanges.length === 0) return 'client_has_no_exchange';
  if (issuedKindOf(request, policy) === null) return 'exchange_not_allowed';
  if (request.actor !== null && !takesKind(policy, request.actor.kind)) return 'unsupported_actor_token_type';
  if (!allowsTargets(request, policy)) return 'target_not_allowed';
  if (request.actor !== null && maximumActors === 0) return 'too_many_actors';
  const isBeyond = allowedScopes !== null && request.scopes?.some((scope) => !allowedScopes.has(scope)) === true;
  return isBeyond ? 'scope_not_allowed' : null;
};

/**
 * Decides on an exchange (RFC 8693, section 2.2): the token that may be issued, or why none is. Checks all of it,
 * those rules of `requestFault` as well; that the tokens are true, and that none of them was taken before, is for the
 * caller to see to.
 */
export const grantExchange = (asked: AskedExchange): Result<ExchangeGrant, ExchangeReason> => {
  const { request, subject, actor, policy, nowMs, jti } = asked;
  const issuedKind = issuedKindOf(request, policy);
  const fault =
    requestFault(request, policy) ??
    overFault(subject, actor, nowMs) ??
    tokenFitness(subject, policy) ??
    (actor === null ? null : tokenFitness(actor, policy));
  if (fault !== null || issuedKind === null) return err(fault ?? 'exchange_not_allowed');
  const actors = actorChain(subject, actor, policy.maximumActors);
  if (!actors.ok) return actors;
  const refusal = mayActFault(subject, actor, policy);
  if (refusal !== null) return err(refusal);
  const scopes = narrowScopes(request.scopes, heldScopes(subject), policy.allowedScopes);
  if (scopes === null) return err('scope_not_allowed');
  const lifetimeSecs = tokenLifetimeSecs(subject, policy, nowMs);
  if (lifetimeSecs === null) return err('subject_token_over');
  const token = {
    subject: subject.subject,
    audiences: audiencesOf(request, policy),
    clientId: policy.clientId ?? clientOfSubject(subject) ?? policy.issuer,
    scopes,
    actors: actors.value,
    jti,
    lifetimeSecs,
  };
  const payload = issuedClaims(
    { ...token, issuer: policy.issuer, issuedAtSecs: Math.floor(nowMs / 1000) },
    subject.claims,
    policy.claimsCopied,
  );
  if (payload === null) return err('token_too_large');
  return ok({ ...token, issuedKind, type: issuedKind === 'access_token' ? 'at+jwt' : 'JWT', payload });
};
