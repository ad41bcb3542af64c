import { type KeyObject, verify } from 'node:crypto';
import type { TokenVerifier } from '../../../application/ports/agent/token-verifier.js';
import type { AsymmetricAlgorithm } from '../../../domain/agent/tokens/signature-algorithm.js';
import { type SignatureScheme, signatureScheme } from './signature-scheme.js';
import { signedParts } from './signed-parts.js';

/**
 * Signatures under a public key that fits its algorithm. They are verified on the calling thread: a turn of the thread
 * pool costs more than most of them, and a token waits for nothing else.
 */
export class PublicKeyTokenVerifier implements TokenVerifier {
  readonly #scheme: SignatureScheme;

  constructor(algorithm: AsymmetricAlgorithm, key: KeyObject) {
    this.#scheme = signatureScheme(algorithm, key);
  }

  isSigned(token: string): boolean {
    const { hash, key, signatureOctets } = this.#scheme;
    const parts = signedParts(token, signatureOctets);
    if (parts === null) return false;
    try {
      return verify(hash, parts.input, key, parts.signature);
    } catch {
      return false;
    }
  }
}
