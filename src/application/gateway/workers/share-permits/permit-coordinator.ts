import { PermitCenter } from '../../../../domain/gateway/limits/permit-center.js';
import type { PermitOutbox } from '../../../../domain/gateway/limits/permit-messages.js';
import type { Clock } from '../../../ports/shared/clock.js';
import type { ScheduledTask, Scheduler } from '../../../ports/shared/scheduler.js';
import type { AttendedWorker } from '../../../shared/worker-channel/worker-channel.js';
import type { SupervisedService } from '../supervise/supervised-service.js';
import { permitMessages, permitReports } from './permit-notices.js';

/** Runs in the supervisor. Grants workers permits beyond their static shares. */
export class PermitCoordinator implements SupervisedService {
  readonly #center: PermitCenter;
  readonly #clock: Clock;
  readonly #scheduler: Scheduler;
  readonly #workers = new Map<AttendedWorker, PermitOutbox>();
  #timer: ScheduledTask | null = null;
  #isFlushing = false;

  /** @param workers number of workers that share the limits */
  constructor(workers: number, clock: Clock, scheduler: Scheduler) {
    this.#center = new PermitCenter(workers);
    this.#clock = clock;
    this.#scheduler = scheduler;
  }

  /** Number of contended keys. */
  get contendedKeys(): number {
    return this.#center.size;
  }

  /** No-op: each worker reports the limits when it begins to apply them. */
  adopt(): void {}

  attend(worker: AttendedWorker): void {
    const outbox = this.#center.connect();
    this.#workers.set(worker, outbox);
    worker.channel.hear(permitReports, (reports) => {
      this.#center.receive(outbox, reports, this.#clock.monotonicMs());
      this.#settle();
    });
  }

  /** Frees the permits of a worker that has ended. */
  left(worker: AttendedWorker): void {
    const outbox = this.#workers.get(worker);
    if (outbox === undefined) return;
    this.#workers.delete(worker);
    this.#center.disconnect(outbox, this.#clock.monotonicMs());
    this.#settle();
  }

  #settle(): void {
    this.#arm();
    if (this.#isFlushing) return;
    this.#isFlushing = true;
    void Promise.resolve().then(() => this.#flush());
  }

  /** Sends one message per worker for everything in one turn. */
  #flush(): void {
    this.#isFlushing = false;
    for (const [{ channel }, outbox] of this.#workers) {
      const batch = outbox.drain();
      if (batch !== null) channel.tell(permitMessages, batch);
    }
  }

  #arm(): void {
    const { nextDueMs } = this.#center;
    if (nextDueMs === null || this.#timer !== null) return;
    const delayMs = Math.max(1, Math.ceil(nextDueMs - this.#clock.monotonicMs()));
    this.#timer = this.#scheduler.after(delayMs, () => {
      this.#timer = null;
      this.#center.expire(this.#clock.monotonicMs());
      this.#settle();
    });
  }
}
