import { randomBytes, randomFillSync } from 'node:crypto';
import type { KeyGenerator } from '../../../application/ports/agent/key-generator.js';
import type { Random } from '../../../application/ports/shared/random.js';

/** Generates keys from the operating system's random numbers. */
export class CryptoKeyGenerator implements KeyGenerator {
  newKey(): string {
    return randomBytes(32).toString('base64url');
  }
}

/** UUIDs per batch. Few, because each one keeps the text of its batch in memory. */
const poolSize = 64;
const uuidOctets = 16;
/** Octets per request to the operating system: one call costs as much as a thousand octets. */
const randomOctets = 16 * poolSize * uuidOctets;
const uuidLength = 36;

const hyphen = 0x2d;
const hexDigits = '0123456789abcdef';

/** The two hexadecimal digits of each octet. */
const digits = Uint8Array.from({ length: 512 }, (_, place) =>
  hexDigits.charCodeAt(place % 2 === 0 ? place >> 5 : (place >> 1) & 0x0f),
);

/** Version 4 UUIDs (RFC 9562, section 5.4) from the operating system's random numbers. */
class UuidPool {
  readonly #random = Buffer.alloc(randomOctets);
  #used = randomOctets;
  readonly #text = Buffer.alloc(poolSize * uuidLength, hyphen);
  #uuids = '';
  #taken = poolSize * uuidLength;

  take(): string {
    if (this.#taken === poolSize * uuidLength) this.#fill();
    const start = this.#taken;
    this.#taken += uuidLength;
    return this.#uuids.slice(start, this.#taken);
  }

  #fill(): void {
    if (this.#used === randomOctets) {
      randomFillSync(this.#random);
      this.#used = 0;
    }
    for (let index = 0; index < poolSize; index += 1) this.#write(this.#used + index * uuidOctets, index * uuidLength);
    this.#used += poolSize * uuidOctets;
    this.#uuids = this.#text.toString('latin1');
    this.#taken = 0;
  }

  /** Writes one UUID: all digits except version and variant are random. */
  #write(from: number, to: number): void {
    const random = this.#random;
    const text = this.#text;
    random[from + 6] = ((random[from + 6] as number) & 0x0f) | 0x40;
    random[from + 8] = ((random[from + 8] as number) & 0x3f) | 0x80;
    let at = to;
    for (let octet = 0; octet < uuidOctets; octet += 1) {
      if (octet === 4 || octet === 6 || octet === 8 || octet === 10) at += 1;
      const place = (random[from + octet] as number) * 2;
      text[at] = digits[place] as number;
      text[at + 1] = digits[place + 1] as number;
      at += 2;
    }
  }
}

/** Octets per request to the operating system, for many short values. */
const poolOctets = 4_096;

/** Random values from the operating system. */
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

  /** Offset of unused octets in the pool. */
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
