import type { Balancing, StickyCookie } from '../../../domain/gateway/configuration/upstream-options.js';
import { hashedTo, hashKeyText, textHash } from '../../../domain/gateway/load-balancing/consistent-hash.js';
import { leastLoaded } from '../../../domain/gateway/load-balancing/least-connections.js';
import { powerOfTwoChoices } from '../../../domain/gateway/load-balancing/power-of-two-choices.js';
import { stickyTarget } from '../../../domain/gateway/load-balancing/target-cookie.js';
import { nextInTurn } from '../../../domain/gateway/load-balancing/weighted-rotation.js';
import type { Random } from '../../ports/shared/random.js';
import type { BalancingRequest } from './chosen-target.js';
import type { Endpoint, PickedEndpoint } from './endpoint.js';

/** The candidates with a free connection; all of them if none has one, because then every choice has to queue. */
const withFreeConnection = (candidates: readonly Endpoint[]): readonly Endpoint[] => {
  if (!candidates.some(({ client }) => client.isFull)) return candidates;
  const free = candidates.filter(({ client }) => !client.isFull);
  return free.length === 0 ? candidates : free;
};

/** Picks one of the candidate endpoints for a request. */
export class EndpointPicker {
  readonly #balancing: Balancing;
  readonly #cookie: StickyCookie | null;
  readonly #random: Random;

  constructor(balancing: Balancing, cookie: StickyCookie | null, random: Random) {
    this.#balancing = balancing;
    this.#cookie = cookie;
    this.#random = random;
  }

  /**
   * Picks by the sticky cookie of the client, even if the endpoint has no free connection. Otherwise balances, and sets
   * a cookie. Null: there is no candidate.
   */
  pick(candidates: readonly Endpoint[], request: BalancingRequest): PickedEndpoint | null {
    if (this.#cookie === null) return this.#balanced(candidates, request)?.withoutCookie ?? null;
    const known = stickyTarget(candidates, request.headers, this.#cookie.name);
    if (known !== null) return known.withoutCookie;
    const endpoint = this.#balanced(candidates, request);
    if (endpoint === null) return null;
    const { secure, plain } = endpoint.cookie;
    return { endpoint, responseHeaders: request.isSecure ? secure : plain };
  }

  #balanced(open: readonly Endpoint[], request: BalancingRequest): Endpoint | null {
    // Every balancing method picks it.
    if (open.length === 1) return open[0] ?? null;
    const candidates = withFreeConnection(open);
    const balancing = this.#balancing;
    switch (balancing.kind) {
      case 'round_robin':
        return nextInTurn(candidates);
      case 'least_connections':
        return leastLoaded(candidates);
      case 'power_of_two':
        return powerOfTwoChoices(candidates, this.#random.fraction(), this.#random.fraction());
      case 'consistent_hash':
        return hashedTo(candidates, textHash(hashKeyText(balancing.key, request.clientIp, request.headers)));
    }
  }
}
