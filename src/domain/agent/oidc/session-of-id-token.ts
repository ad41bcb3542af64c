import type { Session } from '../sessions/session.js';
import { authenticationDetails } from '../sessions/session-authentication.js';
import { claimDetails } from '../sessions/session-identity.js';
import { type Claims, numericDateMs } from '../tokens/claims.js';

/** An `oidc-login` block and its issuer. Two blocks may have one issuer, with different clients. */
export interface LoginProvider {
  /** The name of the block. */
  readonly name: string;
  readonly issuer: string;
}

/** The provider in sessions of a block: its issuer and its name, which has no space. */
export const providerOfLogin = ({ name, issuer }: LoginProvider): string => `${issuer} ${name}`;

export interface OidcSessionToOpen {
  readonly login: LoginProvider;
  readonly userId: string;
  /** The claims of the user. */
  readonly claims: Claims;
  /** The claims of the ID token alone: only it proves how the user authenticated. */
  readonly idTokenClaims: Claims;
  readonly clockSkewMs: number;
  /** SHA-256 of the path of the page that the sign-on was for. */
  readonly pageHash: string;
  /** The encrypted tokens, as details. */
  readonly sealedTokens: Session['details'];
  /** SHA-256 of the session id, in lower-case hexadecimal. */
  readonly idHash: string;
  readonly nowMs: number;
  readonly ttlMs: number;
}

/** The use, and the key in the details of a session, of the encrypted ID token. */
export const idTokenDetail = 'id_token';

const textClaim = (claims: Claims, name: string): string | null => {
  const value = Object.hasOwn(claims, name) ? claims[name] : undefined;
  return typeof value === 'string' && value !== '' ? value : null;
};

/** The session of an ID token. It lasts its time to live: an ID token expires within minutes. */
export const newOidcSession = ({
  login,
  userId,
  claims,
  idTokenClaims,
  clockSkewMs,
  pageHash,
  sealedTokens,
  idHash,
  nowMs,
  ttlMs,
}: OidcSessionToOpen): Session => {
  const subject = textClaim(claims, 'sub');
  const authentication = {
    providerName: login.name,
    acr: textClaim(idTokenClaims, 'acr'),
    authenticatedMs: numericDateMs(idTokenClaims['auth_time']),
    nowMs,
    clockSkewMs,
  };
  return {
    idHash,
    userId,
    method: 'oidc',
    provider: providerOfLogin(login),
    logout: subject === null ? null : { subject, session: textClaim(claims, 'sid') },
    details: { ...claimDetails(claims), ...authenticationDetails(authentication, pageHash), ...sealedTokens },
    attributes: [],
    createdMs: nowMs,
    expiresMs: nowMs + ttlMs,
    lastSeenMs: nowMs,
  };
};
