import { createHash, createHmac, randomBytes, timingSafeEqual } from 'node:crypto';
import type { SecretDigest } from '../../../application/ports/shared/secret-digest.js';

/** HMAC-SHA-256 under a random key that never leaves the process. */
export class HmacSecretDigest implements SecretDigest {
  readonly #key = randomBytes(32);

  digest(text: string): string {
    return createHmac('sha256', this.#key).update(text, 'utf8').digest('base64url');
  }

  equal(first: string, second: string): boolean {
    const firstOctets = Buffer.from(first, 'latin1');
    const secondOctets = Buffer.from(second, 'latin1');
    return firstOctets.length === secondOctets.length && timingSafeEqual(firstOctets, secondOctets);
  }

  sha256Hex(text: string): string {
    return createHash('sha256').update(text, 'utf8').digest('hex');
  }
}
