import { createHmac, createSecretKey, type KeyObject, timingSafeEqual, verify } from 'node:crypto';
import type { TokenVerifier } from '../../../application/ports/agent/token-verifier.js';
import type { AsymmetricAlgorithm } from '../../../domain/agent/tokens/signature-algorithm.js';
import { err, ok, type Result } from '../../../domain/shared/result.js';
import type { Secret } from '../../../domain/shared/secret.js';
import { type SignatureScheme, signatureScheme, splitJws } from './algorithm-requirements.js';

/** Minimum octets of an HS256 secret (RFC 7518, section 3.2). */
const minOctets = 32;

/** The octets of an HS256 secret. The error is one clause. */
export const hmacSecret = (text: Secret): Result<Buffer, string> => {
  const octets = Buffer.from(text.reveal(), 'utf8');
  return octets.length < minOctets ? err(`has fewer than ${minOctets} bytes`) : ok(octets);
};

const signatureOctets = 32;

/** Verifies HS256 (RFC 7518, section 3.2). */
export class HmacTokenVerifier implements TokenVerifier {
  readonly #key: KeyObject;

  constructor(secret: Buffer) {
    this.#key = createSecretKey(secret);
  }

  isSigned(token: string): boolean {
    const parts = splitJws(token, signatureOctets);
    return (
      parts !== null && timingSafeEqual(createHmac('sha256', this.#key).update(parts.input).digest(), parts.signature)
    );
  }
}

/**
 * Verifies signatures with a public key. Runs on the calling thread: a switch to the thread pool
 * costs more than most verifications.
 */
export class PublicKeyTokenVerifier implements TokenVerifier {
  readonly #scheme: SignatureScheme;

  constructor(algorithm: AsymmetricAlgorithm, key: KeyObject) {
    this.#scheme = signatureScheme(algorithm, key);
  }

  isSigned(token: string): boolean {
    const { hash, key, signatureOctets } = this.#scheme;
    const parts = splitJws(token, signatureOctets);
    if (parts === null) return false;
    try {
      return verify(hash, parts.input, key, parts.signature);
    } catch {
      return false;
    }
  }
}
