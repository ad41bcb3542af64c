import { FairQueue, type QueuePlace } from '../../../domain/gateway/limits/fair-queue.js';
import type { LimitViolation } from '../../../domain/gateway/limits/limit-violation.js';
import type { Permits } from '../../ports/gateway/permits.js';
import type { ScheduledTask } from '../../ports/shared/scheduler.js';
import type { RequestSlot } from './request-slots.js';

/** Called when a request leaves the queue. Null: it is in flight; otherwise it must be refused. */
export type QueueOutcome = (violation: LimitViolation | null) => void;

/** A queued request. */
export class WaitingRequest {
  /** The slot that it holds. */
  readonly slot: RequestSlot;
  /** The client in whose turn it is served. */
  readonly client: string;
  /** Its position in the queue; null: it is not queued. */
  queuePlace: QueuePlace<WaitingRequest> | null = null;
  /** Whether it holds a permit of the queue. It needs none while it is unknown whether it must queue. */
  hasPermit = false;
  deadline: ScheduledTask | null = null;
  readonly #onEnd: QueueOutcome;

  constructor(slot: RequestSlot, client: string, onEnd: QueueOutcome) {
    this.slot = slot;
    this.client = client;
    this.#onEnd = onEnd;
  }

  admit(): void {
    this.deadline?.cancel();
    this.#onEnd(null);
  }

  refuse(violation: LimitViolation): void {
    this.giveUp();
    this.#onEnd(violation);
  }

  /** Ends the wait, because the client is gone. */
  giveUp(): void {
    this.deadline?.cancel();
    this.slot.giveUp();
  }
}

/** The queued requests and their permits. A request needs no permit while it is unknown whether it must queue. */
export class RequestQueue {
  readonly #permits: Permits;
  readonly #evicted: (request: WaitingRequest) => void;
  readonly #requests = new FairQueue<WaitingRequest>();
  /** The requests that need no permit yet. */
  readonly #undecided = new Set<WaitingRequest>();

  /** `evicted` gets a request that is removed because the queue is full. */
  constructor(permits: Permits, evicted: (request: WaitingRequest) => void) {
    this.#permits = permits;
    this.#evicted = evicted;
  }

  get size(): number {
    return this.#requests.size;
  }

  /** @param mustQueue false: it is unknown whether the request must queue */
  add(request: WaitingRequest, mustQueue: boolean): void {
    if (mustQueue) {
      this.#takePermit(request);
      return;
    }
    this.#undecided.add(request);
    this.#append(request);
  }

  /** The limit is reached, so every queued request needs a permit now. */
  confirmFull(): void {
    for (const request of this.#undecided) {
      this.#undecided.delete(request);
      this.#takePermit(request);
    }
  }

  /** Removes the next request; null: the queue is empty. */
  take(): WaitingRequest | null {
    const next = this.#requests.take();
    if (next !== null) this.#left(next);
    return next;
  }

  /** Removes a request. Does nothing if it is not queued. */
  remove(request: WaitingRequest): void {
    if (request.queuePlace === null) return;
    this.#requests.remove(request.queuePlace);
    this.#left(request);
  }

  #append(request: WaitingRequest): void {
    const offer = this.#requests.offer(request.client, request, Number.POSITIVE_INFINITY);
    if (offer.kind === 'queued') request.queuePlace = offer.place;
  }

  #left(request: WaitingRequest): void {
    request.queuePlace = null;
    this.#undecided.delete(request);
    if (request.hasPermit) this.#permits.giveBack();
    request.hasPermit = false;
  }

  #takePermit(request: WaitingRequest): void {
    const outcome = this.#permits.take();
    if (outcome === 'full') {
      this.#displace(request);
      return;
    }
    if (request.queuePlace === null) this.#append(request);
    if (outcome === 'taken') request.hasPermit = true;
    else void this.#ask(request);
  }

  async #ask(request: WaitingRequest): Promise<void> {
    const isTaken = await this.#permits.ask();
    if (request.queuePlace === null) {
      if (isTaken) this.#permits.giveBack();
    } else if (isTaken) {
      request.hasPermit = true;
    } else {
      this.#displace(request);
    }
  }

  /** The queue is full: takes the place of a client with more queued requests, or evicts this one. */
  #displace(request: WaitingRequest): void {
    if (request.queuePlace !== null) this.#requests.remove(request.queuePlace);
    request.queuePlace = null;
    const offer = this.#requests.offer(request.client, request, this.#requests.size);
    if (offer.kind === 'full') {
      this.#evicted(request);
      return;
    }
    request.queuePlace = offer.place;
    const { displaced } = offer;
    if (displaced === null) return;
    displaced.queuePlace = null;
    if (displaced.hasPermit) request.hasPermit = true;
    else if (this.#undecided.delete(displaced)) this.#undecided.add(request);
    else void this.#ask(request);
    displaced.hasPermit = false;
    this.#evicted(displaced);
  }
}
