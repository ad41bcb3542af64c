import type { RetryRules } from '../configuration/upstream-options.js';

/** Idempotent methods (RFC 9110, section 9.2.2). */
const idempotentMethods: ReadonlySet<string> = new Set(['GET', 'HEAD', 'OPTIONS', 'PUT', 'DELETE']);

/** Failures that another target may avoid. Failures of the client or the request are not among them. */
const avoidableFailures: ReadonlySet<string> = new Set(['unreachable', 'invalid_response', 'timed_out', 'overloaded']);

/** An attempt that failed before the client received any of its response. */
export interface FailedAttempt {
  readonly method: string;
  /** The failure code. */
  readonly failure: string;
  /** Whether the target got no octet of the request. */
  readonly neverSent: boolean;
  /** Whether the target stopped accepting requests while this one waited for a connection. */
  readonly wasEvicted: boolean;
  /** Whether the request can be sent again: it has no body, or a buffer holds all body octets read so far. */
  readonly isRepeatable: boolean;
  /** Number of attempts including this one, without evicted ones. */
  readonly attempts: number;
  /** Remaining time for the request, in milliseconds. */
  readonly leftMs: number;
}

/**
 * Whether the gateway may retry a request on another target. After the target got an octet, it retries only idempotent
 * methods, so never a POST. An evicted request may go to another target whatever its method and attempts. The caller
 * checks the budget, and whether there is another target.
 */
export const mayRetry = (attempt: FailedAttempt, rules: RetryRules): boolean =>
  avoidableFailures.has(attempt.failure) &&
  attempt.leftMs > 0 &&
  attempt.isRepeatable &&
  (attempt.wasEvicted ||
    (attempt.attempts < rules.maxAttempts && (attempt.neverSent || idempotentMethods.has(attempt.method))));

const firstWaitMs = 5;
const longestWaitMs = 250;

/**
 * The delay before a retry of a request that the upstream refused unprocessed (RFC 9113, section 8.7): 0, 5, 10, 20
 * ... milliseconds, at most 250.
 *
 * @param times earlier retries for that reason
 */
export const unprocessedWaitMs = (times: number): number =>
  times === 0 ? 0 : Math.min(longestWaitMs, firstWaitMs * 2 ** Math.min(times - 1, 10));

/** The available retries of an upstream. */
export interface RetryBudget {
  /** In hundredths of a retry, so that percentages add up exactly. */
  readonly hundredths: number;
}

const ofOneRetry = 100;

/** Initial retries, so that an upstream with few requests can retry. */
const reservedRetries = 10;

/** Maximum saved retries. They serve a target that fails while many requests are in flight. */
const mostRetries = 500;

/** The budget of a new upstream. With 0 percent there are no retries. */
export const newRetryBudget = (percent: number): RetryBudget => ({
  hundredths: percent === 0 ? 0 : reservedRetries * ofOneRetry,
});

/**
 * Adds the share of a first attempt. Retries never exceed the reserve plus `percent` per hundred requests.
 *
 * @param percent 0 to 100
 */
export const withRequest = (budget: RetryBudget, percent: number): RetryBudget => {
  const hundredths = Math.min(mostRetries * ofOneRetry, budget.hundredths + percent);
  return hundredths === budget.hundredths ? budget : { hundredths };
};

/** The budget after a retry; null: no retry is available. */
export const takeRetry = (budget: RetryBudget): RetryBudget | null =>
  budget.hundredths < ofOneRetry ? null : { hundredths: budget.hundredths - ofOneRetry };
