import { clientOfClaims } from '../token-exchange/decide-exchange.js';
import { issuedClaims } from '../token-exchange/issued-claims.js';
import { isScope } from '../token-exchange/printable-name.js';
import { type Claims, type ClaimValue, claimsJson, scopesIn } from '../tokens/claims.js';
import type { Identity } from './identity.js';

/** How the user was authenticated (RFC 9068, section 2.2.1). A SAML provider chooses the names of attributes. */
const authenticationClaims: readonly string[] = ['auth_time', 'acr', 'amr'];

/** Authorization and user claims (RFC 9068, sections 2.2.2 and 2.2.3.1). */
const userClaims: readonly string[] = [
  'roles',
  'groups',
  'entitlements',
  'email',
  'email_verified',
  'preferred_username',
  'name',
];

/** What a token states about an identity: everything except its time, its id and its audience. */
export interface StatedIdentity {
  readonly subject: string;
  readonly clientId: string;
  readonly scopes: readonly string[];
  readonly claims: Claims;
}

/** Which claims a token may have. */
export interface StatementRules {
  readonly issuer: string;
  /** Names of claims; null: all. */
  readonly forwardedClaims: readonly string[] | null;
  /** Maximum octets of a claim as JSON. */
  readonly maxClaimBytes: number;
}

const noClaims: Claims = {};

/** The statement about an identity. `client_id` is as in token exchange: that of the credential, otherwise the issuer. */
export const stateIdentity = (
  { method, userId, claims }: Identity,
  { issuer, forwardedClaims, maxClaimBytes }: StatementRules,
): StatedIdentity => {
  const known = claims ?? noClaims;
  const isToken = method !== 'saml';
  const isStated = (name: string): boolean =>
    Object.hasOwn(known, name) && (forwardedClaims === null || forwardedClaims.includes(name));
  const stated = [...(isToken ? authenticationClaims : []), ...userClaims]
    .filter(isStated)
    .map((name) => [name, known[name] as ClaimValue] as const)
    .filter(([name, value]) => claimsJson({ [name]: value }).length <= maxClaimBytes);
  const scopes = isToken && isStated('scope') ? scopesIn(known['scope']).filter(isScope) : [];
  return {
    subject: userId,
    clientId: (isToken ? clientOfClaims(known) : null) ?? issuer,
    scopes: scopes.join(' ').length <= maxClaimBytes ? scopes : [],
    claims: Object.fromEntries(stated),
  };
};

/** What one token adds to the statement. */
export interface TokenInstance {
  readonly issuer: string;
  readonly audience: string;
  readonly jti: string;
  /** The current time in whole seconds since the Unix epoch. */
  readonly issuedAtSecs: number;
  readonly lifetimeSecs: number;
}

/** The claims of a token as JSON (RFC 9068, section 2.2). The last claims are absent if all together are too large. */
export const identityTokenPayload = (stated: StatedIdentity, token: TokenInstance): string => {
  const { subject, clientId, scopes, claims } = stated;
  const { audience, ...own } = token;
  const contents = { ...own, subject, clientId, scopes, audiences: [audience], actors: [] };
  const names = Object.keys(claims);
  for (let count = names.length; count > 0; count -= 1) {
    const payload = issuedClaims(contents, claims, names.slice(0, count));
    if (payload !== null) return payload;
  }
  // Without copied claims and scopes a token is never too large.
  return issuedClaims(contents, claims, []) ?? (issuedClaims({ ...contents, scopes: [] }, claims, []) as string);
};
