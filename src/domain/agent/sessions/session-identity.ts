import type { Identity } from '../identity/identity.js';
import { claimsOfAttributes } from './claims-of-attributes.js';
import type { Session } from './session.js';

/** The identity of a session. */
export const sessionIdentity = (session: Pick<Session, 'userId' | 'method' | 'attributes'>): Identity => ({
  method: session.method,
  userId: session.userId,
  claims: claimsOfAttributes(session.attributes),
  certificate: null,
});
