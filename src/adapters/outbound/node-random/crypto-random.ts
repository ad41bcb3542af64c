import { getRandomValues, randomBytes, randomUUID } from 'node:crypto';
import type { Random } from '../../../application/ports/random.js';

/** The operating system's random numbers. */
export class CryptoRandom implements Random {
  readonly #word = new Uint32Array(1);

  uuid(): string {
    return randomUUID();
  }

  token(): string {
    return randomBytes(32).toString('base64url');
  }

  fraction(): number {
    getRandomValues(this.#word);
    return (this.#word[0] as number) / 2 ** 32;
  }
}
