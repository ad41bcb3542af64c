import {
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
import type { AttemptOutcome } from '../../../domain/gateway/circuit-breaking/failure-classification.js';
import type { Clock } from '../../ports/shared/clock.js';

/** Called when a breaker opens, half-opens or closes. `cause` is that of the failure that has opened it. */
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

  /** Every call is admitted. Does not read the clock. */
  get isClosed(): boolean {
    return this.#breaker.state === 'closed';
  }

  /** That of a call which is made now. */
  get period(): number {
    return this.#breaker.period;
  }

  /** Whether `admit` would admit a call now. */
  get isCallAllowed(): boolean {
    if (this.#rules === null || this.#breaker.state === 'closed') return true;
    return isCallAllowed(this.#breaker, this.#rules, this.#clock.monotonicMs());
  }

  /** Milliseconds until a call may be admitted; 0 where one may be, or where a probe decides. */
  get openForMs(): number {
    return this.#breaker.state === 'open' ? Math.max(0, this.#breaker.untilMs - this.#clock.monotonicMs()) : 0;
  }

  hasRules(rules: CircuitBreakerRules | null): boolean {
    return areEqual(this.#rules, rules);
  }

  /** Other rules reset the breaker. */
  replaceRules(rules: CircuitBreakerRules | null): void {
    if (!areEqual(this.#rules, rules)) this.reset();
    this.#rules = rules;
  }

  /** The period of a call that may be made; null: it must not be made. Call `ended` for each that is. */
  admit(): number | null {
    if (this.#rules === null || this.#breaker.state === 'closed') return this.#breaker.period;
    const { state, allowed } = mayCall(this.#breaker, this.#rules, this.#clock.monotonicMs());
    this.#become(state);
    return allowed ? state.period : null;
  }

  /** The head of a good answer closes a half-open breaker. The result is the period of the rest of that call. */
  answered(period: number): number {
    if (!this.#isProbe(period)) return period;
    this.#become(noteSuccess(this.#breaker));
    return this.#breaker.period;
  }

  /** The same, but the next failure opens it again: one that breaks off every answer costs few requests. */
  answeredOnTrial(period: number): number {
    if (this.#rules === null || !this.#isProbe(period)) return period;
    this.#become(onTrial(this.#breaker, this.#rules));
    return this.#breaker.period;
  }

  /** A call is over. False: its period is too, and the outcome is ignored. */
  ended(period: number, outcome: AttemptOutcome, cause: string | null = null): boolean {
    if (this.#rules === null || period !== this.#breaker.period) return false;
    if (outcome === 'success') this.#become(noteSuccess(this.#breaker));
    else if (outcome === 'neither') this.#become(noteAbandoned(this.#breaker));
    else this.#become(noteFailure(this.#breaker, this.#rules, this.#clock.monotonicMs()), cause);
    return true;
  }

  /** The same for a failure that must not open the breaker, because nothing else could take the calls. */
  failedWithoutAlternative(period: number): boolean {
    if (this.#rules === null || period !== this.#breaker.period) return false;
    const noted = noteFailure(this.#breaker, this.#rules, this.#clock.monotonicMs());
    this.#become(noted.state === 'open' ? onTrial(this.#breaker, this.#rules) : noted);
    return true;
  }

  /** Admits calls again, and ignores the outcomes of those under way. The listener is not called. */
  reset(): void {
    this.#breaker = resetBreaker(this.#breaker);
  }

  #isProbe(period: number): boolean {
    return this.#breaker.state === 'half_open' && period === this.#breaker.period;
  }

  #become(breaker: CircuitBreaker, cause: string | null = null): void {
    const isChange = breaker.state !== this.#breaker.state;
    this.#breaker = breaker;
    if (isChange) this.#onChange(breaker.state, cause);
  }
}
