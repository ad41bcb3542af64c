import type { Identity } from '../../identity/identity.js';
import { attributeClaims } from '../attribute-claims.js';
import type { Session } from './session.js';

/** Who makes the requests of a session. */
export const sessionIdentity = (session: Pick<Session, 'userId' | 'attributes'>): Identity => ({
  method: 'saml',
  userId: session.userId,
  claims: attributeClaims(session.attributes),
  certificate: null,
});
