/** `half_open`: probes are let through to see whether it works again. */
export type CircuitState = 'closed' | 'open' | 'half_open';

/** When a breaker opens, and for how long. */
export interface CircuitBreakerRules {
  /** Failures in a row that open it; at least 1. */
  readonly failureThreshold: number;
  /** How long nothing is let through, in milliseconds. */
  readonly openMs: number;
  /** Calls that are let through at a time while half-open; at least 1. */
  readonly probes: number;
}

interface Period {
  /**
   * Counts the changes of state. Only what was let through in a period may be noted in it: the outcome of a call from
   * before says nothing about the probes of now.
   */
  readonly period: number;
}

/** What is remembered of the calls to somebody. */
export type CircuitBreaker =
  /** Everything is let through. `failures` are those in a row so far. */
  | (Period & { readonly state: 'closed'; readonly failures: number })
  /** Nothing is let through before `untilMs`, a time of the caller's clock. */
  | (Period & { readonly state: 'open'; readonly untilMs: number })
  /** `probing` calls are out, the last since `probedAtMs`; the first of them with an outcome decides. */
  | (Period & { readonly state: 'half_open'; readonly probing: number; readonly probedAtMs: number });

/** One that nothing has been noted in. */
export const closedBreaker: CircuitBreaker = { state: 'closed', period: 0, failures: 0 };

/** Whether a call may be made. */
export interface CallPermission {
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
 * Whether a call may be made. Probes that have been out for as long as a breaker stays open do not keep others out: a
 * call may last for hours, and nobody else would be let through for as long.
 *
 * @param nowMs milliseconds of a clock that never goes back; the same one for every function of a breaker
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
 * Asks for permission to make a call. What is allowed has to be noted as one of success, failure or abandoned once it
 * is over, if the breaker is still in the period of the state that is given here.
 */
export const mayCall = (breaker: CircuitBreaker, rules: CircuitBreakerRules, nowMs: number): CallPermission => {
  if (!isCallAllowed(breaker, rules, nowMs)) return { state: breaker, allowed: false };
  if (breaker.state === 'closed') return { state: breaker, allowed: true };
  const period = breaker.state === 'open' ? breaker.period + 1 : breaker.period;
  // One that is let through beside late ones is counted beside them.
  const probing = breaker.state === 'open' ? 1 : breaker.probing + 1;
  return { state: { state: 'half_open', period, probing, probedAtMs: nowMs }, allowed: true };
};

/** A call came to something: failures in a row begin anew, and a probe closes the breaker. */
export const noteSuccess = (breaker: CircuitBreaker): CircuitBreaker => {
  if (breaker.state === 'closed') return breaker.failures === 0 ? breaker : { ...breaker, failures: 0 };
  // Whoever noted it was let through by nobody.
  if (breaker.state === 'open') return breaker;
  return { state: 'closed', period: breaker.period + 1, failures: 0 };
};

/** A call came to nothing: the last failure that is borne opens the breaker, and so does that of a probe. */
export const noteFailure = (breaker: CircuitBreaker, rules: CircuitBreakerRules, nowMs: number): CircuitBreaker => {
  if (breaker.state === 'open') return breaker;
  if (breaker.state === 'half_open') return opened(breaker, rules, nowMs);
  const failures = breaker.failures + 1;
  return failures >= rules.failureThreshold ? opened(breaker, rules, nowMs) : { ...breaker, failures };
};

/** Nobody waited for what a call comes to, or it says nothing: the place of a probe is free again. */
export const noteAbandoned = (breaker: CircuitBreaker): CircuitBreaker =>
  breaker.state === 'half_open' ? { ...breaker, probing: Math.max(0, breaker.probing - 1) } : breaker;

/** The state that the next call would find. */
export const circuitStateOf = (breaker: CircuitBreaker, nowMs: number): CircuitState =>
  isOver(breaker, nowMs) ? 'half_open' : breaker.state;

/** Calls are let through, and one failure opens the breaker. */
export const onTrial = (
  { state, period }: CircuitBreaker,
  { failureThreshold }: CircuitBreakerRules,
): CircuitBreaker => ({
  state: 'closed',
  period: state === 'closed' ? period : period + 1,
  failures: failureThreshold - 1,
});

/** Calls are let through again for a reason from outside. A new period begins: calls under way do not count in it. */
export const resetBreaker = ({ period }: CircuitBreaker): CircuitBreaker => ({
  state: 'closed',
  period: period + 1,
  failures: 0,
});
