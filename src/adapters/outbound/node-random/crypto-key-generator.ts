import { randomBytes } from 'node:crypto';
import type { KeyGenerator } from '../../../application/ports/agent/key-generator.js';

/** Keys of the operating system's random numbers. */
export class CryptoKeyGenerator implements KeyGenerator {
  newKey(): string {
    return randomBytes(32).toString('base64url');
  }
}
