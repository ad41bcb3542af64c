import { FairQueue, type QueueNode } from '../../../domain/gateway/limits/fair-queue.js';
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
  /** Null: it is not queued. */
  queueNode: QueueNode<WaitingRequest> | null = null;
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
  readonly #onEvicted: (request: WaitingRequest) => void;
  readonly #requests = new FairQueue<WaitingRequest>();
  /** The requests that need no permit yet. */
  readonly #undecided = new Set<WaitingRequest>();

  /** `onEvicted` gets a request that leaves, or cannot enter, because the queue is full. */
  constructor(permits: Permits, onEvicted: (request: WaitingRequest) => void) {
    this.#permits = permits;
    this.#onEvicted = onEvicted;
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
    if (request.queueNode === null) return;
    this.#requests.remove(request.queueNode);
    this.#left(request);
  }

  #append(request: WaitingRequest): void {
    const offer = this.#requests.offer(request.client, request, Number.POSITIVE_INFINITY);
    if (offer.kind === 'queued') request.queueNode = offer.node;
  }

  #left(request: WaitingRequest): void {
    request.queueNode = null;
    this.#undecided.delete(request);
    if (request.hasPermit) this.#permits.giveBack();
    request.hasPermit = false;
  }

  #takePermit(request: WaitingRequest): void {
    const outcome = this.#permits.take();
    if (outcome === 'full') {
      this.#evictOrRefuse(request);
      return;
    }
    if (request.queueNode === null) this.#append(request);
    if (outcome === 'taken') request.hasPermit = true;
    else void this.#ask(request);
  }

  async #ask(request: WaitingRequest): Promise<void> {
    const isTaken = await this.#permits.ask();
    if (request.queueNode === null) {
      if (isTaken) this.#permits.giveBack();
    } else if (isTaken) {
      request.hasPermit = true;
    } else {
      this.#evictOrRefuse(request);
    }
  }

  /** The queue is full: evicts a request of the client with the most, or refuses this one. */
  #evictOrRefuse(request: WaitingRequest): void {
    if (request.queueNode !== null) this.#requests.remove(request.queueNode);
    request.queueNode = null;
    const offer = this.#requests.offer(request.client, request, this.#requests.size);
    if (offer.kind === 'full') {
      this.#onEvicted(request);
      return;
    }
    request.queueNode = offer.node;
    const { evicted } = offer;
    if (evicted === null) return;
    evicted.queueNode = null;
    if (evicted.hasPermit) request.hasPermit = true;
    else if (this.#undecided.delete(evicted)) this.#undecided.add(request);
    else void this.#ask(request);
    evicted.hasPermit = false;
    this.#onEvicted(evicted);
  }
}
