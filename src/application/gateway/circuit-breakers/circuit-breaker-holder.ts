import {
  type AttemptOutcome,
  type CircuitBreaker,
  type CircuitBreakerRules,
  type CircuitState,
  circuitStateOf,
  closedBreaker,
  isCallAllowed,
  mayCall,
  noteAbandoned,
  noteFailure,
  noteSuccess,
  onTrial,
  resetBreaker,
} from '../../../domain/gateway/circuit-breaking/circuit-breaker.js';
import type { Clock } from '../../ports/shared/clock.js';

/** Called when a breaker opens, half-opens or closes. `cause`: the failure that opened it. */
export type BreakerListener = (state: CircuitState, cause: string | null) => void;

/** The period of a call whose outcome the breaker ignores. */
export const uncountedPeriod = -1;

const areEqual = (one: CircuitBreakerRules | null, other: CircuitBreakerRules | null): boolean =>
  one?.failureThreshold === other?.failureThreshold && one?.openMs === other?.openMs && one?.probes === other?.probes;

/**
 * The circuit breaker of one agent, route or target. A call that it admits belongs to a period; the outcome counts
 * while that period lasts. Without rules the breaker is disabled: it admits every call and never opens.
 */
export class CircuitBreakerHolder {
  readonly #clock: Clock;
  readonly #onChange: BreakerListener;
  #rules: CircuitBreakerRules | null;
  #breaker: CircuitBreaker = closedBreaker;

  constructor(rules: CircuitBreakerRules | null, clock: Clock, onChange: BreakerListener) {
    this.#rules = rules;
    this.#clock = clock;
    this.#onChange = onChange;
  }

  /** The state that the next call finds; null while the breaker is disabled. */
  get state(): CircuitState | null {
    return this.#rules === null ? null : circuitStateOf(this.#breaker, this.#clock.monotonicMs());
  }

  /** Whether every call is admitted. Does not read the clock. */
  get isClosed(): boolean {
    return this.#breaker.state === 'closed';
  }

  /** The period of a call that is made now. */
  get period(): number {
    return this.#breaker.period;
  }

  /** Whether `admit` would admit a call now. */
  get isCallAllowed(): boolean {
    if (this.#rules === null || this.#breaker.state === 'closed') return true;
    return isCallAllowed(this.#breaker, this.#rules, this.#clock.monotonicMs());
  }

  /** Milliseconds until a call may be admitted; 0: a call may be admitted now, or a probe is in progress. */
  get openForMs(): number {
    return this.#breaker.state === 'open' ? Math.max(0, this.#breaker.untilMs - this.#clock.monotonicMs()) : 0;
  }

  hasRules(rules: CircuitBreakerRules | null): boolean {
    return areEqual(this.#rules, rules);
  }

  /** Replaces the rules. Different rules reset the breaker. */
  replaceRules(rules: CircuitBreakerRules | null): void {
    if (!areEqual(this.#rules, rules)) this.reset();
    this.#rules = rules;
  }

  /** Admits a call and returns its period; null: it is refused. Call `ended` for each admitted call. */
  admit(): number | null {
    if (this.#rules === null || this.#breaker.state === 'closed') return this.#breaker.period;
    const { state, allowed } = mayCall(this.#breaker, this.#rules, this.#clock.monotonicMs());
    this.#setState(state);
    return allowed ? state.period : null;
  }

  /** Closes a half-open breaker at the head of a successful answer. Returns the period for the rest of the call. */
  answered(period: number): number {
    if (!this.#isProbe(period)) return period;
    this.#setState(noteSuccess(this.#breaker));
    return this.#breaker.period;
  }

  /** Like `answered`, but the next failure opens the breaker again, because every answer may break off. */
  answeredOnTrial(period: number): number {
    if (this.#rules === null || !this.#isProbe(period)) return period;
    this.#setState(onTrial(this.#breaker, this.#rules));
    return this.#breaker.period;
  }

  /** Reports the end of a call. Returns false if its period has ended, so that the outcome is ignored. */
  ended(period: number, outcome: AttemptOutcome, cause: string | null = null): boolean {
    if (this.#rules === null || period !== this.#breaker.period) return false;
    if (outcome === 'success') this.#setState(noteSuccess(this.#breaker));
    else if (outcome === 'neither') this.#setState(noteAbandoned(this.#breaker));
    else this.#setState(noteFailure(this.#breaker, this.#rules, this.#clock.monotonicMs()), cause);
    return true;
  }

  /** Like `ended`, for a failure that must not open the breaker, because there is no alternative. */
  failedWithoutAlternative(period: number): boolean {
    if (this.#rules === null || period !== this.#breaker.period) return false;
    const noted = noteFailure(this.#breaker, this.#rules, this.#clock.monotonicMs());
    this.#setState(noted.state === 'open' ? onTrial(this.#breaker, this.#rules) : noted);
    return true;
  }

  /** Admits calls again, and ignores the outcomes of those in progress. Does not call the listener. */
  reset(): void {
    this.#breaker = resetBreaker(this.#breaker);
  }

  #isProbe(period: number): boolean {
    return this.#breaker.state === 'half_open' && period === this.#breaker.period;
  }

  #setState(breaker: CircuitBreaker, cause: string | null = null): void {
    const isChange = breaker.state !== this.#breaker.state;
    this.#breaker = breaker;
    if (isChange) this.#onChange(breaker.state, cause);
  }
}
