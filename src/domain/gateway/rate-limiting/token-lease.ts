import type { RateLimit, TokenBucket } from '../../shared/token-bucket.js';

/** A worker's account of leased tokens. */
export interface LeaseAccount {
  /** Used for requests. */
  readonly spent: number;
  /** Returned unused. */
  readonly returned: number;
}

/** The largest lease of one worker, and of all workers together, as parts of the burst. */
const partOfWorker = 1 / 8;
const partOfWorkers = 1 / 2;

/** Unused tokens return after this time, in milliseconds. */
export const leaseMs = 100;

/** The longest time that a worker treats a bucket as empty without asking. Asking keeps the bucket from eviction. */
export const longestEmptyBackoffMs = 1_000;

/**
 * The shortest pause before a worker asks for an empty bucket again. It loses nothing if the bucket is not full by
 * then.
 */
const shortestHoldMs = 5;
const holdPartOfBurst = 1 / 4;

/**
 * The limit of a bucket while tokens are leased.
 *
 * INVARIANT: tokens in the bucket plus leased tokens never exceed the burst. So no period allows more than the burst
 * plus the rate.
 */
export const lentLimit = ({ requestsPerSecond, burst }: RateLimit, lent: number): RateLimit => ({
  requestsPerSecond,
  burst: Math.max(0, burst - lent),
});

/** A bucket refilled until now. @param bucket null: unused */
export const filledBucket = (
  bucket: TokenBucket | null,
  limit: RateLimit,
  lent: number,
  nowMs: number,
): TokenBucket => {
  const { requestsPerSecond, burst } = lentLimit(limit, lent);
  if (bucket === null) return { tokens: burst, atMs: nowMs };
  const atMs = Math.max(bucket.atMs, nowMs);
  return { tokens: Math.min(burst, bucket.tokens + ((atMs - bucket.atMs) * requestsPerSecond) / 1000), atMs };
};

/**
 * The bucket after a worker's account. It refills first, because tokens spent now occupied their place until now.
 *
 * @param lent leased tokens so far, including those of the account
 */
export const settledBucket = (
  bucket: TokenBucket | null,
  limit: RateLimit,
  lent: number,
  { spent, returned }: LeaseAccount,
  nowMs: number,
): TokenBucket => {
  const { tokens, atMs } = filledBucket(bucket, limit, lent, nowMs);
  const { burst } = lentLimit(limit, lent - spent - returned);
  return { tokens: Math.min(burst, tokens + returned), atMs };
};

/** Smallest lease. With a small burst nothing is leased, because other workers would lack the tokens. */
const leastLent = 4;

/** Tokens that a worker requests besides those for waiting requests. @param recentlySpent within the last 50 ms */
export const requestedLease = (recentlySpent: number, { burst }: RateLimit): number => {
  const most = Math.floor(burst * partOfWorker);
  return most < leastLent ? 0 : Math.min(recentlySpent, most);
};

/** Smallest prefetch: a rarely used bucket is not worth another message. */
const leastFetched = 4;

/**
 * Tokens that a worker prefetches so that requests do not wait; 0: it waits for a request without a token.
 *
 * @param wished target of a worker without tokens
 * @param held unused, by this worker
 * @param expected expected tokens in the bucket; if they do not suffice, asking early brings no more
 */
export const fetchedLease = (wished: number, held: number, expected: number): number => {
  const lacks = wished - held;
  return held * 2 > wished || lacks < leastFetched || expected < 2 * lacks ? 0 : lacks;
};

/**
 * Whole tokens to lease: at most half of the bucket, so that other workers get some too.
 *
 * @param tokens in the bucket
 * @param lent already leased to all workers
 */
export const grantedLease = (wished: number, tokens: number, { burst }: RateLimit, lent: number): number =>
  Math.max(0, Math.floor(Math.min(wished, tokens / 2, burst * partOfWorkers - lent)));

/** Milliseconds, with fractions, until a bucket has a token; 0: it has one. */
export const untilToken = (tokens: number, { requestsPerSecond }: RateLimit): number =>
  Math.max(0, ((1 - tokens) * 1000) / requestsPerSecond);

/**
 * How long a worker treats a bucket as empty without asking, in milliseconds; 0: it has a token. If tokens are leased,
 * one may return before the rate adds one.
 */
export const emptyBackoffMs = (tokens: number, limit: RateLimit, lent: number): number => {
  const waitMs = untilToken(tokens, limit);
  if (waitMs === 0) return 0;
  const pauseMs = Math.min(shortestHoldMs, (limit.burst * holdPartOfBurst * 1000) / limit.requestsPerSecond);
  return Math.min(Math.max(waitMs, pauseMs), lent > 0 ? leaseMs : longestEmptyBackoffMs);
};
