export interface ScheduledTask {
  cancel(): void;
}

/** Runs tasks later. A waiting task never keeps the process alive. */
export interface Scheduler {
  after(delayMs: number, task: () => void): ScheduledTask;
  every(intervalMs: number, task: () => void): ScheduledTask;
}
