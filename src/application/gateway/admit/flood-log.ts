import type { LimitViolation } from '../../../domain/gateway/limits/limit-violation.js';
import { gatewayProblems } from '../../../domain/http/gateway-problem.js';
import type { LogFields, Logger } from '../../ports/shared/logger.js';
import type { Scheduler } from '../../ports/shared/scheduler.js';
import { FloodWindows } from '../../shared/flood-windows.js';

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
