import type { Balancing, StickyCookie } from '../../../domain/gateway/configuration/upstream-options.js';
import { hashedTo, hashKeyText, textHash } from '../../../domain/gateway/load-balancing/consistent-hash.js';
import { leastLoaded } from '../../../domain/gateway/load-balancing/least-connections.js';
import { powerOfTwoChoices } from '../../../domain/gateway/load-balancing/power-of-two-choices.js';
import { stickyTarget } from '../../../domain/gateway/load-balancing/target-cookie.js';
import { nextInTurn } from '../../../domain/gateway/load-balancing/weighted-rotation.js';
import type { Random } from '../../ports/shared/random.js';
import type { BalancingRequest } from './chosen-target.js';
import type { Endpoint, PickedEndpoint } from './endpoint.js';

/** Those that have a connection to spare, where there is one: else a request has to wait, whichever it is sent to. */
const unfilled = (candidates: readonly Endpoint[]): readonly Endpoint[] => {
  if (!candidates.some(({ client }) => client.isFull)) return candidates;
  const free = candidates.filter(({ client }) => !client.isFull);
  return free.length === 0 ? candidates : free;
};

/** Picks one of the endpoints that a request may be sent to. */
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
   * Null where there is no candidate. A client goes where its cookie says, and waits there if it has to; else it gets
   * one for where it is sent.
   */
  pick(candidates: readonly Endpoint[], wish: BalancingRequest): PickedEndpoint | null {
    if (this.#cookie === null) return this.#balanced(candidates, wish)?.silently ?? null;
    const known = stickyTarget(candidates, wish.headers, this.#cookie.name);
    if (known !== null) return known.silently;
    const endpoint = this.#balanced(candidates, wish);
    if (endpoint === null) return null;
    const { secure, plain } = endpoint.cookie;
    return { endpoint, responseHeaders: wish.isSecure ? secure : plain };
  }

  #balanced(open: readonly Endpoint[], wish: BalancingRequest): Endpoint | null {
    // Whatever the way, it goes there.
    if (open.length === 1) return open[0] ?? null;
    const candidates = unfilled(open);
    const balancing = this.#balancing;
    switch (balancing.kind) {
      case 'round_robin':
        return nextInTurn(candidates);
      case 'least_connections':
        return leastLoaded(candidates);
      case 'power_of_two':
        return powerOfTwoChoices(candidates, this.#random.fraction(), this.#random.fraction());
      case 'consistent_hash':
        return hashedTo(candidates, textHash(hashKeyText(balancing.key, wish.clientIp, wish.headers)));
    }
  }
}
