import { encodeBase64Url } from '../../shared/base64.js';
import type { AsymmetricAlgorithm } from '../tokens/signature-algorithm.js';

/** A hash function, as node:crypto names it. */
export type HashName = 'sha256' | 'sha384' | 'sha512';

/**
 * The hash function of the algorithm that signed an ID token (RFC 7518, section 3.1). Ed25519 uses SHA-512 (RFC 8032,
 * section 5.1).
 */
export const hashOfAlgorithm = (algorithm: AsymmetricAlgorithm): HashName => {
  if (algorithm === 'EdDSA') return 'sha512';
  if (algorithm.endsWith('256')) return 'sha256';
  return algorithm.endsWith('384') ? 'sha384' : 'sha512';
};

/**
 * The value of `at_hash` or `c_hash`: the left half of a digest, in base64url (OpenID Connect Core, section 3.1.3.6).
 */
export const tokenHash = (digest: Uint8Array): string => encodeBase64Url(digest.subarray(0, digest.length / 2));
