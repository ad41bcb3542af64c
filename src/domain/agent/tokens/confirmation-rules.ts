import { decodeBase64 } from '../../shared/base64.js';
import { err, ok, type Result } from '../../shared/result.js';
import { type Claims, isClaims } from './claims.js';
import type { TokenRejection } from './token-rejection.js';

/** Octets of a SHA-256 digest. */
const digestOctets = 32;

const hexadecimalOf = (octets: Uint8Array): string =>
  Array.from(octets, (octet) => octet.toString(16).padStart(2, '0')).join('');

/**
 * The certificate that a token is bound to by `cnf` (RFC 7800; RFC 8705, section 3.1): the SHA-256 of its DER in
 * lower-case hexadecimal. Null for a token without `cnf`, which is a bearer token. A binding that this agent cannot
 * check is an error, because the token would pass as a bearer token.
 */
export const boundCertificate = (claims: Claims): Result<string | null, TokenRejection> => {
  if (!Object.hasOwn(claims, 'cnf')) return ok(null);
  const confirmation = claims['cnf'];
  if (!isClaims(confirmation)) return err('malformed_confirmation');
  if (Object.hasOwn(confirmation, 'jkt')) return err('dpop_not_supported');
  if (!Object.hasOwn(confirmation, 'x5t#S256')) return err('unknown_confirmation');
  const thumbprint = confirmation['x5t#S256'];
  const octets = typeof thumbprint === 'string' ? decodeBase64(thumbprint, 'url') : null;
  return octets?.length === digestOctets ? ok(hexadecimalOf(octets)) : err('malformed_confirmation');
};
