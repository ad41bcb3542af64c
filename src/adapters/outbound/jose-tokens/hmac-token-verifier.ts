import { createHmac, createSecretKey, type KeyObject, timingSafeEqual } from 'node:crypto';
import type { TokenVerifier } from '../../../application/ports/agent/token-verifier.js';
import { signedParts } from './signed-parts.js';

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
