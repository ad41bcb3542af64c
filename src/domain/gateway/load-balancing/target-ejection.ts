import {
  type CircuitBreaker,
  type CircuitBreakerRules,
  closedBreaker,
  isCallAllowed,
  mayCall,
  noteAbandoned,
  noteFailure,
  noteSuccess,
} from '../circuit-breaking/circuit-breaker.js';

/** Whether a target is left alone because requests to it fail, and why. */
export interface TargetEjection {
  readonly breaker: CircuitBreaker;
  /** What the last failure said. */
  readonly lastError: string | null;
  /** When it was first left alone since it last worked, in milliseconds since the Unix epoch; null while it is not. */
  readonly sinceMs: number | null;
}

/** Of a target that nothing has been sent to. */
export const notEjected: TargetEjection = { breaker: closedBreaker, lastError: null, sinceMs: null };

/** Both clocks at one moment. */
export interface EjectionInstant {
  readonly monotonicMs: number;
  /** Milliseconds since the Unix epoch. */
  readonly wallMs: number;
}

/** Whether a request may be sent to it. @param nowMs monotonic milliseconds */
export const isLetThrough = ({ breaker }: TargetEjection, rules: CircuitBreakerRules, nowMs: number): boolean =>
  isCallAllowed(breaker, rules, nowMs);

/** Milliseconds until a request may be sent to it, as far as is known: 0 where one may, or where a probe decides. */
export const ejectedForMs = ({ breaker }: TargetEjection, nowMs: number): number =>
  breaker.state === 'open' ? Math.max(0, breaker.untilMs - nowMs) : 0;

/** A request is sent to it. INVARIANT: `isLetThrough` says so. */
export const withRequestSent = (
  ejection: TargetEjection,
  rules: CircuitBreakerRules,
  nowMs: number,
): TargetEjection => {
  const { state } = mayCall(ejection.breaker, rules, nowMs);
  return state === ejection.breaker ? ejection : { ...ejection, breaker: state };
};

const withBreaker = (ejection: TargetEjection, breaker: CircuitBreaker): TargetEjection => {
  if (breaker === ejection.breaker) return ejection;
  return { ...ejection, breaker, sinceMs: breaker.state === 'closed' ? null : ejection.sinceMs };
};

/** It gets requests, and one failure is enough to leave it alone. */
const suspected = ({ state, period }: CircuitBreaker, { failureThreshold }: CircuitBreakerRules): CircuitBreaker => ({
  state: 'closed',
  period: state === 'closed' ? period : period + 1,
  failures: failureThreshold - 1,
});

/** A request has worked. @param period of the breaker when it was sent: what is older says nothing about now. */
export const withSuccess = (ejection: TargetEjection, period: number): TargetEjection =>
  period === ejection.breaker.period ? withBreaker(ejection, noteSuccess(ejection.breaker)) : ejection;

/**
 * The head of a good answer has come to a probe. Nobody waits for the rest, which may take hours: the target is back, but
 * one failure is enough to leave it alone again, so that one that breaks off every answer costs few requests.
 */
export const withAnswer = (ejection: TargetEjection, period: number, rules: CircuitBreakerRules): TargetEjection => {
  if (period !== ejection.breaker.period || ejection.breaker.state !== 'half_open') return ejection;
  return withBreaker(ejection, suspected(ejection.breaker, rules));
};

/**
 * A request has failed.
 *
 * @param isSpared there is no other target to send requests to: this one is not left alone whatever it does, but is as
 *   soon as it fails while there is another
 */
export const withFailure = (
  ejection: TargetEjection,
  period: number,
  rules: CircuitBreakerRules,
  error: string,
  now: EjectionInstant,
  isSpared: boolean,
): TargetEjection => {
  if (period !== ejection.breaker.period) return ejection;
  const noted = noteFailure(ejection.breaker, rules, now.monotonicMs);
  const breaker = isSpared && noted.state === 'open' ? suspected(ejection.breaker, rules) : noted;
  const sinceMs = breaker.state === 'open' ? (ejection.sinceMs ?? now.wallMs) : null;
  return { ...ejection, breaker, lastError: error, sinceMs };
};

/** What a request came to says nothing about the target. */
export const withNothingLearnt = (ejection: TargetEjection, period: number): TargetEjection =>
  period === ejection.breaker.period ? withBreaker(ejection, noteAbandoned(ejection.breaker)) : ejection;

/** It is to get requests for a reason of somebody else's. Whatever is under way says nothing any more. */
export const letBackIn = (ejection: TargetEjection): TargetEjection =>
  withBreaker(ejection, { state: 'closed', period: ejection.breaker.period + 1, failures: 0 });
