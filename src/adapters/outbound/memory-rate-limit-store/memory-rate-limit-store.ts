import type { Clock } from '../../../application/ports/shared/clock.js';
import type { RateBuckets } from '../../../application/ports/shared/rate-buckets.js';
import type {
  RateLimitAnswer,
  RateLimitCharge,
  RateLimitStore,
} from '../../../application/ports/shared/rate-limit-store.js';
import { takeTokens } from '../../../domain/gateway/rate-limiting/take-tokens.js';
import { hasToken, type TokenBucket, tokensAt, withoutToken } from '../../../domain/shared/token-bucket.js';
import { BucketSpace, HeldBucket } from './bucket-space.js';

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
