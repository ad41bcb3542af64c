import type { Balancing, StickyCookie } from '../../domain/configuration/upstream-options.js';
import { noHeaders } from '../../domain/http/header-list.js';
import { hashedTo } from '../../domain/load-balancing/consistent-hash.js';
import { hashKeyText } from '../../domain/load-balancing/hash-key-text.js';
import { leastLoaded } from '../../domain/load-balancing/least-connections.js';
import { powerOfTwoChoices } from '../../domain/load-balancing/power-of-two-choices.js';
import { stickyTarget } from '../../domain/load-balancing/target-cookie.js';
import { textHash } from '../../domain/load-balancing/text-hash.js';
import { nextInTurn } from '../../domain/load-balancing/weighted-rotation.js';
import type { Random } from '../ports/random.js';
import type { TargetWish } from './chosen-target.js';
import type { Endpoint } from './endpoint.js';

/** An endpoint, and what the client is told about it. */
export interface PickedEndpoint {
  readonly endpoint: Endpoint;
  readonly responseHeaders: readonly string[];
}

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
   * Null where there is no candidate. A client goes where its cookie says, and waits there if it has to; else it gets one
   * for where it is sent.
   */
  pick(candidates: readonly Endpoint[], wish: TargetWish): PickedEndpoint | null {
    if (this.#cookie === null) return this.#picked(this.#balanced(candidates, wish), noHeaders);
    const known = stickyTarget(candidates, wish.headers, this.#cookie.name);
    if (known !== null) return this.#picked(known, noHeaders);
    const endpoint = this.#balanced(candidates, wish);
    const field = wish.isSecure ? endpoint?.cookie.secure : endpoint?.cookie.plain;
    return this.#picked(endpoint, field ?? noHeaders);
  }

  #picked(endpoint: Endpoint | null, responseHeaders: readonly string[]): PickedEndpoint | null {
    return endpoint === null ? null : { endpoint, responseHeaders };
  }

  #balanced(open: readonly Endpoint[], wish: TargetWish): Endpoint | null {
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
