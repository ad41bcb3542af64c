import { takeTokens } from '../../../../domain/gateway/rate-limiting/take-tokens.js';
import {
  emptyBackoffMs,
  filledBucket,
  grantedLease,
  lentLimit,
  settledBucket,
} from '../../../../domain/gateway/rate-limiting/token-lease.js';
import type { RateLimit, TokenBucket } from '../../../../domain/shared/token-bucket.js';
import type { Clock } from '../../../ports/shared/clock.js';
import type { RateBuckets, RateLimitCharge } from '../../../ports/shared/rate-limit-store.js';
import type { WorkerChannel } from '../../../shared/worker-channel/worker-channel.js';
import {
  type BucketGrant,
  type BucketRequest,
  type RateAnswer,
  type RateQuestion,
  type RefusedTokens,
  rateAnswers,
  rateQuestions,
} from './rate-messages.js';

/** A bucket, and how many of its tokens are lent. */
interface LentBucket {
  readonly charge: RateLimitCharge;
  readonly tokens: number;
}

/** How many tokens of each bucket are lent. Holds only buckets with lent tokens. */
class LentTokens {
  readonly #spaces = new Map<string, Map<string, LentBucket>>();
  #size = 0;

  /** Buckets with lent tokens. */
  get size(): number {
    return this.#size;
  }

  of({ space, key }: RateLimitCharge): number {
    return this.#spaces.get(space)?.get(key)?.tokens ?? 0;
  }

  set(charge: RateLimitCharge, tokens: number): void {
    const { space, key } = charge;
    let buckets = this.#spaces.get(space);
    if (tokens <= 0) {
      if (buckets?.delete(key) !== true) return;
      this.#size -= 1;
      if (buckets.size === 0) this.#spaces.delete(space);
      return;
    }
    if (buckets === undefined) {
      buckets = new Map();
      this.#spaces.set(space, buckets);
    }
    if (!buckets.has(key)) this.#size += 1;
    buckets.set(key, { charge: { space, key, limit: charge.limit }, tokens });
  }

  all(): readonly LentBucket[] {
    return [...this.#spaces.values()].flatMap((buckets) => [...buckets.values()]);
  }
}

/** Buckets that may lend tokens to one worker at the same time. */
const maximumLentBuckets = 20_000;

/** A bucket while the server answers a question. */
interface PendingBucket {
  readonly asked: BucketRequest;
  bucket: TokenBucket;
  /** Tokens lent to all workers. */
  lent: number;
}

/**
 * Holds the rate-limit buckets that all workers share, in the supervisor. Lends workers tokens of the buckets that they
 * use often.
 */
export class RateLeaseServer {
  readonly #buckets: RateBuckets;
  readonly #clock: Clock;
  readonly #lent = new LentTokens();

  constructor(buckets: RateBuckets, clock: Clock) {
    this.#buckets = buckets;
    this.#clock = clock;
  }

  /**
   * Starts to answer a worker.
   *
   * @returns Call it when the worker has ended. Its lent tokens then count as spent, because they may have been.
   */
  join(worker: WorkerChannel): () => void {
    const lent = new LentTokens();
    let hasLeft = false;
    worker.hear(rateQuestions, (question) => {
      if (hasLeft) return;
      const answer = this.#answer(question, lent);
      if (question.number > 0) worker.tell(rateAnswers, answer);
    });
    return () => {
      hasLeft = true;
      this.#forget(lent);
    };
  }

  /** Number of buckets, by space. */
  sizes(): Readonly<Record<string, number>> {
    return this.#buckets.sizes();
  }

  /** Tokens that workers hold unused, according to their last accounts. */
  lentTokens(): number {
    return this.#lent.all().reduce((sum, { tokens }) => sum + tokens, 0);
  }

  #answer({ number, buckets, requests }: RateQuestion, lent: LentTokens): RateAnswer {
    const nowMs = this.#clock.monotonicMs();
    const pending = buckets.map((asked) => this.#settle(asked, lent, nowMs));
    const judged = requests.map((indexes) =>
      take(
        indexes.map((index) => pending[index] as PendingBucket),
        nowMs,
      ),
    );
    return { number, requests: judged, buckets: pending.map((each) => this.#lend(each, lent, nowMs)) };
  }

  /** Caps the account of a worker at the tokens lent to it. */
  #settle(asked: BucketRequest, lentToWorker: LentTokens, nowMs: number): PendingBucket {
    const { space, key, limit } = asked;
    const [own, lent] = [lentToWorker.of(asked), this.#lent.of(asked)];
    const spent = Math.min(asked.spent, own);
    const returned = Math.min(asked.returned, own - spent);
    const bucket = settledBucket(this.#buckets.find(space, key), limit, lent, { spent, returned }, nowMs);
    lentToWorker.set(asked, own - spent - returned);
    this.#lent.set(asked, lent - spent - returned);
    return { asked, bucket, lent: lent - spent - returned };
  }

  #lend({ asked, bucket, lent }: PendingBucket, lentToWorker: LentTokens, nowMs: number): BucketGrant {
    const { limit } = asked;
    const filled = filledBucket(bucket, limit, lent, nowMs);
    const mayBeLent = lentToWorker.size < maximumLentBuckets || lentToWorker.of(asked) > 0;
    const granted = mayBeLent ? grantedLease(asked.wished, filled.tokens, limit, lent) : 0;
    if (granted > 0) {
      lentToWorker.set(asked, lentToWorker.of(asked) + granted);
      this.#lent.set(asked, lent + granted);
    }
    const left = filled.tokens - granted;
    this.#buckets.put(asked, { tokens: left, atMs: filled.atMs });
    // A clock behind the bucket must first catch up.
    const behindMs = filled.atMs - nowMs;
    const hold = emptyBackoffMs(left, limit, lent);
    return { left, lent: granted, holdMs: hold === 0 ? 0 : hold + behindMs };
  }

  #forget(lentToWorker: LentTokens): void {
    const nowMs = this.#clock.monotonicMs();
    for (const { charge, tokens } of lentToWorker.all()) {
      const { space, key, limit } = charge;
      const lent = this.#lent.of(charge);
      const account = { spent: tokens, returned: 0 };
      this.#buckets.put(charge, settledBucket(this.#buckets.find(space, key), limit, lent, account, nowMs));
      this.#lent.set(charge, lent - tokens);
    }
  }
}

const pendingLimit = ({ asked, lent }: PendingBucket): { readonly limit: RateLimit } => ({
  limit: lentLimit(asked.limit, lent),
});

const take = (pending: readonly PendingBucket[], nowMs: number): RefusedTokens | null => {
  const taken = takeTokens(
    pending.map(({ bucket }) => bucket),
    pending.map(pendingLimit),
    nowMs,
  );
  if (taken.kind === 'refused') return { refusedBy: taken.refusedBy, waitMs: taken.waitMs };
  pending.forEach((each, index) => {
    each.bucket = taken.buckets[index] as TokenBucket;
  });
  return null;
};
