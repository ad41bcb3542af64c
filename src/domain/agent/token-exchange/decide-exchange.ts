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
 * Members of `may_act` that identify a party; at least one is required. `iss` alone would match every subject of an
 * issuer, and e-mail addresses are often unverified.
 */
const naming = ['sub', 'client_id', 'azp'] as const;

const isNamed = (mayAct: Claims, names: readonly string[]): boolean =>
  names.some((name) => Object.hasOwn(mayAct, name));

const memberHolds = (name: string, value: ClaimValue, actor: SecurityToken): boolean => {
  // A null issuer is unknown and never matches.
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
 * Whether `may_act` of the subject token (RFC 8693, section 4.4) permits the actor: the actor token's party, or without
 * one the authenticated client. Null: permitted, or no such claim. Every member must match; a member that cannot be
 * compared does not.
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

/** Whether the token states its permissions: it then permits only what it states, whoever issued it. */
const saysWhatMayBeDone = ({ kind, isOwn, isTypedForAccess }: SecurityToken, claims: Claims): boolean =>
  isOwn || kind === 'access_token' || isTypedForAccess || isMarkedAsAccessToken(claims);

/**
 * The distinct scopes of a subject token; null if it says nothing about scopes, as assertions, ID tokens and plain
 * JWTs. An access token without `scope` has none, however it is presented: an exchange must not restore removed scopes.
 */
export const heldScopes = (subject: SecurityToken): readonly string[] | null => {
  const claims = jwtClaims(subject);
  if (!saysWhatMayBeDone(subject, claims)) return null;
  const held = [...scopesIn(claims['scope']), ...scopesIn(claims['scp'])];
  // An invalid scope would become one or several other scopes in the text.
  return [...new Set(held.filter(isScope))];
};

/** The held scopes that may be issued; null `allowed`: all. */
const heldAndAllowed = (held: readonly string[], allowed: ReadonlySet<string> | null): readonly string[] =>
  allowed === null ? held : held.filter((scope) => allowed.has(scope));

/**
 * The scopes of the issued token: the requested ones, otherwise the remaining ones of the subject token. Null: more is
 * requested than allowed (RFC 6749, section 5.2: invalid_scope). Never issues fewer scopes than requested.
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
 * Why a token must not be exchanged at all; null if it may. A token bound to a key (`cnf`, RFC 7800, section 3.1) would
 * lose its binding. A client could turn a token for another audience into its own.
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

/** Whether a token has expired, without tolerance. */
export const hasExpired = ({ expiresMs }: Pick<SecurityToken, 'expiresMs'>, nowMs: number): boolean =>
  !(expiresMs > nowMs);

/**
 * The lifetime of the issued token in whole seconds; null: less than one. Counted from the current second, it never
 * exceeds its limits.
 */
export const tokenLifetimeSecs = (
  subject: Pick<SecurityToken, 'expiresMs' | 'isOwn'>,
  { tokenTtlMs, limitLifetimeToSubject }: ExchangePolicy,
  nowMs: number,
): number | null => {
  // Tokens of this agent are never prolonged: repeated exchanges would otherwise keep one alive forever.
  const isLimited = limitLifetimeToSubject || subject.isOwn;
  const lifetimeMs = isLimited ? Math.min(tokenTtlMs, subject.expiresMs - nowMs) : tokenTtlMs;
  const lifetimeSecs = Math.floor(lifetimeMs / 1000);
  return lifetimeSecs >= 1 ? lifetimeSecs : null;
};

/**
 * The requested targets, as in `aud`: audiences, then resources, without duplicates (RFC 8693, section 2.1.1). Empty:
 * none.
 */
const targetsNamed = ({ audiences, resources }: ExchangeRequest): readonly string[] => [
  ...new Set([...audiences, ...resources]),
];

/** Whether all requested targets are allowed. The default target always is. */
export const allowsTargets = (request: ExchangeRequest, { allowedAudiences }: ExchangePolicy): boolean =>
  allowedAudiences === null || targetsNamed(request).every((target) => allowedAudiences.has(target));

/** The audiences of the issued token; at least one. */
export const audiencesOf = (request: ExchangeRequest, policy: ExchangePolicy): readonly string[] => {
  const named = targetsNamed(request);
  return named.length > 0 ? named : [policy.defaultAudience ?? policy.issuer];
};

const clientIn = (claims: Claims, name: string): string | null => {
  const value = claims[name];
  return typeof value === 'string' && isClientId(value) ? value : null;
};

/** The client to which a token with these claims was issued, by `client_id` or `azp`; null if unknown. */
export const clientOfClaims = (claims: Claims): string | null =>
  clientIn(claims, 'client_id') ?? clientIn(claims, 'azp');

/** The client to which a subject token was issued, by `client_id` (RFC 8693, section 4.3) or `azp`; null if unknown. */
export const clientOfSubject = (subject: SecurityToken): string | null => clientOfClaims(jwtClaims(subject));

/** An exchange with verified tokens. */
export interface VerifiedExchange {
  readonly request: ExchangeRequest;
  /** Of the kind that the request names. */
  readonly subject: SecurityToken;
  readonly actor: SecurityToken | null;
  readonly policy: ExchangePolicy;
  /** Milliseconds since the Unix epoch. */
  readonly nowMs: number;
  /** The id of the token to issue; unique. */
  readonly jti: string;
}

/** The token kind to issue; null: no exchange is allowed. */
const issuedKindOf = ({ subject, requestedKind }: ExchangeRequest, policy: ExchangePolicy): IssuedKind | null =>
  policy.allowedExchanges.find(
    ({ subjectKind, issuedKind }) =>
      subjectKind === subject.kind && (requestedKind === null || issuedKind === requestedKind),
  )?.issuedKind ?? null;

/** Whether an allowed exchange accepts this kind: actor tokens need that too. */
const takesKind = ({ allowedExchanges }: ExchangePolicy, kind: ExchangeTokenKind): boolean =>
  allowedExchanges.some(({ subjectKind }) => subjectKind === kind);

/** Why a verified token has expired: verification allows a clock tolerance, but an exchange does not. */
const overFault = (
  subject: SecurityToken,
  actor: SecurityToken | null,
  nowMs: number,
): Extract<ExchangeReason, 'subject_token_over' | 'invalid_actor_token'> | null => {
  if (hasExpired(subject, nowMs)) return 'subject_token_over';
  return actor !== null && hasExpired(actor, nowMs) ? 'invalid_actor_token' : null;
};

/** Why a request is refused before any token is verified; null: no reason yet. */
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
 * Decides an exchange (RFC 8693, section 2.2): the token to issue, or why it is refused. Also applies `requestFault`.
 * The caller verifies the tokens and prevents their replay.
 */
export const grantExchange = (asked: VerifiedExchange): Result<ExchangeGrant, ExchangeReason> => {
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
