import type { CircuitBreakerRules, CircuitState } from '../../../domain/gateway/circuit-breaking/circuit-breaker.js';
import type { Clock } from '../../ports/shared/clock.js';
import type { Logger } from '../../ports/shared/logger.js';
import { CircuitBreakerHolder } from './circuit-breaker-holder.js';

/** The circuit breakers of all routes. A reload keeps the breaker of a route if its rules stay the same. */
export class RouteBreakers {
  readonly #clock: Clock;
  readonly #logger: Logger;
  #breakers = new Map<string, CircuitBreakerHolder>();

  constructor(clock: Clock, logger: Logger) {
    this.#clock = clock;
    this.#logger = logger;
  }

  /** The current breaker of a route if it has these rules; otherwise a new one, which takes effect with `adopt`. */
  of(route: string, rules: CircuitBreakerRules): CircuitBreakerHolder {
    const current = this.#breakers.get(route);
    return current?.hasRules(rules) === true ? current : this.#create(route, rules);
  }

  /** Sets the breakers of the configuration in force, by route. Forgets those of other routes. */
  adopt(breakers: ReadonlyMap<string, CircuitBreakerHolder>): void {
    this.#breakers = new Map(breakers);
  }

  states(): readonly { readonly route: string; readonly state: CircuitState }[] {
    return [...this.#breakers].map(([route, { state }]) => ({ route, state: state ?? 'closed' }));
  }

  /** Logs each state change, so that repeated failed probes are visible. */
  #create(route: string, rules: CircuitBreakerRules): CircuitBreakerHolder {
    return new CircuitBreakerHolder(rules, this.#clock, (state) => {
      if (state === 'closed') this.#logger.info('Route circuit breaker closed', { route });
      else if (state === 'open') this.#logger.warn('Route circuit breaker open', { route, open_ms: rules.openMs });
    });
  }
}
