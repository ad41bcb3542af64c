import { err, ok, type Result } from '../../shared/result.js';
import { isWellFormed } from '../../shared/utf8.js';
import { isUsableSubject } from '../identity/identity.js';
import { type Claims, type ClaimValue, isClaims } from '../tokens/claims.js';
import type { Actor } from './exchange-policy.js';
import type { ExchangeReason } from './exchange-refusal.js';
import { jwtClaims } from './jwt-claims.js';
import type { SecurityToken } from './security-token.js';

/** Actors that are read of one token, at most; none is issued with more. */
export const longestChain = 16;

type DelegationFault = Extract<ExchangeReason, 'malformed_act' | 'too_many_actors' | 'delegated_actor_token'>;

/** Null: it is no actor. Other members than these do not say who it is (RFC 8693, section 4.1). */
const actorIn = (act: ClaimValue, usualIssuer: string | null): Actor | null => {
  if (!isClaims(act)) return null;
  const subject = act['sub'];
  if (typeof subject !== 'string' || !isUsableSubject(subject)) return null;
  if (!Object.hasOwn(act, 'iss')) return { issuer: usualIssuer, subject };
  const issuer = act['iss'];
  return typeof issuer === 'string' && issuer !== '' && isWellFormed(issuer) ? { issuer, subject } : null;
};

/** Who acts for the subject already, as its token says; the present one first. */
const actorsIn = (subject: SecurityToken): Result<readonly Actor[], DelegationFault> => {
  // One that is named without an issuer is of the issuer of the token. Ours name it wherever it is known.
  const usualIssuer = subject.isOwn ? null : subject.issuer;
  const actors: Actor[] = [];
  let claims: Claims = jwtClaims(subject);
  while (Object.hasOwn(claims, 'act')) {
    if (actors.length === longestChain) return err('too_many_actors');
    const act = claims['act'] as ClaimValue;
    const actor = actorIn(act, usualIssuer);
    if (actor === null) return err('malformed_act');
    actors.push(actor);
    claims = act as Claims;
  }
  return ok(actors);
};

/**
 * Who acts for the subject by the issued token (RFC 8693, section 4.1): the party of the actor token, before those
 * who act already. Null for the actor: they alone. One for whom somebody else acts is refused as an actor: there is
 * one chain, and it would have to fork.
 */
export const actorChain = (
  subject: SecurityToken,
  actor: SecurityToken | null,
  maximum: number,
): Result<readonly Actor[], DelegationFault> => {
  const prior = actorsIn(subject);
  if (!prior.ok) return prior;
  if (actor !== null && Object.hasOwn(jwtClaims(actor), 'act')) return err('delegated_actor_token');
  const present = actor === null ? [] : [{ issuer: actor.issuer, subject: actor.subject }];
  const actors = [...present, ...prior.value];
  return actors.length > maximum ? err('too_many_actors') : ok(actors);
};

/** `act` of so many actors; null: none. */
export const actClaim = (actors: readonly Actor[]): Claims | null =>
  actors.reduceRight<Claims | null>(
    (nested, { issuer, subject }) => ({
      ...(issuer === null ? {} : { iss: issuer }),
      sub: subject,
      ...(nested === null ? {} : { act: nested }),
    }),
    null,
  );
