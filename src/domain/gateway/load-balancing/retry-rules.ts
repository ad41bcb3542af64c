import type { RetryRules } from '../configuration/upstream-options.js';

/** Methods that mean the same once or twice (RFC 9110, section 9.2.2). */
const idempotentMethods: ReadonlySet<string> = new Set(['GET', 'HEAD', 'OPTIONS', 'PUT', 'DELETE']);

/** Failures that another target may not have. What the client or the request itself is to blame for is none of them. */
const avoidableFailures: ReadonlySet<string> = new Set(['unreachable', 'invalid_response', 'timed_out', 'overloaded']);

/** An attempt that came to nothing, of which the client has heard nothing yet. */
export interface FailedAttempt {
  readonly method: string;
  /** Why: a code of a failed attempt. */
  readonly failure: string;
  /** No octet of the request went out. */
  readonly neverSent: boolean;
  /** The target was taken out while the request waited for a connection to it. */
  readonly wasEvicted: boolean;
  /** It can be sent from its first octet: it has no body, or all that was read of the body is kept. */
  readonly isRepeatable: boolean;
  /** How often the request was sent, this attempt included; where it was turned away it was not. */
  readonly attempts: number;
  /** Until the request has to be answered; milliseconds. */
  readonly leftMs: number;
}

/**
 * Whether a request may be sent to another target. One that may have been acted on is sent again only where its
 * method means the same twice: a POST of which an octet went out never is. One that was turned away goes to another
 * target, however often it was sent before. Whether there is a target, and a retry in the budget, is asked elsewhere.
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
 * How long a request waits that an upstream has refused unprocessed (RFC 9113, section 8.7), before it is sent again:
 * 0, 5, 10, 20 ... milliseconds, 250 at most.
 *
 * @param times how often it was sent again for that reason before
 */
export const unprocessedWaitMs = (times: number): number =>
  times === 0 ? 0 : Math.min(longestWaitMs, firstWaitMs * 2 ** Math.min(times - 1, 10));
