import type { LimitViolation } from '../../domain/limits/limit-violation.js';
import type { ScheduledTask } from '../ports/scheduler.js';
import type { RequestPlace } from './request-places.js';

/** What is called when a request waits no more: with null it is in flight, else it has to be refused. */
export type WaitEnd = (violation: LimitViolation | null) => void;

/** A request that waits to be in flight. */
export class WaitingRequest {
  /** What it has taken up already. */
  readonly place: RequestPlace;
  /** Set once it is in the queue. */
  deadline: ScheduledTask | null = null;
  readonly #onEnd: WaitEnd;

  constructor(place: RequestPlace, onEnd: WaitEnd) {
    this.place = place;
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
