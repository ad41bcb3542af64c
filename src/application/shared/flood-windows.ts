import type { Scheduler } from '../ports/shared/scheduler.js';

const windowMs = 1_000;
/** Maximum events of a kind per window. */
const maxPerWindow = 5;

interface Window {
  passed: number;
  omitted: number;
}

/** Passes a few events of each kind per second and counts the others, so that clients cannot flood the log. */
export class FloodWindows {
  readonly #scheduler: Scheduler;
  /** By kind. */
  readonly #windows = new Map<string, Window>();

  constructor(scheduler: Scheduler) {
    this.#scheduler = scheduler;
  }

  /**
   * Whether another event of a kind passes. `kind` must be a name that the program chooses, not a client. `onWindowEnd`
   * of the first event in a window is called at the end of the window with the number of omitted events, if any.
   */
  take(kind: string, onWindowEnd: (omitted: number) => void): boolean {
    const window = this.#windows.get(kind) ?? this.#open(kind, onWindowEnd);
    if (window.passed >= maxPerWindow) {
      window.omitted += 1;
      return false;
    }
    window.passed += 1;
    return true;
  }

  #open(kind: string, onWindowEnd: (omitted: number) => void): Window {
    const window = { passed: 0, omitted: 0 };
    this.#windows.set(kind, window);
    this.#scheduler.after(windowMs, () => {
      this.#windows.delete(kind);
      if (window.omitted > 0) onWindowEnd(window.omitted);
    });
    return window;
  }
}
