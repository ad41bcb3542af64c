import type { Permits } from '../../ports/gateway/permits.js';
import type { PermitsBySubject } from '../workers/share-permits/permits-by-subject.js';

/** Who is told of requests that are in flight no more. */
export interface InFlightCount {
  left(): void;
}

/** What one request takes up of the limits. Exactly one of its methods is called, once. */
export interface RequestPlace {
  readonly kind: 'place';
  /** The request was in flight, and has ended. */
  release(): void;
  /** The request never was in flight. */
  giveUp(): void;
}

/**
 * The places of one route. It stands for each of them: a request that nothing else is counted of needs no object of
 * its own.
 */
export class RoutePlaces implements RequestPlace {
  readonly kind = 'place';
  readonly permits: Permits;
  readonly #inFlight: InFlightCount;

  constructor(permits: Permits, inFlight: InFlightCount) {
    this.permits = permits;
    this.#inFlight = inFlight;
  }

  /** Requests of the route that are in flight or wait for it, in this worker. */
  get taken(): number {
    return this.permits.taken;
  }

  giveUp(): void {
    this.permits.giveBack();
  }

  release(): void {
    this.permits.giveBack();
    this.#inFlight.left();
  }
}

/** A place of a route and of a client. */
export class ClientPlace implements RequestPlace {
  readonly kind = 'place';
  readonly #route: RoutePlaces;
  readonly #clients: PermitsBySubject;
  readonly #client: string;
  readonly #permits: Permits;

  /** `permits`: those of the client, held by `clients` for this place. */
  constructor(route: RoutePlaces, clients: PermitsBySubject, client: string, permits: Permits) {
    this.#route = route;
    this.#clients = clients;
    this.#client = client;
    this.#permits = permits;
  }

  giveUp(): void {
    this.#giveBack();
    this.#route.giveUp();
  }

  release(): void {
    this.#giveBack();
    this.#route.release();
  }

  #giveBack(): void {
    this.#permits.giveBack();
    this.#clients.letGo(this.#client);
  }
}
