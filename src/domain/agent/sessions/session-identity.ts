import type { Identity } from '../identity/identity.js';
import { type Claims, claimsJson } from '../tokens/claims.js';
import { parseClaims } from '../tokens/parse-claims.js';
import { attributesToClaims } from './attributes-to-claims.js';
import type { Session } from './session.js';

/** The key of the claims in the details of a session whose provider states claims, not attributes. */
const claimsDetail = 'claims';

/** The claims of a user as details of a session, with exact numbers. */
export const claimDetails = (claims: Claims): Readonly<Record<string, string>> => ({
  [claimsDetail]: claimsJson(claims),
});

/** What the identity provider stated about a user. */
type Statements = Pick<Session, 'attributes'> & Partial<Pick<Session, 'details'>>;

/** The claims of a session: those of its token, otherwise its attributes. */
const claimsOf = ({ attributes, details = {} }: Statements): Claims => {
  const text = details[claimsDetail];
  return (text === undefined ? null : parseClaims(text)) ?? attributesToClaims(attributes);
};

/** The identity of a session. */
export const sessionIdentity = (session: Pick<Session, 'userId' | 'method'> & Statements): Identity => ({
  method: session.method,
  userId: session.userId,
  claims: claimsOf(session),
  certificate: null,
});
