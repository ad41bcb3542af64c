import { fullAtMs, type RateLimit, type TokenBucket } from '../../../domain/rate-limiting/token-bucket.js';

/** A bucket, and its neighbours in the order of use. */
export interface HeldBucket {
  readonly key: string;
  bucket: TokenBucket;
  /** From then on it is as if nothing had been taken. */
  fullAtMs: number;
  newer: HeldBucket | null;
  older: HeldBucket | null;
}

/** The buckets of one space, so many at the most: the one that was not used for longest goes first. */
export class BucketSpace {
  readonly #most: number;
  readonly #held = new Map<string, HeldBucket>();
  #newest: HeldBucket | null = null;
  #oldest: HeldBucket | null = null;

  constructor(most: number) {
    this.#most = most;
  }

  get size(): number {
    return this.#held.size;
  }

  /** Finding is a use. */
  find(key: string): HeldBucket | null {
    const held = this.#held.get(key);
    if (held === undefined) return null;
    if (held !== this.#newest) {
      this.#unlink(held);
      this.#linkNewest(held);
    }
    return held;
  }

  add(key: string, bucket: TokenBucket, limit: RateLimit): void {
    const held: HeldBucket = { key, bucket, fullAtMs: fullAtMs(bucket, limit), newer: null, older: null };
    this.#held.set(key, held);
    this.#linkNewest(held);
    if (this.#held.size > this.#most && this.#oldest !== null) this.#drop(this.#oldest);
  }

  /** Forgets buckets that are full, of those that were not used for longest; looks at a few. */
  forgetFull(nowMs: number, few: number): void {
    for (let looked = 0; looked < few && this.#oldest !== null && this.#oldest.fullAtMs <= nowMs; looked += 1) {
      this.#drop(this.#oldest);
    }
  }

  #drop(held: HeldBucket): void {
    this.#held.delete(held.key);
    this.#unlink(held);
  }

  #linkNewest(held: HeldBucket): void {
    held.older = this.#newest;
    held.newer = null;
    if (this.#newest !== null) this.#newest.newer = held;
    this.#newest = held;
    this.#oldest ??= held;
  }

  #unlink(held: HeldBucket): void {
    const { newer, older } = held;
    if (newer === null) this.#newest = older;
    else newer.older = older;
    if (older === null) this.#oldest = newer;
    else older.newer = newer;
  }
}
