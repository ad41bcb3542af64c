import type { Claims } from '../tokens/claims.js';
import type { SessionAttribute } from './session.js';

/** Attributes by name: one value is a text, any other number of them a list. Those with one name are one. */
export const claimsOfAttributes = (attributes: readonly SessionAttribute[]): Claims => {
  const merged = new Map<string, string[]>();
  for (const { name, values } of attributes) {
    const known = merged.get(name);
    if (known === undefined) merged.set(name, [...values]);
    else for (const value of values) known.push(value);
  }
  // An assignment of `__proto__` would be none; this makes a member of it.
  return Object.fromEntries(
    Array.from(merged, ([name, values]) => [name, values.length === 1 ? (values[0] as string) : values]),
  );
};
