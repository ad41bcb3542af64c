import { constants, type KeyObject, verify } from 'node:crypto';
import type { TokenVerifier } from '../../../application/ports/token-verifier.js';
import type { AsymmetricAlgorithm } from '../../../domain/tokens/signature-algorithm.js';
import { algorithmRequirements } from './algorithm-requirements.js';
import { signedParts } from './signed-parts.js';

/** What node:crypto's `verify` is called with. */
interface Verification {
  readonly hash: string | null;
  readonly key: Parameters<typeof verify>[2];
  readonly signatureOctets: number;
}

const ed25519SignatureOctets = 64;

const verification = (algorithm: AsymmetricAlgorithm, key: KeyObject): Verification => {
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
      return { hash, signatureOctets: ed25519SignatureOctets, key };
  }
};

/**
 * Signatures under a public key that fits its algorithm. They are verified on the calling thread: a turn of the thread
 * pool costs more than most of them, and a token waits for nothing else.
 */
export class PublicKeyTokenVerifier implements TokenVerifier {
  readonly #verification: Verification;

  constructor(algorithm: AsymmetricAlgorithm, key: KeyObject) {
    this.#verification = verification(algorithm, key);
  }

  isSigned(token: string): boolean {
    const { hash, key, signatureOctets } = this.#verification;
    const parts = signedParts(token, signatureOctets);
    if (parts === null) return false;
    try {
      return verify(hash, parts.input, key, parts.signature);
    } catch {
      return false;
    }
  }
}
