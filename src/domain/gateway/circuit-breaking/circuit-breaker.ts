/** `half_open`: probes are allowed. */
export type CircuitState = 'closed' | 'open' | 'half_open';

/** The rules of a breaker. */
export interface CircuitBreakerRules {
  /** Consecutive failures that open it; at least 1. */
  readonly failureThreshold: number;
  /** How long it stays open, in milliseconds. */
  readonly openMs: number;
  /** Concurrent calls while half-open; at least 1. */
  readonly probes: number;
}

interface Period {
  /** Counts state changes. An outcome counts only in the period in which its call was allowed. */
  readonly period: number;
}

/** The state of a breaker. */
export type CircuitBreaker =
  /** All calls are allowed. `failures` counts consecutive failures. */
  | (Period & { readonly state: 'closed'; readonly failures: number })
  /** No call is allowed before `untilMs` on the caller's clock. */
  | (Period & { readonly state: 'open'; readonly untilMs: number })
  /** `probing` calls are in flight, the last since `probedAtMs`. The first outcome decides. */
  | (Period & { readonly state: 'half_open'; readonly probing: number; readonly probedAtMs: number });

/** A new breaker. */
export const closedBreaker: CircuitBreaker = { state: 'closed', period: 0, failures: 0 };

/** Whether a call is allowed, with the new state. */
interface CallPermission {
  readonly state: CircuitBreaker;
  readonly allowed: boolean;
}

const opened = (breaker: CircuitBreaker, rules: CircuitBreakerRules, nowMs: number): CircuitBreaker => ({
  state: 'open',
  period: breaker.period + 1,
  untilMs: nowMs + rules.openMs,
});

const isOver = (breaker: CircuitBreaker, nowMs: number): boolean =>
  breaker.state === 'open' && nowMs >= breaker.untilMs;

/**
 * Whether a call is allowed. A probe that takes as long as the open time no longer blocks others, because a call may
 * last for hours.
 *
 * @param nowMs milliseconds of a monotonic clock, the same for all functions of a breaker
 */
export const isCallAllowed = (breaker: CircuitBreaker, rules: CircuitBreakerRules, nowMs: number): boolean => {
  switch (breaker.state) {
    case 'closed':
      return true;
    case 'open':
      return isOver(breaker, nowMs);
    case 'half_open':
      return breaker.probing < rules.probes || nowMs - breaker.probedAtMs >= rules.openMs;
  }
};

/**
 * Requests permission for a call. After an allowed call, note success, failure or abandonment, if the breaker is still
 * in the period of the returned state.
 */
export const mayCall = (breaker: CircuitBreaker, rules: CircuitBreakerRules, nowMs: number): CallPermission => {
  if (!isCallAllowed(breaker, rules, nowMs)) return { state: breaker, allowed: false };
  if (breaker.state === 'closed') return { state: breaker, allowed: true };
  const period = breaker.state === 'open' ? breaker.period + 1 : breaker.period;
  // A new probe counts in addition to late ones.
  const probing = breaker.state === 'open' ? 1 : breaker.probing + 1;
  return { state: { state: 'half_open', period, probing, probedAtMs: nowMs }, allowed: true };
};

/** Notes a success: it resets consecutive failures, and a probe closes the breaker. */
export const noteSuccess = (breaker: CircuitBreaker): CircuitBreaker => {
  if (breaker.state === 'closed') return breaker.failures === 0 ? breaker : { ...breaker, failures: 0 };
  // No call was allowed in this period, so there is nothing to note.
  if (breaker.state === 'open') return breaker;
  return { state: 'closed', period: breaker.period + 1, failures: 0 };
};

/** Notes a failure: it opens the breaker at the threshold, and at once for a probe. */
export const noteFailure = (breaker: CircuitBreaker, rules: CircuitBreakerRules, nowMs: number): CircuitBreaker => {
  if (breaker.state === 'open') return breaker;
  if (breaker.state === 'half_open') return opened(breaker, rules, nowMs);
  const failures = breaker.failures + 1;
  return failures >= rules.failureThreshold ? opened(breaker, rules, nowMs) : { ...breaker, failures };
};

/** Notes a call without a meaningful outcome: the slot of the probe is free again. */
export const noteAbandoned = (breaker: CircuitBreaker): CircuitBreaker =>
  breaker.state === 'half_open' ? { ...breaker, probing: Math.max(0, breaker.probing - 1) } : breaker;

/** The state for the next call. */
export const circuitStateOf = (breaker: CircuitBreaker, nowMs: number): CircuitState =>
  isOver(breaker, nowMs) ? 'half_open' : breaker.state;

/** A closed breaker that one failure opens. */
export const onTrial = (
  { state, period }: CircuitBreaker,
  { failureThreshold }: CircuitBreakerRules,
): CircuitBreaker => ({
  state: 'closed',
  period: state === 'closed' ? period : period + 1,
  failures: failureThreshold - 1,
});

/** Closes the breaker for an external reason. A new period begins, so calls in flight do not count. */
export const resetBreaker = ({ period }: CircuitBreaker): CircuitBreaker => ({
  state: 'closed',
  period: period + 1,
  failures: 0,
});

/** The outcome of an attempt for the breaker. `neither` does not count. */
export type AttemptOutcome = 'success' | 'failure' | 'neither';

/** Why an attempt failed. */
export type AttemptFailure =
  | 'unreachable'
  | 'refused_request'
  | 'invalid_response'
  | 'timed_out'
  | 'overloaded'
  | 'request_body'
  | 'cancelled';

/** The other failures are caused by the client or the gateway, such as its own queue. */
const isUpstreamsFault: Readonly<Record<AttemptFailure, boolean>> = {
  unreachable: true,
  invalid_response: true,
  timed_out: true,
  refused_request: false,
  overloaded: false,
  request_body: false,
  cancelled: false,
};

/**
 * Statuses of a failing upstream (RFC 9110, section 15.6). The other 5xx statuses concern the request: 501 the method,
 * 505 the version.
 */
const failingStatuses: ReadonlySet<number> = new Set([500, 502, 503, 504]);

/** The outcome of an attempt without a complete response. */
export const outcomeOfFailure = (failure: AttemptFailure): AttemptOutcome =>
  isUpstreamsFault[failure] ? 'failure' : 'neither';

/** The outcome of a complete response with this status. */
export const outcomeOfStatus = (status: number): 'success' | 'failure' =>
  failingStatuses.has(status) ? 'failure' : 'success';
