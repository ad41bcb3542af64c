import {
  type CircuitBreaker,
  type CircuitBreakerRules,
  closedBreaker,
  mayCall,
  noteAbandoned,
  noteFailure,
  noteSuccess,
} from '../circuit-breaking/circuit-breaker.js';

/** Whether a target is left alone because requests to it fail, and why. */
export interface TargetEjection {
  readonly breaker: CircuitBreaker;
  /** When a request was last let through to see whether the target works again; monotonic milliseconds. */
  readonly probedAtMs: number;
  /** What the last failure said. */
  readonly lastError: string | null;
  /** When it was first left alone since it last worked, in milliseconds since the Unix epoch; null while it is not. */
  readonly sinceMs: number | null;
}

/** Of a target that nothing has been sent to. */
export const notEjected: TargetEjection = { breaker: closedBreaker, probedAtMs: 0, lastError: null, sinceMs: null };

/** Both clocks at one moment. */
export interface Moment {
  readonly monotonicMs: number;
  /** Milliseconds since the Unix epoch. */
  readonly wallMs: number;
}

/**
 * Probes that have been out for as long as a breaker stays open do not keep others out: a request may last for hours, and
 * a target must not be left alone for as long.
 */
const areProbesLate = ({ probedAtMs }: TargetEjection, rules: CircuitBreakerRules, nowMs: number): boolean =>
  nowMs - probedAtMs >= rules.openMs;

/** Whether a request may be sent to it. @param nowMs monotonic milliseconds */
export const isLetThrough = (ejection: TargetEjection, rules: CircuitBreakerRules, nowMs: number): boolean => {
  const { breaker } = ejection;
  if (breaker.state === 'closed') return true;
  if (breaker.state === 'open') return nowMs >= breaker.untilMs;
  return breaker.probing < rules.probes || areProbesLate(ejection, rules, nowMs);
};

/** Milliseconds until a request may be sent to it, as far as is known: 0 where one may, or where a probe decides. */
export const ejectedForMs = ({ breaker }: TargetEjection, nowMs: number): number =>
  breaker.state === 'open' ? Math.max(0, breaker.untilMs - nowMs) : 0;

/** A request is sent to it. INVARIANT: `isLetThrough` says so. */
export const withRequestSent = (
  ejection: TargetEjection,
  rules: CircuitBreakerRules,
  nowMs: number,
): TargetEjection => {
  const { breaker } = ejection;
  if (breaker.state === 'closed') return ejection;
  const { state, allowed } = mayCall(breaker, rules, nowMs);
  // One that is let through beside late ones is counted beside them.
  const late = state.state === 'half_open' && !allowed;
  return { ...ejection, breaker: late ? { ...state, probing: state.probing + 1 } : state, probedAtMs: nowMs };
};

const withBreaker = (ejection: TargetEjection, breaker: CircuitBreaker): TargetEjection => {
  if (breaker === ejection.breaker) return ejection;
  return { ...ejection, breaker, sinceMs: breaker.state === 'closed' ? null : ejection.sinceMs };
};

/** A request has worked. @param period of the breaker when it was sent: what is older says nothing about now. */
export const withSuccess = (ejection: TargetEjection, period: number): TargetEjection =>
  period === ejection.breaker.period ? withBreaker(ejection, noteSuccess(ejection.breaker)) : ejection;

/**
 * The head of a good answer has come to a probe. Nobody waits for the rest, which may take hours: the target is back, but
 * one failure is enough to leave it alone again, so that one that breaks off every answer costs few requests.
 */
export const withAnswer = (ejection: TargetEjection, period: number, rules: CircuitBreakerRules): TargetEjection => {
  if (period !== ejection.breaker.period || ejection.breaker.state !== 'half_open') return ejection;
  return withBreaker(ejection, { state: 'closed', period: period + 1, failures: rules.failureThreshold - 1 });
};

/** A request has failed. */
export const withFailure = (
  ejection: TargetEjection,
  period: number,
  rules: CircuitBreakerRules,
  error: string,
  now: Moment,
): TargetEjection => {
  if (period !== ejection.breaker.period) return ejection;
  const breaker = noteFailure(ejection.breaker, rules, now.monotonicMs);
  const sinceMs = breaker.state === 'open' ? (ejection.sinceMs ?? now.wallMs) : null;
  return { ...ejection, breaker, lastError: error, sinceMs };
};

/** What a request came to says nothing about the target. */
export const withNothingLearnt = (ejection: TargetEjection, period: number): TargetEjection =>
  period === ejection.breaker.period ? withBreaker(ejection, noteAbandoned(ejection.breaker)) : ejection;

/** It has been found to be well by other means. Whatever is under way says nothing any more. */
export const letBackIn = (ejection: TargetEjection): TargetEjection =>
  withBreaker(ejection, { state: 'closed', period: ejection.breaker.period + 1, failures: 0 });
