import type { RateLimit, TokenBucket } from '../../shared/token-bucket.js';

/** What a worker has done with tokens that it was lent. */
export interface LeaseAccount {
  /** Let requests through. */
  readonly spent: number;
  /** Come back unused. */
  readonly returned: number;
}

/** Of the burst, what one worker is lent at most; all workers together are lent half of it. */
const partOfWorker = 1 / 8;
const partOfWorkers = 1 / 2;

/** Unused tokens go back after so long, in milliseconds. */
export const leaseMs = 100;

/**
 * No bucket is held for empty longer than this without asking: who asks is seen to use the bucket, and it is not
 * forgotten.
 */
export const longestHoldMs = 1_000;

/**
 * Who finds nothing asks again after this long at the soonest, if the bucket is not half full by then: it loses
 * nothing meanwhile.
 */
const shortestHoldMs = 5;
const holdPartOfBurst = 1 / 4;

/**
 * How far a bucket may fill of which tokens are lent.
 *
 * INVARIANT: what is in the bucket and what is lent are never more than the burst together. Whoever holds them, no
 * more can then be taken within any time than the burst and what comes in that time.
 */
export const lentLimit = ({ requestsPerSecond, burst }: RateLimit, lent: number): RateLimit => ({
  requestsPerSecond,
  burst: Math.max(0, burst - lent),
});

/** A bucket with what has come into it until now. @param bucket null: one that nothing has been taken from */
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
 * The bucket once a worker has given account. What came before is counted first: the place of a token that was spent
 * only now was taken until now.
 *
 * @param lent the tokens that were lent until now, those of the account with them
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

/**
 * A worker is lent so many at least, or none: of a burst that is small each would be missed where another worker
 * needs it.
 */
const leastLent = 4;

/**
 * How many tokens a worker asks for beside those that its requests wait for. @param recentlySpent within the last 50
 * ms
 */
export const wishedLease = (recentlySpent: number, { burst }: RateLimit): number => {
  const most = Math.floor(burst * partOfWorker);
  return most < leastLent ? 0 : Math.min(recentlySpent, most);
};

/** Fewer than these are not fetched ahead: a bucket that is used so little is not worth a message more. */
const leastFetched = 4;

/**
 * How many tokens a worker fetches before it has none, so that requests need not wait; 0: it waits until one lacks a
 * token.
 *
 * @param wished of a worker that has none
 * @param held unused, by this worker
 * @param expected to be in the bucket: where that is less than would be lent, asking early does not bring more
 */
export const fetchedLease = (wished: number, held: number, expected: number): number => {
  const lacks = wished - held;
  return held * 2 > wished || lacks < leastFetched || expected < 2 * lacks ? 0 : lacks;
};

/**
 * How many whole tokens it is lent: at most half of what there is, so that other workers find some too.
 *
 * @param tokens in the bucket
 * @param lent to all workers already
 */
export const grantedLease = (wished: number, tokens: number, { burst }: RateLimit, lent: number): number =>
  Math.max(0, Math.floor(Math.min(wished, tokens / 2, burst * partOfWorkers - lent)));

/** Milliseconds, fractions included, until a bucket of so many tokens has one; 0: it has. */
export const untilToken = (tokens: number, { requestsPerSecond }: RateLimit): number =>
  Math.max(0, ((1 - tokens) * 1000) / requestsPerSecond);

/**
 * For how long a worker holds a bucket for empty without asking, in milliseconds; 0: it has a token. Where tokens are
 * lent one may come back sooner than the rate would bring it.
 */
export const holdMs = (tokens: number, limit: RateLimit, lent: number): number => {
  const waitMs = untilToken(tokens, limit);
  if (waitMs === 0) return 0;
  const pauseMs = Math.min(shortestHoldMs, (limit.burst * holdPartOfBurst * 1000) / limit.requestsPerSecond);
  return Math.min(Math.max(waitMs, pauseMs), lent > 0 ? leaseMs : longestHoldMs);
};
