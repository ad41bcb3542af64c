import type { Claims } from '../tokens/claims.js';
import { scopesIn } from '../tokens/scope-rules.js';
import { isMarkedAsAccessToken } from '../tokens/token-marks.js';
import { jwtClaims } from './jwt-claims.js';
import { isScope } from './scope-list.js';
import type { SecurityToken } from './security-token.js';

/** Whether a token is there to say what may be done: then it may do nothing that it does not say, whoever issued it. */
const saysWhatMayBeDone = ({ kind, isOwn, isTypedForAccess }: SecurityToken, claims: Claims): boolean =>
  isOwn || kind === 'access_token' || isTypedForAccess || isMarkedAsAccessToken(claims);

/**
 * Scopes that a subject token has, each once; null: it says nothing of scopes, as assertions, ID tokens and plain JWTs do. An access token
 * without `scope` has none, whatever it is shown as: its scopes were taken away, by us or by others, and must not be had back by an exchange.
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
 * Scopes of the issued token: those asked for, or else what is left of those that the subject token has. Null: more is asked for than may
 * be had (RFC 6749, section 5.2: invalid_scope); the answer is never less than what was asked for.
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
