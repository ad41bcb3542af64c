import type { Identity } from '../../identity/identity.js';
import type { Claims } from '../../tokens/claims.js';
import type { AssertionAttribute } from '../assertion.js';
import type { Session } from './session.js';

/** Attributes by name: one value is a text, any other number of them a list. Those with one name are one. */
const claimsOf = (attributes: readonly AssertionAttribute[]): Claims => {
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

/** Who makes the requests of a session. */
export const sessionIdentity = (session: Pick<Session, 'userId' | 'attributes'>): Identity => ({
  method: 'saml',
  userId: session.userId,
  claims: claimsOf(session.attributes),
  certificate: null,
});
