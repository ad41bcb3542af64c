import type { ScheduledTask, Scheduler } from '../../../application/ports/shared/scheduler.js';

/** Maximum delay of a Node timer, in milliseconds; a longer one would fire at once. */
const maxDelayMs = 2 ** 31 - 1;

class NodeTask implements ScheduledTask {
  readonly #timer: NodeJS.Timeout;

  constructor(timer: NodeJS.Timeout) {
    this.#timer = timer.unref();
  }

  cancel(): void {
    clearTimeout(this.#timer);
  }
}

/** Node's timers; none keeps the process alive. */
export class NodeScheduler implements Scheduler {
  after(delayMs: number, task: () => void): ScheduledTask {
    return new NodeTask(setTimeout(task, Math.min(delayMs, maxDelayMs)));
  }

  every(intervalMs: number, task: () => void): ScheduledTask {
    return new NodeTask(setInterval(task, Math.min(intervalMs, maxDelayMs)));
  }
}
