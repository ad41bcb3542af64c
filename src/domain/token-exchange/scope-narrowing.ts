import { scopesIn } from '../tokens/scope-rules.js';
import { jwtClaims } from './jwt-claims.js';
import { isScope } from './scope-list.js';
import type { SecurityToken } from './security-token.js';

/**
 * Scopes that a subject token has, each once; null: it is of a kind that says nothing of scopes, or leaves it unsaid. A token of our own
 * never leaves it unsaid: without `scope` it has none, or what an exchange took away could be had back by the next one.
 */
export const heldScopes = (subject: SecurityToken): readonly string[] | null => {
  const claims = jwtClaims(subject);
  const isUnsaid = !Object.hasOwn(claims, 'scope') && !Object.hasOwn(claims, 'scp');
  if (isUnsaid && !subject.isOwn) return null;
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
