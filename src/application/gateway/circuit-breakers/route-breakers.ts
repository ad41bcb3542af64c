import type { CircuitBreakerRules, CircuitState } from '../../../domain/gateway/circuit-breaking/circuit-breaker.js';
import type { Clock } from '../../ports/shared/clock.js';
import type { Logger } from '../../ports/shared/logger.js';
import { CircuitBreakerHolder } from './circuit-breaker-holder.js';

/** The circuit breakers of all routes. A reload that leaves the rules of a route keeps its breaker. */
export class RouteBreakers {
  readonly #clock: Clock;
  readonly #logger: Logger;
  #breakers = new Map<string, CircuitBreakerHolder>();

  constructor(clock: Clock, logger: Logger) {
    this.#clock = clock;
    this.#logger = logger;
  }

  /** The present breaker of a route where it has these rules; else a new one, which takes effect with `adopt`. */
  of(route: string, rules: CircuitBreakerRules): CircuitBreakerHolder {
    const present = this.#breakers.get(route);
    return present?.hasRules(rules) === true ? present : this.#create(route, rules);
  }

  /** The breakers of the configuration in force, by route. Those of other routes are forgotten. */
  adopt(breakers: ReadonlyMap<string, CircuitBreakerHolder>): void {
    this.#breakers = new Map(breakers);
  }

  states(): readonly { readonly route: string; readonly state: CircuitState }[] {
    return [...this.#breakers].map(([route, { state }]) => ({ route, state: state ?? 'closed' }));
  }

  /** A route that fails from probe to probe is logged each time: the log shows that it has not come back. */
  #create(route: string, rules: CircuitBreakerRules): CircuitBreakerHolder {
    return new CircuitBreakerHolder(rules, this.#clock, (state) => {
      if (state === 'closed') this.#logger.info('Route circuit breaker closed', { route });
      else if (state === 'open') this.#logger.warn('Route circuit breaker open', { route, open_ms: rules.openMs });
    });
  }
}
