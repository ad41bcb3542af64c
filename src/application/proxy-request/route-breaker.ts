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
} from '../../domain/circuit-breaking/circuit-breaker.js';
import type { AttemptOutcome } from '../../domain/circuit-breaking/failure-classification.js';
import type { Clock } from '../ports/clock.js';
import type { Logger } from '../ports/logger.js';

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
    return allowed ? this.#pass(state.period) : null;
  }

  #pass(admittedIn: number): RoutePass {
    let period: number | null = admittedIn;
    return {
      answered: () => {
        if (this.#breaker.state !== 'half_open' || period !== this.#breaker.period) return;
        this.#become(noteSuccess(this.#breaker));
        // How the rest goes counts for the breaker that is closed now.
        period = this.#breaker.period;
      },
      ended: (outcome) => {
        if (period === this.#breaker.period) this.#note(outcome);
        period = null;
      },
    };
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
