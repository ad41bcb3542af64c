import type { LimitViolation } from '../../../domain/gateway/limits/limit-violation.js';
import { gatewayProblems } from '../../../domain/http/gateway-problem.js';
import type { LogFields, Logger } from '../../ports/shared/logger.js';
import type { Scheduler } from '../../ports/shared/scheduler.js';

/** Logs refused connections, a few per second for each limit. */
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
/** The most lines of one kind per window. */
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
   * Whether another event of a kind passes. `kind` must be a name that the gateway chooses, not a client. `onWindowEnd`
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

/** A log line that clients can cause any number of times. */
export interface FloodLogEntry {
  readonly level: 'error' | 'warn' | 'info' | 'debug';
  readonly message: string;
  /** The fields of all lines of its kind, including the line about omitted ones. */
  readonly shared: LogFields;
  /** The fields of this line only. */
  readonly own: LogFields;
}

/**
 * Writes a few lines of each kind per second, then the number of omitted ones, so that clients cannot flood the log.
 */
export class FloodLog {
  readonly #logger: Logger;
  readonly #windows: FloodWindows;

  constructor(logger: Logger, scheduler: Scheduler) {
    this.#logger = logger;
    this.#windows = new FloodWindows(scheduler);
  }

  /** `kind` must be a name that the gateway chooses, not a client. */
  write(kind: string, { level, message, shared, own }: FloodLogEntry): void {
    const isWritten = this.#windows.take(kind, (omitted) =>
      this.#logger[level](`${message}: lines omitted`, { ...shared, left_out: omitted }),
    );
    if (isWritten) this.#logger[level](message, { ...shared, ...own });
  }
}
