import type { LogFields, Logger } from '../ports/logger.js';
import type { Scheduler } from '../ports/scheduler.js';

const windowMs = 1_000;
/** Lines of one kind in a window; whoever reads the log learns no more from the next ones. */
const linesPerWindow = 5;

/** A line that clients can cause as often as they like. */
export interface FloodLine {
  readonly level: 'error' | 'warn' | 'info' | 'debug';
  readonly message: string;
  /** What all lines of its kind have, the one about those that were left out among them. */
  readonly shared: LogFields;
  /** What this one has besides. */
  readonly own: LogFields;
}

interface Window {
  written: number;
  leftOut: number;
}

/** Writes a few lines of each kind in a second, then how many were left out: no flood of clients becomes one of lines. */
export class FloodLog {
  readonly #logger: Logger;
  readonly #scheduler: Scheduler;
  /** By kind. */
  readonly #windows = new Map<string, Window>();

  constructor(logger: Logger, scheduler: Scheduler) {
    this.#logger = logger;
    this.#scheduler = scheduler;
  }

  /** `kind`: a name of the gateway's own, nothing that a client makes up. */
  write(kind: string, line: FloodLine): void {
    const window = this.#window(kind, line);
    if (window.written >= linesPerWindow) {
      window.leftOut += 1;
      return;
    }
    window.written += 1;
    this.#logger[line.level](line.message, { ...line.shared, ...line.own });
  }

  #window(kind: string, { level, message, shared }: FloodLine): Window {
    const present = this.#windows.get(kind);
    if (present !== undefined) return present;
    const window = { written: 0, leftOut: 0 };
    this.#windows.set(kind, window);
    this.#scheduler.after(windowMs, () => {
      this.#windows.delete(kind);
      if (window.leftOut === 0) return;
      this.#logger[level](`${message}: lines were left out`, { ...shared, left_out: window.leftOut });
    });
    return window;
  }
}
