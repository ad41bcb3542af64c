import type { ScheduledTask, Scheduler } from '../../../src/application/ports/shared/scheduler.js';
import type { ManualClock } from './manual-clock.js';

interface WaitingTask {
  dueMs: number;
  readonly everyMs: number | null;
  readonly run: () => void;
}

/** Lets what was started go as far as it can without the time moving on. */
export const settled = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));

/** Runs tasks as a test moves the clock. */
export class ManualScheduler implements Scheduler {
  readonly #clock: ManualClock;
  readonly #tasks = new Set<WaitingTask>();

  constructor(clock: ManualClock) {
    this.#clock = clock;
  }

  /** Tasks that wait for their time. */
  get waiting(): number {
    return this.#tasks.size;
  }

  after(delayMs: number, run: () => void): ScheduledTask {
    return this.#add({ dueMs: this.#clock.monotonicMs() + delayMs, everyMs: null, run });
  }

  every(intervalMs: number, run: () => void): ScheduledTask {
    return this.#add({ dueMs: this.#clock.monotonicMs() + intervalMs, everyMs: intervalMs, run });
  }

  /** Moves the clock, with a stop at each task that comes due on the way. */
  async advance(ms: number): Promise<void> {
    const untilMs = this.#clock.monotonicMs() + ms;
    for (let next = this.#next(untilMs); next !== null; next = this.#next(untilMs)) {
      this.#clock.advance(Math.max(0, next.dueMs - this.#clock.monotonicMs()));
      if (next.everyMs === null) this.#tasks.delete(next);
      else next.dueMs += next.everyMs;
      next.run();
      await settled();
    }
    this.#clock.advance(untilMs - this.#clock.monotonicMs());
    await settled();
  }

  #add(task: WaitingTask): ScheduledTask {
    this.#tasks.add(task);
    return { cancel: () => void this.#tasks.delete(task) };
  }

  #next(untilMs: number): WaitingTask | null {
    let next: WaitingTask | null = null;
    for (const task of this.#tasks) {
      if (task.dueMs <= untilMs && (next === null || task.dueMs < next.dueMs)) next = task;
    }
    return next;
  }
}
