import { decodeBase64 } from '../../shared/base64.js';
import { err, ok, type Result } from '../../shared/result.js';
import { type Claims, isClaims } from './claims.js';
import type { TokenRejection } from './token-rejection.js';

/** Octets of a SHA-256 digest. */
const digestOctets = 32;

const hexadecimalOf = (octets: Uint8Array): string =>
  Array.from(octets, (octet) => octet.toString(16).padStart(2, '0')).join('');

/** What the sender of a token must prove to have (RFC 7800); each null: not bound to it. */
export interface TokenBinding {
  /** SHA-256 of the DER of a client certificate, in lower-case hexadecimal (RFC 8705, section 3.1). */
  readonly certificate: string | null;
  /** SHA-256 thumbprint of a DPoP key, in lower-case hexadecimal (RFC 9449, section 6.1). */
  readonly proofKey: string | null;
}

const bearer: TokenBinding = { certificate: null, proofKey: null };

/** A SHA-256 in base64url as hexadecimal; null if it is none. */
const hashIn = (value: unknown): string | null => {
  const octets = typeof value === 'string' ? decodeBase64(value, 'url') : null;
  return octets?.length === digestOctets ? hexadecimalOf(octets) : null;
};

/**
 * The binding of a token by `cnf`; that of a bearer token without `cnf`. A binding that this agent cannot check is an
 * error, because the token would pass as a bearer token.
 */
export const tokenBinding = (claims: Claims): Result<TokenBinding, TokenRejection> => {
  if (!Object.hasOwn(claims, 'cnf')) return ok(bearer);
  const confirmation = claims['cnf'];
  if (!isClaims(confirmation)) return err('malformed_confirmation');
  const hasCertificate = Object.hasOwn(confirmation, 'x5t#S256');
  const hasProofKey = Object.hasOwn(confirmation, 'jkt');
  if (!hasCertificate && !hasProofKey) return err('unknown_confirmation');
  const certificate = hasCertificate ? hashIn(confirmation['x5t#S256']) : null;
  const proofKey = hasProofKey ? hashIn(confirmation['jkt']) : null;
  const isWellFormed = (certificate !== null) === hasCertificate && (proofKey !== null) === hasProofKey;
  return isWellFormed ? ok({ certificate, proofKey }) : err('malformed_confirmation');
};
