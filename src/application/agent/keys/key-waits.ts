import type { Cancellation } from '../../ports/shared/cancellation.js';
import type { Scheduler } from '../../ports/shared/scheduler.js';

/** How a wait came to its end. */
export type KeyWaitOutcome =
  /** What was waited for has ended. */
  | 'ended'
  /** It goes on, and the wait took too long. */
  | 'timed_out'
  | 'cancelled';

/** Waits of many for one thing, each with a time of its own; so many at a time and no more. */
export class KeyWaits {
  readonly #scheduler: Scheduler;
  readonly #maximum: number;
  readonly #ends = new Set<(end: KeyWaitOutcome) => void>();

  constructor(scheduler: Scheduler, maximum: number) {
    this.#scheduler = scheduler;
    this.#maximum = maximum;
  }

  get isFull(): boolean {
    return this.#ends.size >= this.#maximum;
  }

  /** Only where it is not full. */
  join(longestMs: number, cancellation: Cancellation): Promise<KeyWaitOutcome> {
    return new Promise((resolve) => {
      let endListening: () => void = () => undefined;
      const end = (how: KeyWaitOutcome): void => {
        this.#ends.delete(end);
        deadline.cancel();
        endListening();
        resolve(how);
      };
      const deadline = this.#scheduler.after(longestMs, () => end('timed_out'));
      this.#ends.add(end);
      endListening = cancellation.onCancel(() => end('cancelled'));
    });
  }

  endAll(): void {
    for (const end of [...this.#ends]) end('ended');
  }
}
