import type { Identity } from '../identity/identity.js';
import { attributesToClaims } from './attributes-to-claims.js';
import type { Session } from './session.js';

/** The identity of a session. */
export const sessionIdentity = (session: Pick<Session, 'userId' | 'method' | 'attributes'>): Identity => ({
  method: session.method,
  userId: session.userId,
  claims: attributesToClaims(session.attributes),
  certificate: null,
});
