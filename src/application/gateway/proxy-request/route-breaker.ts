import {
  type CircuitBreaker,
  type CircuitBreakerRules,
  type CircuitState,
  circuitStateOf,
  closedBreaker,
  mayCall,
  noteAbandoned,
  noteFailure,
  noteSuccess,
} from '../../../domain/gateway/circuit-breaking/circuit-breaker.js';
import type { AttemptOutcome } from '../../../domain/gateway/circuit-breaking/failure-classification.js';
import type { Clock } from '../../ports/shared/clock.js';
import type { Logger } from '../../ports/shared/logger.js';

/** A request that was let through. What it comes to counts only while the breaker has not changed its mind since. */
export interface RoutePass {
  /** The head of a good answer has come: enough for a probe, whose body may go on for hours. */
  answered(): void;
  /** Has to be called once the request is over; what is told after the first time is not heard. */
  ended(outcome: AttemptOutcome): void;
}

/** That of a request on a route without a breaker. */
export const uncountedPass: RoutePass = { answered: () => undefined, ended: () => undefined };

/** The circuit breaker of one route: decides which requests are sent on, by what came of those before. */
export class RouteBreaker {
  readonly rules: CircuitBreakerRules;
  readonly #route: string;
  readonly #clock: Clock;
  readonly #logger: Logger;
  #breaker: CircuitBreaker = closedBreaker;

  constructor(route: string, rules: CircuitBreakerRules, clock: Clock, logger: Logger) {
    this.rules = rules;
    this.#route = route;
    this.#clock = clock;
    this.#logger = logger;
  }

  get state(): CircuitState {
    return circuitStateOf(this.#breaker, this.#clock.monotonicMs());
  }

  /** Seconds until a request may be let through again, where that is known; at least 1. */
  get retryAfterSeconds(): number {
    if (this.#breaker.state !== 'open') return 1;
    return Math.max(1, Math.ceil((this.#breaker.untilMs - this.#clock.monotonicMs()) / 1000));
  }

  /** Null: the request must not be sent on. */
  admit(): RoutePass | null {
    const { state, allowed } = mayCall(this.#breaker, this.rules, this.#clock.monotonicMs());
    this.#become(state);
    return allowed ? new CountedPass(this, state.period) : null;
  }

  /** A good answer has begun for a request that was let in that period. The result is the period that the rest of it counts for. */
  noteAnswered(period: number): number {
    if (this.#breaker.state !== 'half_open' || period !== this.#breaker.period) return period;
    this.#become(noteSuccess(this.#breaker));
    return this.#breaker.period;
  }

  /** A request that was let in that period is over. */
  noteEnded(period: number, outcome: AttemptOutcome): void {
    if (period === this.#breaker.period) this.#note(outcome);
  }

  #note(outcome: AttemptOutcome): void {
    if (outcome === 'success') this.#become(noteSuccess(this.#breaker));
    else if (outcome === 'neither') this.#become(noteAbandoned(this.#breaker));
    else this.#become(noteFailure(this.#breaker, this.rules, this.#clock.monotonicMs()));
  }

  /** A route that fails from probe to probe is told of each time: whoever reads the log sees that it has not come back. */
  #become(breaker: CircuitBreaker): void {
    const isChange = breaker.state !== this.#breaker.state;
    this.#breaker = breaker;
    if (!isChange || breaker.state === 'half_open') return;
    const route = this.#route;
    if (breaker.state === 'closed') this.#logger.info('Route circuit breaker closed', { route });
    else this.#logger.warn('Route circuit breaker open', { route, open_ms: this.rules.openMs });
  }
}

/** One that counts for a breaker. */
class CountedPass implements RoutePass {
  readonly #breaker: RouteBreaker;
  /** Null: it is over. */
  #period: number | null;

  constructor(breaker: RouteBreaker, period: number) {
    this.#breaker = breaker;
    this.#period = period;
  }

  answered(): void {
    if (this.#period !== null) this.#period = this.#breaker.noteAnswered(this.#period);
  }

  ended(outcome: AttemptOutcome): void {
    if (this.#period !== null) this.#breaker.noteEnded(this.#period, outcome);
    this.#period = null;
  }
}
