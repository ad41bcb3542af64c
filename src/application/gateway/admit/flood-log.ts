import type { LimitViolation } from '../../../domain/gateway/limits/limit-violation.js';
import { gatewayProblems } from '../../../domain/http/gateway-problem.js';
import type { LogFields, Logger } from '../../ports/shared/logger.js';
import type { Scheduler } from '../../ports/shared/scheduler.js';

/** Writes down refused connections, a few of each limit in a second: there are as many kinds as there are limits. */
export class RefusalLog {
  readonly #log: FloodLog;

  constructor(log: FloodLog) {
    this.#log = log;
  }

  refused({ code, name, limit, actual }: LimitViolation, clientIp: string, traceId: string): void {
    this.#log.write(name, {
      level: 'warn',
      message: gatewayProblems[code].title,
      shared: { error_type: code, limit, limit_name: name },
      own: { actual, client_ip: clientIp, trace_id: traceId },
    });
  }
}

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
   * Whether one more of the kind is let through. `kind`: a name of the gateway's own, nothing that a client makes up.
   * `ended`: of the first one of a window; called at its end with how many were left out, where some were.
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

/** A line that clients can cause as often as they like. */
export interface FloodLine {
  readonly level: 'error' | 'warn' | 'info' | 'debug';
  readonly message: string;
  /** What all lines of its kind have, the one about those that were left out among them. */
  readonly shared: LogFields;
  /** What this one has besides. */
  readonly own: LogFields;
}

/**
 * Writes a few lines of each kind in a second, then how many were left out: no flood of clients becomes one of lines.
 */
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
