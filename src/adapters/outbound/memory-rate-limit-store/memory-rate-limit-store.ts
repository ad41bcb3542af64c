import type { Clock } from '../../../application/ports/shared/clock.js';
import type {
  RateBuckets,
  RateLimitAnswer,
  RateLimitCharge,
  RateLimitStore,
} from '../../../application/ports/shared/rate-limit-store.js';
import { takeTokens } from '../../../domain/gateway/rate-limiting/take-tokens.js';
import {
  fullAtMs,
  hasToken,
  type RateLimit,
  type TokenBucket,
  tokensAt,
  withoutToken,
} from '../../../domain/shared/token-bucket.js';

/** Up to this number of buckets, full ones are kept for `keptMs`: many clients return soon. */
const fewHeld = 1_000;
/** How long a full bucket is kept, in milliseconds. */
const keptMs = 1_000;

/** A bucket with its links in the LRU list. */
class HeldBucket implements TokenBucket {
  newer: HeldBucket | null = null;
  older: HeldBucket | null = null;

  constructor(
    readonly key: string,
    public tokens: number,
    public atMs: number,
    /** Limit of the last use. */
    public limit: RateLimit,
  ) {}

  /** Time from which the bucket is full again. */
  get fullAtMs(): number {
    return fullAtMs(this, this.limit);
  }

  become(tokens: number, atMs: number, limit: RateLimit): void {
    this.tokens = tokens;
    this.atMs = atMs;
    this.limit = limit;
  }
}

/** The buckets of one space in an LRU list of bounded size. */
class BucketSpace {
  readonly #capacity: number;
  readonly #held = new Map<string, HeldBucket>();
  #newest: HeldBucket | null = null;
  #oldest: HeldBucket | null = null;

  constructor(
    readonly name: string,
    capacity: number,
  ) {
    this.#capacity = capacity;
  }

  get size(): number {
    return this.#held.size;
  }

  /** A lookup counts as use. */
  find(key: string): HeldBucket | null {
    const held = this.#held.get(key);
    if (held === undefined) return null;
    if (held !== this.#newest) {
      this.#unlink(held);
      this.#linkNewest(held);
    }
    return held;
  }

  /** INVARIANT: the key is new. */
  add(held: HeldBucket): void {
    this.#held.set(held.key, held);
    this.#linkNewest(held);
    if (this.#held.size > this.#capacity && this.#oldest !== null) this.#drop(this.#oldest);
  }

  /** Evicts full buckets among the least recently used; inspects a few. */
  evictFull(nowMs: number, few: number): void {
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

/** Maximum number of buckets per space. */
const defaultCapacity = 100_000;

/**
 * Full buckets evicted per sweep: more than can be added meanwhile, so the rest of a flood
 * disappears.
 */
const evictedPerTake = 8;

/** Buckets in process memory. Answers synchronously. */
export class MemoryRateLimitStore implements RateLimitStore, RateBuckets {
  readonly #clock: Clock;
  readonly #capacity: number;
  readonly #spaces = new Map<string, BucketSpace>();
  /** The spaces as a list, for the sweep. */
  readonly #order: BucketSpace[] = [];
  /**
   * Index of the next space to sweep, from the last to the first. The sweep reaches unused spaces
   * whatever is added; a space moved into a free place was already swept.
   */
  #next = -1;

  constructor(clock: Clock, capacity = defaultCapacity) {
    this.#clock = clock;
    this.#capacity = capacity;
  }

  take(charges: readonly RateLimitCharge[]): RateLimitAnswer {
    const nowMs = this.#clock.turnMs();
    const answer = this.#take(charges, nowMs);
    // After the take, which marks buckets as used.
    this.#evictFull(nowMs);
    return answer;
  }

  find(space: string, key: string): TokenBucket | null {
    const nowMs = this.#clock.turnMs();
    const held = this.#spaces.get(space)?.find(key) ?? null;
    this.#evictFull(nowMs);
    // A full bucket equals no bucket.
    return held === null || held.fullAtMs <= nowMs ? null : { tokens: held.tokens, atMs: held.atMs };
  }

  put(charge: RateLimitCharge, { tokens, atMs }: TokenBucket): void {
    const held = this.#spaces.get(charge.space)?.find(charge.key) ?? null;
    if (held === null) this.#add(charge, tokens, atMs);
    else held.become(tokens, atMs, charge.limit);
  }

  sizes(): Readonly<Record<string, number>> {
    return Object.fromEntries([...this.#spaces].map(([name, space]) => [name, space.size]));
  }

  async close(): Promise<void> {
    this.#spaces.clear();
    this.#order.length = 0;
    this.#next = -1;
  }

  #take(charges: readonly RateLimitCharge[], nowMs: number): RateLimitAnswer {
    const held: (HeldBucket | null)[] = [];
    const left: number[] = [];
    let areAvailable = true;
    for (let index = 0; index < charges.length; index += 1) {
      const { space, key, limit } = charges[index] as RateLimitCharge;
      const found = this.#spaces.get(space)?.find(key) ?? null;
      // A bucket that is full under the limit of its last use equals a new one, whatever the
      // current limit.
      if (found !== null && found.limit !== limit && found.fullAtMs <= nowMs) found.become(limit.burst, nowMs, limit);
      const tokens = tokensAt(found, limit, nowMs);
      if (!hasToken(tokens)) areAvailable = false;
      held.push(found);
      left.push(withoutToken(tokens));
    }
    if (!areAvailable) {
      const refused = takeTokens(held, charges, nowMs);
      if (refused.kind === 'refused') return refused;
    }
    for (let index = 0; index < charges.length; index += 1) {
      const charge = charges[index] as RateLimitCharge;
      const found = held[index] as HeldBucket | null;
      const tokens = left[index] as number;
      if (found === null) this.#add(charge, tokens, nowMs);
      else found.become(tokens, Math.max(found.atMs, nowMs), charge.limit);
    }
    return { kind: 'taken', left };
  }

  #add({ space: name, key, limit }: RateLimitCharge, tokens: number, atMs: number): void {
    let space = this.#spaces.get(name);
    if (space === undefined) {
      space = new BucketSpace(name, this.#capacity);
      this.#spaces.set(name, space);
      this.#order.push(space);
    }
    space.add(new HeldBucket(key, tokens, atMs, limit));
  }

  #evictFull(nowMs: number): void {
    if (this.#next < 0) this.#next = this.#order.length - 1;
    const place = this.#next;
    const space = this.#order[place];
    if (space === undefined) return;
    this.#next -= 1;
    space.evictFull(nowMs, evictedPerTake);
    if (space.size > 0) return;
    this.#spaces.delete(space.name);
    const last = this.#order.pop() as BucketSpace;
    if (last !== space) this.#order[place] = last;
  }
}
