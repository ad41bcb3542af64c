import { createHmac, createSecretKey, type KeyObject, timingSafeEqual, verify } from 'node:crypto';
import type { TokenVerifier } from '../../../application/ports/agent/token-verifier.js';
import type { AsymmetricAlgorithm } from '../../../domain/agent/tokens/signature-algorithm.js';
import { err, ok, type Result } from '../../../domain/shared/result.js';
import type { Secret } from '../../../domain/shared/secret.js';
import { type SignatureScheme, signatureScheme, signedParts } from './algorithm-requirements.js';

/** Octets of an HS256 secret, at least (RFC 7518, section 3.2). */
const minimumOctets = 32;

/** The octets of an HS256 secret, where there are enough of them. */
export const hmacSecret = (text: Secret): Result<Buffer, string> => {
  const octets = Buffer.from(text.reveal(), 'utf8');
  return octets.length < minimumOctets ? err(`has fewer than ${minimumOctets} bytes`) : ok(octets);
};

const signatureOctets = 32;

/** HS256 (RFC 7518, section 3.2). */
export class HmacTokenVerifier implements TokenVerifier {
  readonly #key: KeyObject;

  constructor(secret: Buffer) {
    this.#key = createSecretKey(secret);
  }

  isSigned(token: string): boolean {
    const parts = signedParts(token, signatureOctets);
    return (
      parts !== null && timingSafeEqual(createHmac('sha256', this.#key).update(parts.input).digest(), parts.signature)
    );
  }
}

/**
 * Signatures under a public key that fits its algorithm. They are verified on the calling thread: a
 * turn of the thread pool costs more than most of them, and a token waits for nothing else.
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
