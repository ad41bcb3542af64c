import { err, ok, type Result } from '../../shared/result.js';
import { isWellFormed } from '../../shared/utf8.js';
import { isUsableSubject } from '../identity/identity.js';
import { type Claims, type ClaimValue, isClaims } from '../tokens/claims.js';
import type { Actor } from './exchange-policy.js';
import type { ExchangeReason } from './exchange-refusal.js';
import { jwtClaims } from './jwt-claims.js';
import type { SecurityToken } from './security-token.js';

/** Maximum actors read from one token; no token is issued with more. */
export const longestChain = 16;

type DelegationFault = Extract<ExchangeReason, 'malformed_act' | 'too_many_actors' | 'delegated_actor_token'>;

/** Null: not a valid actor. Other members do not identify it (RFC 8693, section 4.1). */
const actorIn = (act: ClaimValue, usualIssuer: string | null): Actor | null => {
  if (!isClaims(act)) return null;
  const subject = act['sub'];
  if (typeof subject !== 'string' || !isUsableSubject(subject)) return null;
  if (!Object.hasOwn(act, 'iss')) return { issuer: usualIssuer, subject };
  const issuer = act['iss'];
  return typeof issuer === 'string' && issuer !== '' && isWellFormed(issuer) ? { issuer, subject } : null;
};

/** The actors of a subject token; the current one first. */
const actorsIn = (subject: SecurityToken): Result<readonly Actor[], DelegationFault> => {
  // An actor without an issuer has the issuer of the token. Tokens of this agent name it wherever it is known.
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
 * The actors of the issued token (RFC 8693, section 4.1): the party of the actor token, then those of the subject
 * token. A null actor token adds none. An actor token that has actors itself is refused, because the chain would have
 * to fork.
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

/** The `act` claim of these actors; null: none. */
export const actClaim = (actors: readonly Actor[]): Claims | null =>
  actors.reduceRight<Claims | null>(
    (nested, { issuer, subject }) => ({
      ...(issuer === null ? {} : { iss: issuer }),
      sub: subject,
      ...(nested === null ? {} : { act: nested }),
    }),
    null,
  );
