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

/** While there are no more than so many, full ones are kept for a while: whoever comes again is likely to come soon. */
const fewHeld = 1_000;
/** For how long after they were full, in milliseconds. */
const keptMs = 1_000;

/** A bucket as it stands now, and its neighbours in the order of use. */
class HeldBucket implements TokenBucket {
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
class BucketSpace {
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

/** Buckets of each space. */
const defaultMost = 100_000;

/** Full buckets that are forgotten at each look: more than can be added then, so that what a flood has left goes again. */
const forgottenByTake = 8;

/** Buckets in the memory of this process. Answers at once. */
export class MemoryRateLimitStore implements RateLimitStore, RateBuckets {
  readonly #clock: Clock;
  readonly #most: number;
  readonly #spaces = new Map<string, BucketSpace>();
  /** The same ones, one after the other. */
  readonly #order: BucketSpace[] = [];
  /**
   * The next of them to be looked at, from the last to the first: so the round comes to those, too, that nothing is taken from any more,
   * whatever is added meanwhile, and what takes the place of one that goes was looked at before.
   */
  #next = -1;

  constructor(clock: Clock, most = defaultMost) {
    this.#clock = clock;
    this.#most = most;
  }

  take(charges: readonly RateLimitCharge[]): RateLimitAnswer {
    const nowMs = this.#clock.turnMs();
    const answer = this.#take(charges, nowMs);
    // Not before, or those would go that are used now.
    this.#forgetFull(nowMs);
    return answer;
  }

  find(space: string, key: string): TokenBucket | null {
    const nowMs = this.#clock.turnMs();
    const held = this.#spaces.get(space)?.find(key) ?? null;
    this.#forgetFull(nowMs);
    // Whoever finds it has it as it stood then.
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
    let areThere = true;
    for (let index = 0; index < charges.length; index += 1) {
      const { space, key, limit } = charges[index] as RateLimitCharge;
      const found = this.#spaces.get(space)?.find(key) ?? null;
      // One that is full by the limit that it was used by last is as good as none, whatever the limit is now.
      if (found !== null && found.limit !== limit && found.fullAtMs <= nowMs) found.become(limit.burst, nowMs, limit);
      const tokens = tokensAt(found, limit, nowMs);
      if (!hasToken(tokens)) areThere = false;
      held.push(found);
      left.push(withoutToken(tokens));
    }
    if (!areThere) {
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
      space = new BucketSpace(name, this.#most);
      this.#spaces.set(name, space);
      this.#order.push(space);
    }
    space.add(new HeldBucket(key, tokens, atMs, limit));
  }

  #forgetFull(nowMs: number): void {
    if (this.#next < 0) this.#next = this.#order.length - 1;
    const place = this.#next;
    const space = this.#order[place];
    if (space === undefined) return;
    this.#next -= 1;
    space.forgetFull(nowMs, forgottenByTake);
    if (space.size > 0) return;
    this.#spaces.delete(space.name);
    const last = this.#order.pop() as BucketSpace;
    if (last !== space) this.#order[place] = last;
  }
}
