import type { Permits } from '../../ports/gateway/permits.js';
import type { PermitsBySubject } from '../workers/share-permits/permits-by-subject.js';

/** Counts the requests that are no longer in flight. */
export interface InFlightCount {
  /** A request has ended, or has become a stream. */
  decrement(): void;
}

/** A concurrency slot, held while a request runs or queues. Call exactly one of its methods, once. */
export interface RequestSlot {
  readonly kind: 'slot';
  /** The request was in flight and has ended. */
  release(): void;
  /** The request has ended, and was never in flight or has left it. */
  giveUp(): void;
}

/**
 * The slots of one route. The object also serves as each single slot, so that a request without a counted client
 * allocates nothing.
 */
export class RouteSlots implements RequestSlot {
  readonly kind = 'slot';
  readonly permits: Permits;
  readonly #inFlight: InFlightCount;

  constructor(permits: Permits, inFlight: InFlightCount) {
    this.permits = permits;
    this.#inFlight = inFlight;
  }

  /** Requests of the route in this worker, in flight or queued. */
  get taken(): number {
    return this.permits.taken;
  }

  giveUp(): void {
    this.permits.giveBack();
  }

  release(): void {
    this.permits.giveBack();
    this.#inFlight.decrement();
  }
}

/** A slot of a route and of a client. */
export class ClientSlot implements RequestSlot {
  readonly kind = 'slot';
  readonly #route: RouteSlots;
  readonly #clients: PermitsBySubject;
  readonly #client: string;
  readonly #permits: Permits;

  /** `permits`: the client's permits, which `clients` holds for this slot. */
  constructor(route: RouteSlots, clients: PermitsBySubject, client: string, permits: Permits) {
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
    this.#clients.release(this.#client);
  }
}
