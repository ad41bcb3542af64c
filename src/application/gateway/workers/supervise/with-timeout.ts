import type { Scheduler } from '../../../ports/shared/scheduler.js';

/**
 * Resolves when the promise does, or after `timeoutMs`. Rejects when the promise rejects before that; a later rejection
 * is ignored.
 */
export const withTimeout = (promise: Promise<unknown>, timeoutMs: number, scheduler: Scheduler): Promise<void> =>
  new Promise((resolve, reject) => {
    const timer = scheduler.after(timeoutMs, resolve);
    promise.then(
      () => {
        timer.cancel();
        resolve();
      },
      (error: unknown) => {
        timer.cancel();
        reject(error);
      },
    );
  });
