import type { CircuitBreakerRules, CircuitState } from '../../../domain/gateway/circuit-breaking/circuit-breaker.js';
import type { Clock } from '../../ports/shared/clock.js';
import type { Logger } from '../../ports/shared/logger.js';
import { RouteBreaker } from './route-breaker.js';

const areEqual = (one: CircuitBreakerRules, other: CircuitBreakerRules): boolean =>
  one.failureThreshold === other.failureThreshold && one.openMs === other.openMs && one.probes === other.probes;

/** The circuit breakers of all routes. They outlive a reload that leaves their rules as they are. */
export class RouteBreakers {
  readonly #clock: Clock;
  readonly #logger: Logger;
  #breakers = new Map<string, RouteBreaker>();

  constructor(clock: Clock, logger: Logger) {
    this.#clock = clock;
    this.#logger = logger;
  }

  /** The breaker of a route, as it stands where it has had one by the same rules; else a new one, which `adopt` makes the route's. */
  of(route: string, rules: CircuitBreakerRules): RouteBreaker {
    const present = this.#breakers.get(route);
    if (present !== undefined && areEqual(present.rules, rules)) return present;
    return new RouteBreaker(route, rules, this.#clock, this.#logger);
  }

  /** A configuration is in force whose routes have these breakers; those of all others are forgotten. */
  adopt(breakers: ReadonlyMap<string, RouteBreaker>): void {
    this.#breakers = new Map(breakers);
  }

  states(): readonly { readonly route: string; readonly state: CircuitState }[] {
    return [...this.#breakers].map(([route, { state }]) => ({ route, state }));
  }
}
