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
import { MirrorSlots } from './mirror-slots.js';
import { type QueueOutcome, RequestQueue, WaitingRequest } from './request-queue.js';
import { ClientSlot, type InFlightCount, type RequestSlot, RouteSlots } from './request-slots.js';
import { StreamSlots } from './stream-slots.js';

/** The decision about a request. */
export type SettledAdmission =
  /** It is in flight: release the slot when it has ended. */
  | RequestSlot
  /** It cannot run now: `wait` with this slot, or give it up. */
  | { readonly kind: 'full'; readonly slot: RequestSlot }
  | { readonly kind: 'refused'; readonly violation: LimitViolation };

export type RequestAdmission =
  | SettledAdmission
  /**
   * The supervisor decides, because other workers share the limit. It always settles, soon. The request owns a slot
   * even if its client has gone by then.
   */
  | { readonly kind: 'asked'; readonly settled: Promise<SettledAdmission> };

/**
 * The requests in flight and the queued ones; one instance per worker, over all its configurations. It admits nothing
 * before `limit` is called.
 */
export class RequestAdmissions implements InFlightCount {
  readonly #scheduler: Scheduler;
  readonly #book: PermitBook;
  readonly #requests: Permits;
  readonly #routes = new Map<string, RouteSlots>();
  readonly #clients: PermitsBySubject;
  readonly #queue: RequestQueue;
  /** The requests that are no longer in flight, because their responses may never end. */
  readonly streams: StreamSlots;
  /** The copies of requests under way. */
  readonly mirrors: MirrorSlots;
  #limits: ConcurrencyLimits = noConcurrency;
  #memoryShortage: LimitViolation | null = null;
  #inFlight = 0;
  /** It is unknown whether the limit is reached, because the supervisor has not answered yet. */
  #isUndecided = false;

  constructor(scheduler: Scheduler, book: PermitBook) {
    this.#scheduler = scheduler;
    this.#book = book;
    this.#requests = book.open('requests', '');
    this.#requests.onChange(() => this.#admitQueued());
    this.#clients = new PermitsBySubject(book, 'requests-of-client');
    this.#queue = new RequestQueue(book.open('queued-requests', ''), (request) =>
      request.refuse(queueViolation(this.#inFlight, this.#limits)),
    );
    this.streams = new StreamSlots(scheduler, book, this);
    this.mirrors = new MirrorSlots(book);
  }

  get inFlight(): number {
    return this.#inFlight;
  }

  /** Number of workers that share the limits. */
  get workers(): number {
    return this.#book.workers;
  }

  /** Queued requests. */
  get queued(): number {
    return this.#queue.size;
  }

  /** Clients behind trusted proxies with open requests. */
  get countedClients(): number {
    return this.#clients.size;
  }

  /** Sets the limits of all permits. Requests that are in flight or queued stay, even above the new limits. */
  limit(limits: LimitsConfiguration): void {
    this.#limits = concurrencyLimits(limits, this.#book.workers);
    this.#book.limit(limits);
    this.#admitQueued();
  }

  /**
   * Sets the violation while memory is short; null: it is not short. While memory is short no request queues: it is
   * served or refused.
   */
  setMemoryShortage(violation: LimitViolation | null): void {
    this.#memoryShortage = violation;
    this.mirrors.isPaused = violation !== null;
    if (violation === null) return;
    for (let next = this.#queue.take(); next !== null; next = this.#queue.take()) next.refuse(violation);
    this.#requestPermits();
  }

  /** The slots of a route; always the same object, so that its requests are counted over reloads. */
  route(id: string): RouteSlots {
    let slots = this.#routes.get(id);
    if (slots === undefined) {
      slots = new RouteSlots(this.#book.open('requests-of-route', id), this);
      this.#routes.set(id, slots);
    }
    return slots;
  }

  /** Forgets all other routes, except those that still have requests. */
  keepRoutes(ids: ReadonlySet<string>): void {
    for (const [id, { taken, permits }] of this.#routes) {
      if (taken > 0 || ids.has(id)) continue;
      this.#routes.delete(id);
      permits.close();
    }
  }

  /** `countedClient`: the client whose requests are counted; null: its connections are counted instead. */
  admit(route: RouteSlots, countedClient: string | null): RequestAdmission {
    if (countedClient === null) {
      const outcome = route.permits.take();
      if (outcome === 'taken') return this.#enter(route);
      if (outcome === 'full') return refuseForRoute(route);
      return { kind: 'asked', settled: this.#askRoute(route) };
    }
    const client = this.#clients.hold(countedClient);
    const clientOutcome = client.take();
    if (clientOutcome === 'full') return this.#refuseForClient(countedClient, client);
    if (clientOutcome === 'unknown') return { kind: 'asked', settled: this.#askClient(route, countedClient, client) };
    const routeOutcome = route.permits.take();
    if (routeOutcome === 'taken') return this.#enter(new ClientSlot(route, this.#clients, countedClient, client));
    if (routeOutcome === 'unknown')
      return { kind: 'asked', settled: this.#askRouteForClient(route, countedClient, client) };
    this.#giveBack(countedClient, client);
    return refuseForRoute(route);
  }

  /**
   * Queues a request for at most `timeoutMs`. `onEnd` is called once. If the queue is full, it is called before this
   * returns null. Otherwise returns a function that ends the wait without that call.
   *
   * @param client the client in whose turn it is served; an IPv6 client counts as its /64
   */
  wait(slot: RequestSlot, client: string, timeoutMs: number, onEnd: QueueOutcome): (() => void) | null {
    const request = new WaitingRequest(slot, addressGroup(client), onEnd);
    this.#queue.add(request, !this.#isUndecided);
    if (request.queueNode === null) return null;
    request.deadline = this.#scheduler.after(timeoutMs, () => {
      this.#queue.remove(request);
      request.refuse(inFlightViolation(this.#inFlight, this.#limits));
      this.#requestPermits();
    });
    this.#requestPermits();
    return () => {
      this.#queue.remove(request);
      request.giveUp();
      this.#requestPermits();
    };
  }

  decrement(): void {
    this.#inFlight -= 1;
    this.#requests.giveBack();
    if (this.#queue.size > 0) this.#admitQueued();
  }

  #enter(slot: RequestSlot): SettledAdmission {
    // A new request must not overtake queued ones.
    if (this.#queue.size === 0 && this.#takeInFlight()) return slot;
    if (this.#memoryShortage === null) return { kind: 'full', slot };
    slot.giveUp();
    return { kind: 'refused', violation: this.#memoryShortage };
  }

  async #askRoute(route: RouteSlots): Promise<SettledAdmission> {
    return (await route.permits.ask()) ? this.#enter(route) : refuseForRoute(route);
  }

  async #askRouteForClient(route: RouteSlots, countedClient: string, client: Permits): Promise<SettledAdmission> {
    if (await route.permits.ask()) return this.#enter(new ClientSlot(route, this.#clients, countedClient, client));
    this.#giveBack(countedClient, client);
    return refuseForRoute(route);
  }

  async #askClient(route: RouteSlots, countedClient: string, client: Permits): Promise<SettledAdmission> {
    if (!(await client.ask())) return this.#refuseForClient(countedClient, client);
    const routeOutcome = route.permits.take();
    if (routeOutcome === 'taken') return this.#enter(new ClientSlot(route, this.#clients, countedClient, client));
    if (routeOutcome === 'unknown') return this.#askRouteForClient(route, countedClient, client);
    this.#giveBack(countedClient, client);
    return refuseForRoute(route);
  }

  #refuseForClient(countedClient: string, client: Permits): SettledAdmission {
    const violation = clientViolation(client.takenByAll, client.limit);
    this.#clients.release(countedClient);
    return { kind: 'refused', violation };
  }

  #giveBack(countedClient: string, client: Permits): void {
    client.giveBack();
    this.#clients.release(countedClient);
  }

  #takeInFlight(): boolean {
    const outcome = isWorkerFull(this.#inFlight, this.#limits) ? 'full' : this.#requests.take();
    this.#isUndecided = outcome === 'unknown';
    if (outcome !== 'taken') return false;
    this.#inFlight += 1;
    return true;
  }

  #admitQueued(): void {
    while (this.#queue.size > 0 && this.#takeInFlight()) this.#queue.take()?.admit();
    if (!this.#isUndecided) this.#queue.confirmFull();
    this.#requestPermits();
  }

  /** Requests the number of permits that queued requests could use. */
  #requestPermits(): void {
    const room = Math.max(0, this.#limits.inFlightPerWorker.limit - this.#inFlight);
    this.#requests.want(Math.min(this.#queue.size, room));
  }
}

const refuseForRoute = ({ permits }: RouteSlots): SettledAdmission => ({
  kind: 'refused',
  violation: routeViolation(permits.takenByAll, permits.limit),
});
