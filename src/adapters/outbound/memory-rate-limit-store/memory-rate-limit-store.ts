import type { Clock } from '../../../application/ports/clock.js';
import type { RateBuckets } from '../../../application/ports/rate-buckets.js';
import type { RateLimitAnswer, RateLimitCharge, RateLimitStore } from '../../../application/ports/rate-limit-store.js';
import { takeTokens } from '../../../domain/rate-limiting/take-tokens.js';
import { fullAtMs, type TokenBucket } from '../../../domain/rate-limiting/token-bucket.js';
import { BucketSpace, type HeldBucket } from './bucket-space.js';

/** Buckets of each space. */
const defaultMost = 100_000;

/** Full buckets that are forgotten at each look: more than can be added then, so that what a flood has left goes again. */
const forgottenByTake = 8;

/** Buckets in the memory of this process. Answers at once. */
export class MemoryRateLimitStore implements RateLimitStore, RateBuckets {
  readonly #clock: Clock;
  readonly #most: number;
  readonly #spaces = new Map<string, BucketSpace>();
  /** Names of the spaces. */
  readonly #names: string[] = [];
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
    const nowMs = this.#clock.monotonicMs();
    this.#forgetFull(nowMs);
    const held: (HeldBucket | null)[] = [];
    const buckets: (TokenBucket | null)[] = [];
    for (const { space, key } of charges) {
      const found = this.#spaces.get(space)?.find(key) ?? null;
      held.push(found);
      buckets.push(found?.bucket ?? null);
    }
    const taken = takeTokens(buckets, charges, nowMs);
    if (taken.kind === 'refused') return taken;
    const left: number[] = [];
    for (let index = 0; index < charges.length; index += 1) {
      const bucket = taken.buckets[index] as TokenBucket;
      this.#put(charges[index] as RateLimitCharge, held[index] as HeldBucket | null, bucket);
      left.push(bucket.tokens);
    }
    return { kind: 'taken', left };
  }

  find(space: string, key: string): TokenBucket | null {
    const nowMs = this.#clock.monotonicMs();
    this.#forgetFull(nowMs);
    const held = this.#spaces.get(space)?.find(key) ?? null;
    return held === null || held.fullAtMs <= nowMs ? null : held.bucket;
  }

  put(charge: RateLimitCharge, bucket: TokenBucket): void {
    this.#put(charge, this.#spaces.get(charge.space)?.find(charge.key) ?? null, bucket);
  }

  sizes(): Readonly<Record<string, number>> {
    return Object.fromEntries([...this.#spaces].map(([name, space]) => [name, space.size]));
  }

  async close(): Promise<void> {
    this.#spaces.clear();
    this.#names.length = 0;
    this.#next = -1;
  }

  #put({ space: name, key, limit }: RateLimitCharge, held: HeldBucket | null, bucket: TokenBucket): void {
    if (held !== null) {
      held.bucket = bucket;
      held.fullAtMs = fullAtMs(bucket, limit);
      return;
    }
    let space = this.#spaces.get(name);
    if (space === undefined) {
      space = new BucketSpace(this.#most);
      this.#spaces.set(name, space);
      this.#names.push(name);
    }
    space.add(key, bucket, limit);
  }

  #forgetFull(nowMs: number): void {
    if (this.#next < 0) this.#next = this.#names.length - 1;
    const place = this.#next;
    const name = this.#names[place];
    const space = name === undefined ? undefined : this.#spaces.get(name);
    if (name === undefined || space === undefined) return;
    this.#next -= 1;
    space.forgetFull(nowMs, forgottenByTake);
    if (space.size > 0) return;
    this.#spaces.delete(name);
    const last = this.#names.pop() as string;
    if (last !== name) this.#names[place] = last;
  }
}
