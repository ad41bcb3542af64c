import { utf8Length } from '../../shared/utf8.js';
import { type Claims, type ClaimValue, claimsJson } from '../tokens/claims.js';
import { actClaim } from './delegation.js';
import type { ExchangeGrant } from './exchange-policy.js';

/**
 * Claims of an issued token that are set here, or that would say of it what holds for the subject token alone: none
 * of them is copied. Registered for JWTs (RFC 7519, section 4.1), access tokens (RFC 9068, section 2.2), delegation
 * (RFC 8693, section 4), proof of possession (RFC 7800, section 3.1), ID tokens and logout (OpenID Connect), and what
 * else is read as one of these.
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

/** Characters of the copied claims as JSON, at most. */
export const maximumCopiedLength = 4096;

/** Octets of all claims as JSON, at most: with any header and signature such a token is still one that is read here. */
export const maximumPayloadLength = 10 * 1024;

/** What the claims of an issued token are made of. */
export interface TokenContents
  extends Pick<ExchangeGrant, 'subject' | 'audiences' | 'clientId' | 'scopes' | 'actors' | 'jti' | 'lifetimeSecs'> {
  readonly issuer: string;
  /** Of now, whole seconds since the Unix epoch. */
  readonly issuedAtSecs: number;
}

/** Claims with these names, as they are: none that has a meaning of its own in the issued token, whatever the names. */
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
 * Claims of an issued token as JSON (RFC 9068, section 2.2; RFC 8693, section 4), with those claims of the subject
 * token that are copied. Null: they are too large.
 */
export const issuedClaims = (token: TokenContents, subject: Claims, copied: readonly string[]): string | null => {
  const taken = copiedClaims(subject, copied);
  if (claimsJson(taken).length > maximumCopiedLength) return null;
  // Those set here stand last, where they would prevail. A spread defines members: __proto__ is one like any other.
  const payload = claimsJson({ ...taken, ...ownClaims(token) });
  return utf8Length(payload) > maximumPayloadLength ? null : payload;
};
