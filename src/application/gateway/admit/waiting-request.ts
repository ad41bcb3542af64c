import type { QueuePlace } from '../../../domain/gateway/limits/fair-queue.js';
import type { LimitViolation } from '../../../domain/gateway/limits/limit-violation.js';
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
