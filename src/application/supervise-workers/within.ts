import type { Scheduler } from '../ports/scheduler.js';

/** Waits for something, but no longer than that. */
export const within = (what: Promise<unknown>, deadlineMs: number, scheduler: Scheduler): Promise<void> =>
  new Promise((resolve) => {
    const deadline = scheduler.after(deadlineMs, resolve);
    void what.then(() => {
      deadline.cancel();
      resolve();
    });
  });
