import { utf8Length } from '../../shared/utf8.js';
import { type Claims, type ClaimValue, claimsJson } from '../tokens/claims.js';
import { actClaim } from './delegation.js';
import type { ExchangeGrant } from './exchange-policy.js';

/**
 * Claims that are never copied: the agent sets them, or they hold only for the subject token. Registered for JWTs (RFC
 * 7519, section 4.1), access tokens (RFC 9068, section 2.2), delegation (RFC 8693, section 4), proof of possession (RFC
 * 7800, section 3.1), ID tokens and logout (OpenID Connect), and claims that are read as one of these.
 */
export const reservedClaims: readonly string[] = [
  'iss',
  'sub',
  'aud',
  'exp',
  'nbf',
  'iat',
  'jti',
  'scope',
  'scp',
  'client_id',
  'azp',
  'act',
  'may_act',
  'cnf',
  'nonce',
  'at_hash',
  'c_hash',
  's_hash',
  'sid',
  'events',
  'token_use',
  'typ',
];

/** Maximum characters of the copied claims as JSON. */
export const maximumCopiedLength = 4096;

/**
 * Maximum octets of all claims as JSON. With any header and signature the token is still small enough to be read here.
 */
export const maximumPayloadLength = 10 * 1024;

/** The input for the claims of an issued token. */
export interface TokenContents
  extends Pick<ExchangeGrant, 'subject' | 'audiences' | 'clientId' | 'scopes' | 'actors' | 'jti' | 'lifetimeSecs'> {
  readonly issuer: string;
  /** The current time in whole seconds since the Unix epoch. */
  readonly issuedAtSecs: number;
}

/** Copies the claims with these names, except reserved ones. */
const copiedClaims = (claims: Claims, names: readonly string[]): Claims =>
  Object.fromEntries(
    names
      .filter((name) => Object.hasOwn(claims, name) && !reservedClaims.includes(name))
      .map((name) => [name, claims[name] as ClaimValue]),
  );

const ownClaims = (token: TokenContents): Claims => {
  const { audiences, scopes } = token;
  const act = actClaim(token.actors);
  return {
    iss: token.issuer,
    sub: token.subject,
    aud: audiences.length === 1 ? (audiences[0] as string) : audiences,
    exp: token.issuedAtSecs + token.lifetimeSecs,
    nbf: token.issuedAtSecs,
    iat: token.issuedAtSecs,
    jti: token.jti,
    client_id: token.clientId,
    ...(scopes.length === 0 ? {} : { scope: scopes.join(' ') }),
    ...(act === null ? {} : { act }),
  };
};

/**
 * The claims of an issued token as JSON (RFC 9068, section 2.2; RFC 8693, section 4), with copied claims of the subject
 * token. Null: they are too large.
 */
export const issuedClaims = (token: TokenContents, subject: Claims, copied: readonly string[]): string | null => {
  const taken = copiedClaims(subject, copied);
  if (claimsJson(taken).length > maximumCopiedLength) return null;
  // Set claims come last, so that they override copied ones. A spread defines members, even `__proto__`.
  const payload = claimsJson({ ...taken, ...ownClaims(token) });
  return utf8Length(payload) > maximumPayloadLength ? null : payload;
};
