import { constants, type KeyObject, type SignKeyObjectInput } from 'node:crypto';
import type { AsymmetricAlgorithm } from '../../../domain/agent/tokens/signature-algorithm.js';
import { algorithmRequirements } from './algorithm-requirements.js';

/** What `sign` and `verify` of node:crypto are called with, for a key that fits its algorithm. */
export interface SignatureScheme {
  readonly hash: string | null;
  readonly key: SignKeyObjectInput;
  readonly signatureOctets: number;
}

const ed25519SignatureOctets = 64;

/** Signatures as JWS has them (RFC 7518, sections 3.3 to 3.5; RFC 8037, section 3.1). */
export const signatureScheme = (algorithm: AsymmetricAlgorithm, key: KeyObject): SignatureScheme => {
  const needs = algorithmRequirements[algorithm];
  const { hash } = needs;
  switch (needs.family) {
    case 'rsa': {
      const signatureOctets = Math.ceil((key.asymmetricKeyDetails?.modulusLength ?? 0) / 8);
      const { RSA_PKCS1_PADDING, RSA_PKCS1_PSS_PADDING, RSA_PSS_SALTLEN_DIGEST } = constants;
      return needs.isPss
        ? { hash, signatureOctets, key: { key, padding: RSA_PKCS1_PSS_PADDING, saltLength: RSA_PSS_SALTLEN_DIGEST } }
        : { hash, signatureOctets, key: { key, padding: RSA_PKCS1_PADDING } };
    }
    case 'ec':
      return { hash, signatureOctets: 2 * needs.octets, key: { key, dsaEncoding: 'ieee-p1363' } };
    case 'ed25519':
      return { hash, signatureOctets: ed25519SignatureOctets, key: { key } };
  }
};
