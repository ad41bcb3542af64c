import { takeTokens } from '../../../../domain/gateway/rate-limiting/take-tokens.js';
import {
  filledBucket,
  grantedLease,
  holdMs,
  lentLimit,
  settledBucket,
} from '../../../../domain/gateway/rate-limiting/token-lease.js';
import type { RateLimit, TokenBucket } from '../../../../domain/shared/token-bucket.js';
import type { Clock } from '../../../ports/shared/clock.js';
import type { RateBuckets, RateLimitCharge } from '../../../ports/shared/rate-limit-store.js';
import type { WorkerChannel } from '../../../shared/worker-channel/worker-channel.js';
import {
  type AnsweredBucket,
  type AskedBucket,
  type RateAnswer,
  type RateQuestion,
  type RefusedTokens,
  rateAnswers,
  rateQuestions,
} from './rate-notices.js';

/** Tokens of one bucket that are lent. */
interface LentOfBucket {
  readonly charge: RateLimitCharge;
  readonly tokens: number;
}

/** How many tokens are lent of each bucket; knows only those of which some are. */
class LentTokens {
  readonly #spaces = new Map<string, Map<string, LentOfBucket>>();
  #size = 0;

  /** Buckets of which tokens are lent. */
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

  all(): readonly LentOfBucket[] {
    return [...this.#spaces.values()].flatMap((buckets) => [...buckets.values()]);
  }
}

/** Buckets of which one worker has tokens at the same time. */
const mostLentToWorker = 20_000;

/** A bucket while a question is answered. */
interface BucketAtWork {
  readonly asked: AskedBucket;
  bucket: TokenBucket;
  /** To all workers. */
  lent: number;
}

/**
 * The supervisor's side of the rates that hold for all workers together: the buckets are here, and workers are lent tokens of those that
 * they use much.
 */
export class RateLeases {
  readonly #buckets: RateBuckets;
  readonly #clock: Clock;
  readonly #lent = new LentTokens();

  constructor(buckets: RateBuckets, clock: Clock) {
    this.#buckets = buckets;
    this.#clock = clock;
  }

  /**
   * Answers a worker from now on.
   *
   * @returns to be called when the worker is gone: what it was lent counts as spent, since nobody can say that it was not
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

  /** Buckets of the gateway, by space. */
  sizes(): Readonly<Record<string, number>> {
    return this.#buckets.sizes();
  }

  /** Tokens that workers hold unused, as far as they have given account. */
  lentTokens(): number {
    return this.#lent.all().reduce((sum, { tokens }) => sum + tokens, 0);
  }

  #answer({ number, buckets, requests }: RateQuestion, lent: LentTokens): RateAnswer {
    const nowMs = this.#clock.monotonicMs();
    const atWork = buckets.map((asked) => this.#settle(asked, lent, nowMs));
    const judged = requests.map((indexes) =>
      take(
        indexes.map((index) => atWork[index] as BucketAtWork),
        nowMs,
      ),
    );
    return { number, requests: judged, buckets: atWork.map((each) => this.#lend(each, lent, nowMs)) };
  }

  /** Nobody accounts for more than was lent. */
  #settle(asked: AskedBucket, lentToWorker: LentTokens, nowMs: number): BucketAtWork {
    const { space, key, limit } = asked;
    const [own, lent] = [lentToWorker.of(asked), this.#lent.of(asked)];
    const spent = Math.min(asked.spent, own);
    const returned = Math.min(asked.returned, own - spent);
    const bucket = settledBucket(this.#buckets.find(space, key), limit, lent, { spent, returned }, nowMs);
    lentToWorker.set(asked, own - spent - returned);
    this.#lent.set(asked, lent - spent - returned);
    return { asked, bucket, lent: lent - spent - returned };
  }

  #lend({ asked, bucket, lent }: BucketAtWork, lentToWorker: LentTokens, nowMs: number): AnsweredBucket {
    const { limit } = asked;
    const filled = filledBucket(bucket, limit, lent, nowMs);
    const mayBeLent = lentToWorker.size < mostLentToWorker || lentToWorker.of(asked) > 0;
    const granted = mayBeLent ? grantedLease(asked.wished, filled.tokens, limit, lent) : 0;
    if (granted > 0) {
      lentToWorker.set(asked, lentToWorker.of(asked) + granted);
      this.#lent.set(asked, lent + granted);
    }
    const left = filled.tokens - granted;
    this.#buckets.put(asked, { tokens: left, atMs: filled.atMs });
    // A clock that stands before the bucket has that way to go first.
    const behindMs = filled.atMs - nowMs;
    const hold = holdMs(left, limit, lent);
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

const limitAtWork = ({ asked, lent }: BucketAtWork): { readonly limit: RateLimit } => ({
  limit: lentLimit(asked.limit, lent),
});

const take = (atWork: readonly BucketAtWork[], nowMs: number): RefusedTokens | null => {
  const taken = takeTokens(
    atWork.map(({ bucket }) => bucket),
    atWork.map(limitAtWork),
    nowMs,
  );
  if (taken.kind === 'refused') return { refusedBy: taken.refusedBy, waitMs: taken.waitMs };
  atWork.forEach((each, index) => {
    each.bucket = taken.buckets[index] as TokenBucket;
  });
  return null;
};
