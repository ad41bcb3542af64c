import { err, ok, type Result } from '../../shared/result.js';
import { clientOfSubject } from './client-of-subject.js';
import { actorChain } from './delegation.js';
import type { ExchangeGrant } from './exchange-grant.js';
import type { ExchangePolicy } from './exchange-policy.js';
import type { ExchangeReason } from './exchange-refusal.js';
import type { ExchangeRequest } from './exchange-request.js';
import { issuedClaims } from './issued-claims.js';
import { mayActFault } from './may-act.js';
import { heldScopes, narrowScopes } from './scope-narrowing.js';
import type { SecurityToken } from './security-token.js';
import { allowsTargets, audiencesOf } from './target-rules.js';
import { tokenFitness } from './token-fitness.js';
import type { ExchangeTokenKind, IssuedKind } from './token-kinds.js';
import { hasExpired, tokenLifetimeSecs } from './token-lifetime.js';

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

/** Why a token counts for nothing, though it was verified: with a tolerance for clocks, which is not for what is issued. */
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
 * Decides on an exchange (RFC 8693, section 2.2): the token that may be issued, or why none is. Checks all of it, those rules of
 * `requestFault` as well; that the tokens are true, and that none of them was taken before, is for the caller to see to.
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
