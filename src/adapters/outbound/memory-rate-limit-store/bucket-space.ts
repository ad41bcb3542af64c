import { fullAtMs, type RateLimit, type TokenBucket } from '../../../domain/shared/token-bucket.js';

/** While there are no more than so many, full ones are kept for a while: whoever comes again is likely to come soon. */
const fewHeld = 1_000;
/** For how long after they were full, in milliseconds. */
const keptMs = 1_000;

/** A bucket as it stands now, and its neighbours in the order of use. */
export class HeldBucket implements TokenBucket {
  newer: HeldBucket | null = null;
  older: HeldBucket | null = null;

  constructor(
    readonly key: string,
    public tokens: number,
    public atMs: number,
    /** That which it was used by last. */
    public limit: RateLimit,
  ) {}

  /** From then on it is as if nothing had been taken. */
  get fullAtMs(): number {
    return fullAtMs(this, this.limit);
  }

  /** It stands so from now on. */
  become(tokens: number, atMs: number, limit: RateLimit): void {
    this.tokens = tokens;
    this.atMs = atMs;
    this.limit = limit;
  }
}

/** The buckets of one space, so many at the most: the one that was not used for longest goes first. */
export class BucketSpace {
  readonly #most: number;
  readonly #held = new Map<string, HeldBucket>();
  #newest: HeldBucket | null = null;
  #oldest: HeldBucket | null = null;

  constructor(
    readonly name: string,
    most: number,
  ) {
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

  /** INVARIANT: there is none of that key. */
  add(held: HeldBucket): void {
    this.#held.set(held.key, held);
    this.#linkNewest(held);
    if (this.#held.size > this.#most && this.#oldest !== null) this.#drop(this.#oldest);
  }

  /** Forgets buckets that are full, of those that were not used for longest; looks at a few. */
  forgetFull(nowMs: number, few: number): void {
    const sinceMs = this.#held.size > fewHeld ? nowMs : nowMs - keptMs;
    for (let looked = 0; looked < few && this.#oldest !== null && this.#oldest.fullAtMs <= sinceMs; looked += 1) {
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
