import type { Scheduler } from '../../ports/shared/scheduler.js';

const windowMs = 1_000;
/** Of one kind in a window; whoever reads of them learns no more from the next ones. */
const mostPerWindow = 5;

interface Window {
  taken: number;
  leftOut: number;
}

/** Lets a few of each kind through in a second, and counts the others: no flood of clients becomes one of lines. */
export class FloodWindows {
  readonly #scheduler: Scheduler;
  /** By kind. */
  readonly #windows = new Map<string, Window>();

  constructor(scheduler: Scheduler) {
    this.#scheduler = scheduler;
  }

  /**
   * Whether one more of the kind is let through. `kind`: a name of the gateway's own, nothing that a client makes up. `ended`: of the first one of a
   * window; called at its end with how many were left out, where some were.
   */
  take(kind: string, ended: (leftOut: number) => void): boolean {
    const window = this.#windows.get(kind) ?? this.#open(kind, ended);
    if (window.taken >= mostPerWindow) {
      window.leftOut += 1;
      return false;
    }
    window.taken += 1;
    return true;
  }

  #open(kind: string, ended: (leftOut: number) => void): Window {
    const window = { taken: 0, leftOut: 0 };
    this.#windows.set(kind, window);
    this.#scheduler.after(windowMs, () => {
      this.#windows.delete(kind);
      if (window.leftOut > 0) ended(window.leftOut);
    });
    return window;
  }
}
