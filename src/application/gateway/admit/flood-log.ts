import type { LogFields, Logger } from '../../ports/shared/logger.js';
import type { Scheduler } from '../../ports/shared/scheduler.js';
import { FloodWindows } from './flood-windows.js';

/** A line that clients can cause as often as they like. */
export interface FloodLine {
  readonly level: 'error' | 'warn' | 'info' | 'debug';
  readonly message: string;
  /** What all lines of its kind have, the one about those that were left out among them. */
  readonly shared: LogFields;
  /** What this one has besides. */
  readonly own: LogFields;
}

/** Writes a few lines of each kind in a second, then how many were left out: no flood of clients becomes one of lines. */
export class FloodLog {
  readonly #logger: Logger;
  readonly #windows: FloodWindows;

  constructor(logger: Logger, scheduler: Scheduler) {
    this.#logger = logger;
    this.#windows = new FloodWindows(scheduler);
  }

  /** `kind`: a name of the gateway's own, nothing that a client makes up. */
  write(kind: string, { level, message, shared, own }: FloodLine): void {
    const isWritten = this.#windows.take(kind, (leftOut) =>
      this.#logger[level](`${message}: lines were left out`, { ...shared, left_out: leftOut }),
    );
    if (isWritten) this.#logger[level](message, { ...shared, ...own });
  }
}
