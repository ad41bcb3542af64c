import type { LeaseAccount } from '../../../../domain/gateway/rate-limiting/token-lease.js';
import type { RateLimit } from '../../../../domain/shared/token-bucket.js';
import { notice } from '../../../shared/worker-channel/worker-call.js';

/** A worker's report on one bucket: what it did with lent tokens, and how many more it asks for. */
export interface BucketRequest extends LeaseAccount {
  readonly space: string;
  readonly key: string;
  readonly limit: RateLimit;
  readonly wished: number;
}

/** The requests of one event-loop turn that lack tokens. Without requests, it fetches tokens in advance. */
export interface RateQuestion {
  /** The answer repeats it; 0: the message is only an account, and gets no answer. */
  readonly number: number;
  readonly buckets: readonly BucketRequest[];
  /** For each request, the indexes of the buckets that it lacks a token of. */
  readonly requests: readonly (readonly number[])[];
}

/** The bucket that refuses a request. The request then gets no token of any bucket. */
export interface RefusedTokens {
  /** Index into the request's list of buckets that it lacks a token of. */
  readonly refusedBy: number;
  /** Milliseconds until that bucket has a token. */
  readonly waitMs: number;
}

/** The state of a bucket after all requests of a question are decided, and the tokens lent. */
export interface BucketGrant {
  /** Tokens in the bucket, fractions included, without lent tokens. */
  readonly left: number;
  /** Tokens lent to this worker beyond those of its requests. */
  readonly lent: number;
  /** Milliseconds for which the bucket stays empty, so that the worker need not ask again. */
  readonly holdMs: number;
}

export interface RateAnswer {
  readonly number: number;
  /** Null: the request gets a token of each bucket. */
  readonly requests: readonly (RefusedTokens | null)[];
  /** In the order of the question's buckets. */
  readonly buckets: readonly BucketGrant[];
}

/**
 * Questions and answers are notifications, so that an answer after the timeout still tells the worker how many tokens
 * it was lent. Messages arrive in order and once, so both sides count the same.
 */
export const rateQuestions = notice<RateQuestion>('rate-questions');

export const rateAnswers = notice<RateAnswer>('rate-answers');
