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
  /** Names of the spaces that are still to be looked at in this round: it comes to those, too, that nothing is taken from any more. */
  #round: string[] = [];

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
    }
    space.add(key, bucket, limit);
  }

  #forgetFull(nowMs: number): void {
    if (this.#round.length === 0) this.#round = [...this.#spaces.keys()];
    const name = this.#round.pop();
    const space = name === undefined ? undefined : this.#spaces.get(name);
    if (name === undefined || space === undefined) return;
    space.forgetFull(nowMs, forgottenByTake);
    if (space.size === 0) this.#spaces.delete(name);
  }
}
