import type { Claims, ClaimValue } from './claims.js';

/** Scopes in the value of one claim, as `hasScopes` reads them; some may be empty, or none that a scope can be. */
export const scopesIn = (value: ClaimValue | undefined): readonly string[] => {
  if (typeof value === 'string') return value.split(' ');
  return Array.isArray(value) ? value.filter((item): item is string => typeof item === 'string') : [];
};

/**
 * Whether a token has every one of the scopes. They are read from `scope` (RFC 8693, section 4.2) and from `scp`, which some
 * providers write: text with the scopes separated by spaces, or an array with one scope in each item. Case counts.
 */
export const hasScopes = (claims: Claims, required: readonly string[]): boolean => {
  if (required.length === 0) return true;
  const held = new Set([...scopesIn(claims['scope']), ...scopesIn(claims['scp'])]);
  return required.every((scope) => held.has(scope));
};
