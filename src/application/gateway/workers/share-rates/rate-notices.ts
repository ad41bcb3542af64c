import type { LeaseAccount } from '../../../../domain/gateway/rate-limiting/token-lease.js';
import type { RateLimit } from '../../../../domain/shared/token-bucket.js';
import { notice } from '../../../shared/worker-channel/worker-call.js';

/** What a worker says of one bucket: what it did with the tokens that it had, and how many it would like to have beside those it asks for. */
export interface AskedBucket extends LeaseAccount {
  readonly space: string;
  readonly key: string;
  readonly limit: RateLimit;
  readonly wished: number;
}

/** The requests of one turn of a worker's loop that lack tokens; none, where tokens are fetched before they are lacked. */
export interface RateQuestion {
  /** What the answer refers to; 0: it only gives account, and is not answered. */
  readonly number: number;
  readonly buckets: readonly AskedBucket[];
  /** For each request, which of the buckets it lacks a token of. */
  readonly requests: readonly (readonly number[])[];
}

/** Why a request gets none of its tokens. */
export interface RefusedTokens {
  /** Which of the buckets that the request lacks a token of: an index of its list. */
  readonly refusedBy: number;
  /** Milliseconds until that one has a token. */
  readonly waitMs: number;
}

/** How a bucket stands once all requests of a question are judged. */
export interface AnsweredBucket {
  /** Tokens in it, fractions included; those that are lent are not among them. */
  readonly left: number;
  /** What this worker is lent of it beside the tokens of its requests. */
  readonly lent: number;
  /** For so many milliseconds the worker need not ask again: there is none. */
  readonly holdMs: number;
}

export interface RateAnswer {
  readonly number: number;
  /** Null: it has a token of each. */
  readonly requests: readonly (RefusedTokens | null)[];
  /** In the order of the question. */
  readonly buckets: readonly AnsweredBucket[];
}

/**
 * Questions and answers are notices, so that an answer which comes too late for its requests still tells the worker what it was lent:
 * messages come in order and each once, and both sides count the same.
 */
export const rateQuestions = notice<RateQuestion>('rate-questions');

export const rateAnswers = notice<RateAnswer>('rate-answers');
