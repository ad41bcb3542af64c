import type { WheelTimer } from '../../../../domain/shared/timer-wheel.js';
import type { Deadlines } from './deadlines.js';

/** What a connection waits for at the moment: for one thing at a time, and in most cases it comes. */
export class ConnectionDeadline implements WheelTimer {
  /** What the wheel knows of; it may be sooner than the deadline is: then that is found out when it has come. */
  dueMs = 0;
  slot = -1;
  next: WheelTimer | null = null;
  previous: WheelTimer | null = null;
  readonly #deadlines: Deadlines;
  readonly #passed: (nowMs: number) => void;
  /** Infinity: there is none. */
  #deadlineMs = Number.POSITIVE_INFINITY;

  /** `passed` is called when a deadline has passed, and there is none any more. */
  constructor(deadlines: Deadlines, passed: (nowMs: number) => void) {
    this.#deadlines = deadlines;
    this.#passed = passed;
  }

  /** In place of the one before. `deadlineMs`: by the monotonic clock; finite. */
  set(deadlineMs: number): void {
    this.#deadlineMs = deadlineMs;
    if (this.slot < 0 || deadlineMs < this.dueMs) this.#deadlines.set(this, deadlineMs);
  }

  clear(): void {
    this.#deadlineMs = Number.POSITIVE_INFINITY;
  }

  /** There will be none any more. */
  end(): void {
    this.clear();
    this.#deadlines.remove(this);
  }

  expired(): void {
    const nowMs = performance.now();
    if (this.#deadlineMs <= nowMs) {
      this.clear();
      this.#passed(nowMs);
    } else if (this.#deadlineMs < Number.POSITIVE_INFINITY) this.#deadlines.set(this, this.#deadlineMs);
  }
}
