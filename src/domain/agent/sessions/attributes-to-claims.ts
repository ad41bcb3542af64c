import type { Claims } from '../tokens/claims.js';
import type { SessionAttribute } from './session.js';

/** Converts attributes to claims: a single value to a text, others to a list. Merges attributes of the same name. */
export const attributesToClaims = (attributes: readonly SessionAttribute[]): Claims => {
  const merged = new Map<string, string[]>();
  for (const { name, values } of attributes) {
    const known = merged.get(name);
    if (known === undefined) merged.set(name, [...values]);
    else for (const value of values) known.push(value);
  }
  // Assigning `__proto__` would set the prototype; this makes it a member.
  return Object.fromEntries(
    Array.from(merged, ([name, values]) => [name, values.length === 1 ? (values[0] as string) : values]),
  );
};
