import type { ScheduledTask, Scheduler } from '../../../application/ports/shared/scheduler.js';

/** Longest delay that a timer of Node takes, in milliseconds; a longer one would fire at once. */
const longestDelayMs = 2 ** 31 - 1;

class NodeTask implements ScheduledTask {
  readonly #timer: NodeJS.Timeout;

  constructor(timer: NodeJS.Timeout) {
    this.#timer = timer.unref();
  }

  cancel(): void {
    clearTimeout(this.#timer);
  }
}

/** Node's timers, none of which keeps the process alive. */
export class NodeScheduler implements Scheduler {
  after(delayMs: number, task: () => void): ScheduledTask {
    return new NodeTask(setTimeout(task, Math.min(delayMs, longestDelayMs)));
  }

  every(intervalMs: number, task: () => void): ScheduledTask {
    return new NodeTask(setInterval(task, Math.min(intervalMs, longestDelayMs)));
  }
}
