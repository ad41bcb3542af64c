import type { LimitsConfiguration } from '../../../domain/gateway/configuration/gateway-configuration.js';
import type { LimitViolation } from '../../../domain/gateway/limits/limit-violation.js';
import {
  type ConcurrencyLimits,
  clientViolation,
  concurrencyLimits,
  inFlightViolation,
  isWorkerFull,
  noConcurrency,
  queueViolation,
  routeViolation,
} from '../../../domain/gateway/limits/request-concurrency.js';
import { addressGroup } from '../../../domain/http/ip-address.js';
import type { PermitBook, Permits } from '../../ports/gateway/permits.js';
import type { Scheduler } from '../../ports/shared/scheduler.js';
import { PermitsBySubject } from '../workers/share-permits/permits-by-subject.js';
import { ClientPlace, type InFlightCount, type RequestPlace, RoutePlaces } from './request-places.js';
import { type QueueOutcome, RequestQueue, WaitingRequest } from './request-queue.js';

/** What becomes of a request that comes. */
export type SettledAdmission =
  /** It is in flight: its place is released when it has ended. */
  | RequestPlace
  /** It can `wait` with this place, or give it up. */
  | { readonly kind: 'full'; readonly place: RequestPlace }
  | { readonly kind: 'refused'; readonly violation: LimitViolation };

export type RequestAdmission =
  | SettledAdmission
  /**
   * Other workers have a say in it. Settles in every case, soon; a place is the request's even if it has gone by
   * then.
   */
  | { readonly kind: 'asked'; readonly settled: Promise<SettledAdmission> };

/**
 * The requests that are served at a time, and those that wait for it; one for the worker, over all its configurations.
 * Nothing is let in before limits are set.
 */
export class RequestAdmissions implements InFlightCount {
  readonly #scheduler: Scheduler;
  readonly #book: PermitBook;
  readonly #requests: Permits;
  readonly #routes = new Map<string, RoutePlaces>();
  readonly #clients: PermitsBySubject;
  readonly #queue: RequestQueue;
  #limits: ConcurrencyLimits = noConcurrency;
  #shortOfMemory: LimitViolation | null = null;
  #inFlight = 0;
  /** Whether the last request that found no room may find some yet, where others have not said so. */
  #isUnsure = false;

  constructor(scheduler: Scheduler, book: PermitBook) {
    this.#scheduler = scheduler;
    this.#book = book;
    this.#requests = book.open('requests', '');
    this.#requests.onChange(() => this.#letIn());
    this.#clients = new PermitsBySubject(book, 'requests-of-client');
    this.#queue = new RequestQueue(book.open('queued-requests', ''), (request) =>
      request.refuse(queueViolation(this.#inFlight, this.#limits)),
    );
  }

  get inFlight(): number {
    return this.#inFlight;
  }

  /** How many workers the limits are for. */
  get workers(): number {
    return this.#book.workers;
  }

  /** Requests that wait to be in flight. */
  get queued(): number {
    return this.#queue.size;
  }

  /** Clients behind trusted proxies that have requests under way. */
  get countedClients(): number {
    return this.#clients.size;
  }

  /**
   * What holds from now on, for all permits. Requests that are in flight or wait already stay, however many they are.
   */
  limit(limits: LimitsConfiguration): void {
    this.#limits = concurrencyLimits(limits, this.#book.workers);
    this.#book.limit(limits);
    this.#letIn();
  }

  /**
   * Told while memory is short, and with null once it is no more. Meanwhile nothing waits: what cannot be served is
   * refused.
   */
  shortOfMemory(violation: LimitViolation | null): void {
    this.#shortOfMemory = violation;
    if (violation === null) return;
    for (let next = this.#queue.take(); next !== null; next = this.#queue.take()) next.refuse(violation);
    this.#want();
  }

  /** The places of a route; the same ones each time, so that its requests are counted over reloads. */
  route(id: string): RoutePlaces {
    let places = this.#routes.get(id);
    if (places === undefined) {
      places = new RoutePlaces(this.#book.open('requests-of-route', id), this);
      this.#routes.set(id, places);
    }
    return places;
  }

  /** Forgets all other routes but those that still have requests. */
  keepRoutes(ids: ReadonlySet<string>): void {
    for (const [id, { taken, permits }] of this.#routes) {
      if (taken > 0 || ids.has(id)) continue;
      this.#routes.delete(id);
      permits.close();
    }
  }

  /** `countedClient`: the client whose requests are counted; null where it is its connections that are. */
  admit(route: RoutePlaces, countedClient: string | null): RequestAdmission {
    if (countedClient === null) {
      const outcome = route.permits.take();
      if (outcome === 'taken') return this.#enter(route);
      if (outcome === 'full') return refusedByRoute(route);
      return { kind: 'asked', settled: this.#askRoute(route) };
    }
    const client = this.#clients.hold(countedClient);
    const ofClient = client.take();
    if (ofClient === 'full') return this.#refusedByClient(countedClient, client);
    if (ofClient === 'unknown') return { kind: 'asked', settled: this.#askClient(route, countedClient, client) };
    const ofRoute = route.permits.take();
    if (ofRoute === 'taken') return this.#enter(new ClientPlace(route, this.#clients, countedClient, client));
    if (ofRoute === 'unknown') return { kind: 'asked', settled: this.#askRouteToo(route, countedClient, client) };
    this.#giveBack(countedClient, client);
    return refusedByRoute(route);
  }

  /**
   * Has a request wait for its turn, at most for so long. `onEnd` is called once, and before this returns where there
   * is no place in the queue: the result is null then, otherwise what ends the wait without that call.
   *
   * @param client whose turn it comes in: an IPv6 client stands for its /64
   */
  wait(place: RequestPlace, client: string, timeoutMs: number, onEnd: QueueOutcome): (() => void) | null {
    const request = new WaitingRequest(place, addressGroup(client), onEnd);
    this.#queue.add(request, !this.#isUnsure);
    if (request.queuePlace === null) return null;
    request.deadline = this.#scheduler.after(timeoutMs, () => {
      this.#queue.remove(request);
      request.refuse(inFlightViolation(this.#inFlight, this.#limits));
      this.#want();
    });
    this.#want();
    return () => {
      this.#queue.remove(request);
      request.giveUp();
      this.#want();
    };
  }

  /** A request is in flight no more. */
  left(): void {
    this.#inFlight -= 1;
    this.#requests.giveBack();
    if (this.#queue.size > 0) this.#letIn();
  }

  #enter(place: RequestPlace): SettledAdmission {
    // Nobody is overtaken.
    if (this.#queue.size === 0 && this.#takeInFlight()) return place;
    if (this.#shortOfMemory === null) return { kind: 'full', place };
    place.giveUp();
    return { kind: 'refused', violation: this.#shortOfMemory };
  }

  async #askRoute(route: RoutePlaces): Promise<SettledAdmission> {
    return (await route.permits.ask()) ? this.#enter(route) : refusedByRoute(route);
  }

  async #askRouteToo(route: RoutePlaces, countedClient: string, client: Permits): Promise<SettledAdmission> {
    if (await route.permits.ask()) return this.#enter(new ClientPlace(route, this.#clients, countedClient, client));
    this.#giveBack(countedClient, client);
    return refusedByRoute(route);
  }

  async #askClient(route: RoutePlaces, countedClient: string, client: Permits): Promise<SettledAdmission> {
    if (!(await client.ask())) return this.#refusedByClient(countedClient, client);
    const ofRoute = route.permits.take();
    if (ofRoute === 'taken') return this.#enter(new ClientPlace(route, this.#clients, countedClient, client));
    if (ofRoute === 'unknown') return this.#askRouteToo(route, countedClient, client);
    this.#giveBack(countedClient, client);
    return refusedByRoute(route);
  }

  #refusedByClient(countedClient: string, client: Permits): SettledAdmission {
    const violation = clientViolation(client.takenByAll, client.limit);
    this.#clients.letGo(countedClient);
    return { kind: 'refused', violation };
  }

  #giveBack(countedClient: string, client: Permits): void {
    client.giveBack();
    this.#clients.letGo(countedClient);
  }

  #takeInFlight(): boolean {
    const outcome = isWorkerFull(this.#inFlight, this.#limits) ? 'full' : this.#requests.take();
    this.#isUnsure = outcome === 'unknown';
    if (outcome !== 'taken') return false;
    this.#inFlight += 1;
    return true;
  }

  #letIn(): void {
    while (this.#queue.size > 0 && this.#takeInFlight()) this.#queue.take()?.letIn();
    if (!this.#isUnsure) this.#queue.becomeSure();
    this.#want();
  }

  /** Says how many permits those that wait could make use of. */
  #want(): void {
    const room = Math.max(0, this.#limits.inFlightPerWorker.limit - this.#inFlight);
    this.#requests.want(Math.min(this.#queue.size, room));
  }
}

const refusedByRoute = ({ permits }: RoutePlaces): SettledAdmission => ({
  kind: 'refused',
  violation: routeViolation(permits.takenByAll, permits.limit),
});
