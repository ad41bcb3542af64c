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

/** The places of one route. It stands for each of them: a request that nothing else is counted of needs no object of its own. */
export class RoutePlaces implements RequestPlace {
  readonly kind = 'place';
  readonly id: string;
  readonly #inFlight: InFlightCount;
  #taken = 0;

  constructor(id: string, inFlight: InFlightCount) {
    this.id = id;
    this.#inFlight = inFlight;
  }

  /** Requests of the route that are in flight or wait for it. */
  get taken(): number {
    return this.#taken;
  }

  take(): void {
    this.#taken += 1;
  }

  giveUp(): void {
    this.#taken -= 1;
  }

  release(): void {
    this.#taken -= 1;
    this.#inFlight.left();
  }
}

/** The places of clients that requests are counted of. Those that have none leave nothing behind. */
export class ClientPlaces {
  readonly #taken = new Map<string, number>();

  /** Clients that have any. */
  get size(): number {
    return this.#taken.size;
  }

  taken(client: string): number {
    return this.#taken.get(client) ?? 0;
  }

  take(client: string): void {
    this.#taken.set(client, this.taken(client) + 1);
  }

  giveBack(client: string): void {
    const left = this.taken(client) - 1;
    if (left > 0) this.#taken.set(client, left);
    else this.#taken.delete(client);
  }
}

/** A place of a route and of a client. */
export class ClientPlace implements RequestPlace {
  readonly kind = 'place';
  readonly #route: RoutePlaces;
  readonly #clients: ClientPlaces;
  readonly #client: string;

  constructor(route: RoutePlaces, clients: ClientPlaces, client: string) {
    this.#route = route;
    this.#clients = clients;
    this.#client = client;
    route.take();
    clients.take(client);
  }

  giveUp(): void {
    this.#clients.giveBack(this.#client);
    this.#route.giveUp();
  }

  release(): void {
    this.#clients.giveBack(this.#client);
    this.#route.release();
  }
}
