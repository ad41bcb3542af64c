import { randomBytes, randomFillSync } from 'node:crypto';
import type { Random } from '../../../application/ports/shared/random.js';
import { UuidPool } from './uuid-pool.js';

/** Octets that are taken from the operating system at once: one call for many short values. */
const poolOctets = 4_096;

/** The operating system's random numbers. */
export class CryptoRandom implements Random {
  readonly #pool = Buffer.alloc(poolOctets);
  readonly #uuids = new UuidPool();
  #used = poolOctets;

  uuid(): string {
    return this.#uuids.take();
  }

  token(): string {
    return randomBytes(32).toString('base64url');
  }

  fraction(): number {
    return this.#pool.readUInt32LE(this.#take(4)) / 2 ** 32;
  }

  hex(octets: number): string {
    for (;;) {
      const from = this.#take(octets);
      const text = this.#pool.toString('hex', from, from + octets);
      if (!/^0*$/.test(text)) return text;
    }
  }

  /** Where so many octets of the pool begin that nobody has had yet. */
  #take(octets: number): number {
    if (this.#used + octets > poolOctets) {
      randomFillSync(this.#pool);
      this.#used = 0;
    }
    const from = this.#used;
    this.#used += octets;
    return from;
  }
}
