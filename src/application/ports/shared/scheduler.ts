export interface ScheduledTask {
  cancel(): void;
}

/** Runs things later. A task that is waiting never keeps the process alive. */
export interface Scheduler {
  after(delayMs: number, task: () => void): ScheduledTask;
  every(intervalMs: number, task: () => void): ScheduledTask;
}
