import type { LimitsConfiguration } from '../../domain/configuration/gateway-configuration.js';
import { addressGroup } from '../../domain/http/address-group.js';
import { FairQueue } from '../../domain/limits/fair-queue.js';
import type { LimitViolation } from '../../domain/limits/limit-violation.js';
import {
  type ConcurrencyLimits,
  clientViolation,
  concurrencyLimits,
  inFlightViolation,
  noConcurrency,
  queueViolation,
  routeViolation,
} from '../../domain/limits/request-concurrency.js';
import type { Scheduler } from '../ports/scheduler.js';
import { ClientPlace, ClientPlaces, type InFlightCount, type RequestPlace, RoutePlaces } from './request-places.js';
import { type WaitEnd, WaitingRequest } from './waiting-request.js';

/** What becomes of a request that comes. */
export type RequestAdmission =
  /** It is in flight: its place is released when it has ended. */
  | RequestPlace
  /** It can `wait` with this place, or give it up. */
  | { readonly kind: 'full'; readonly place: RequestPlace }
  | { readonly kind: 'refused'; readonly violation: LimitViolation };

/**
 * The requests that are served at a time, and those that wait for it; one for the gateway, over all its configurations.
 * Nothing is let in before limits are set.
 */
export class RequestAdmissions implements InFlightCount {
  readonly #scheduler: Scheduler;
  readonly #routes = new Map<string, RoutePlaces>();
  readonly #clients = new ClientPlaces();
  readonly #queue = new FairQueue<WaitingRequest>();
  #limits: ConcurrencyLimits = noConcurrency;
  #shortOfMemory: LimitViolation | null = null;
  #inFlight = 0;

  constructor(scheduler: Scheduler) {
    this.#scheduler = scheduler;
  }

  get inFlight(): number {
    return this.#inFlight;
  }

  /** Requests that wait to be in flight. */
  get queued(): number {
    return this.#queue.size;
  }

  /** Clients behind trusted proxies that have requests under way. */
  get countedClients(): number {
    return this.#clients.size;
  }

  /** What holds from now on. Requests that are in flight or wait already stay, however many they are. */
  limit(limits: LimitsConfiguration): void {
    this.#limits = concurrencyLimits(limits);
    this.#letIn();
  }

  /** Told while memory is short, and with null once it is no more. Meanwhile nothing waits: what cannot be served is refused. */
  shortOfMemory(violation: LimitViolation | null): void {
    this.#shortOfMemory = violation;
    if (violation === null) return;
    for (let next = this.#queue.take(); next !== null; next = this.#queue.take()) next.refuse(violation);
  }

  /** The places of a route; the same ones each time, so that its requests are counted over reloads. */
  route(id: string): RoutePlaces {
    let places = this.#routes.get(id);
    if (places === undefined) {
      places = new RoutePlaces(id, this);
      this.#routes.set(id, places);
    }
    return places;
  }

  /** Forgets all other routes but those that still have requests. */
  keepRoutes(ids: ReadonlySet<string>): void {
    for (const [id, { taken }] of this.#routes) if (taken === 0 && !ids.has(id)) this.#routes.delete(id);
  }

  /** `countedClient`: the client whose requests are counted; null where it is its connections that are. */
  admit(route: RoutePlaces, countedClient: string | null): RequestAdmission {
    const limits = this.#limits;
    const violation =
      (countedClient === null ? null : clientViolation(this.#clients.taken(countedClient), limits)) ??
      routeViolation(route.taken, limits);
    if (violation !== null) return { kind: 'refused', violation };
    // INVARIANT: while there is room nothing waits, so that nobody is overtaken here.
    const isFull = this.#inFlight >= limits.inFlight.limit;
    if (isFull && this.#shortOfMemory !== null) return { kind: 'refused', violation: this.#shortOfMemory };
    let place: RequestPlace = route;
    if (countedClient === null) route.take();
    else place = new ClientPlace(route, this.#clients, countedClient);
    if (isFull) return { kind: 'full', place };
    this.#inFlight += 1;
    return place;
  }

  /**
   * Has a request wait for its turn, at most for so long. `onEnd` is called once, and before this returns where there is no
   * place in the queue: the result is null then, otherwise what ends the wait without that call.
   *
   * @param client whose turn it comes in: an IPv6 client stands for its /64
   */
  wait(place: RequestPlace, client: string, timeoutMs: number, onEnd: WaitEnd): (() => void) | null {
    const request = new WaitingRequest(place, onEnd);
    const offer = this.#queue.offer(addressGroup(client), request, this.#limits.queued);
    if (offer.kind === 'full') {
      request.refuse(queueViolation(this.#limits));
      return null;
    }
    request.deadline = this.#scheduler.after(timeoutMs, () => {
      this.#queue.remove(offer.place);
      request.refuse(inFlightViolation(this.#limits));
    });
    offer.displaced?.refuse(queueViolation(this.#limits));
    return () => {
      this.#queue.remove(offer.place);
      request.giveUp();
    };
  }

  /** A request is in flight no more. */
  left(): void {
    this.#inFlight -= 1;
    if (this.#queue.size > 0) this.#letIn();
  }

  #letIn(): void {
    while (this.#inFlight < this.#limits.inFlight.limit) {
      const next = this.#queue.take();
      if (next === null) return;
      this.#inFlight += 1;
      next.letIn();
    }
  }
}
