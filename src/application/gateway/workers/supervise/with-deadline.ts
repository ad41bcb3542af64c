import type { Scheduler } from '../../../ports/shared/scheduler.js';

/**
 * Resolves when `what` does, or at the deadline. Rejects when `what` rejects before the deadline; a later rejection
 * is ignored.
 */
export const withDeadline = (what: Promise<unknown>, deadlineMs: number, scheduler: Scheduler): Promise<void> =>
  new Promise((resolve, reject) => {
    const deadline = scheduler.after(deadlineMs, resolve);
    what.then(
      () => {
        deadline.cancel();
        resolve();
      },
      (error: unknown) => {
        deadline.cancel();
        reject(error);
      },
    );
  });
