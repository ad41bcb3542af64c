import { FairQueue, type QueuePlace } from '../../../domain/gateway/limits/fair-queue.js';
import type { LimitViolation } from '../../../domain/gateway/limits/limit-violation.js';
import type { Permits } from '../../ports/gateway/permits.js';
import type { ScheduledTask } from '../../ports/shared/scheduler.js';
import type { RequestPlace } from './request-places.js';

/** What is called when a request waits no more: with null it is in flight, else it has to be refused. */
export type QueueOutcome = (violation: LimitViolation | null) => void;

/** A request that waits to be in flight. */
export class WaitingRequest {
  /** What it has taken up already. */
  readonly place: RequestPlace;
  /** Whose turn it comes in. */
  readonly client: string;
  /** Where it waits; null: it does not, or not yet. */
  queuePlace: QueuePlace<WaitingRequest> | null = null;
  /** Whether it counts as one that is queued. One that only waits to hear whether there is room does not yet. */
  isSeated = false;
  deadline: ScheduledTask | null = null;
  readonly #onEnd: QueueOutcome;

  constructor(place: RequestPlace, client: string, onEnd: QueueOutcome) {
    this.place = place;
    this.client = client;
    this.#onEnd = onEnd;
  }

  letIn(): void {
    this.deadline?.cancel();
    this.#onEnd(null);
  }

  refuse(violation: LimitViolation): void {
    this.giveUp();
    this.#onEnd(violation);
  }

  /** Nobody waits for it any more. */
  giveUp(): void {
    this.deadline?.cancel();
    this.place.giveUp();
  }
}

/**
 * The requests that wait to be in flight, and the permits that they need for that. One that does not know yet whether
 * it has to wait at all needs none so far.
 */
export class RequestQueue {
  readonly #permits: Permits;
  readonly #evicted: (request: WaitingRequest) => void;
  readonly #requests = new FairQueue<WaitingRequest>();
  /** Those that need no permit so far. */
  readonly #unsure = new Set<WaitingRequest>();

  /** `evicted` is called with a request that waits no more, because there is no place for it. */
  constructor(permits: Permits, evicted: (request: WaitingRequest) => void) {
    this.#permits = permits;
    this.#evicted = evicted;
  }

  get size(): number {
    return this.#requests.size;
  }

  /** @param isSure whether it has to wait */
  add(request: WaitingRequest, isSure: boolean): void {
    if (isSure) {
      this.#seat(request);
      return;
    }
    this.#unsure.add(request);
    this.#append(request);
  }

  /** It is known now that there is no room: whoever waits does so in a place. */
  becomeSure(): void {
    for (const request of this.#unsure) {
      this.#unsure.delete(request);
      this.#seat(request);
    }
  }

  /** Takes out whose turn it is; null where nobody waits. */
  take(): WaitingRequest | null {
    const next = this.#requests.take();
    if (next !== null) this.#left(next);
    return next;
  }

  /** It waits no more; nothing where it did not. */
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
    this.#unsure.delete(request);
    if (request.isSeated) this.#permits.giveBack();
    request.isSeated = false;
  }

  #seat(request: WaitingRequest): void {
    const outcome = this.#permits.take();
    if (outcome === 'full') {
      this.#contest(request);
      return;
    }
    if (request.queuePlace === null) this.#append(request);
    if (outcome === 'taken') request.isSeated = true;
    else void this.#ask(request);
  }

  async #ask(request: WaitingRequest): Promise<void> {
    const isTaken = await this.#permits.ask();
    if (request.queuePlace === null) {
      if (isTaken) this.#permits.giveBack();
    } else if (isTaken) {
      request.isSeated = true;
    } else {
      this.#contest(request);
    }
  }

  /** All places are taken: it gets that of another, who has so many more, or none. */
  #contest(request: WaitingRequest): void {
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
    if (displaced.isSeated) request.isSeated = true;
    else if (this.#unsure.delete(displaced)) this.#unsure.add(request);
    else void this.#ask(request);
    displaced.isSeated = false;
    this.#evicted(displaced);
  }
}
