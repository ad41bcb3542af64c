import { gatewayProblems } from '../../domain/http/gateway-problem.js';
import type { LimitViolation } from '../../domain/limits/limit-violation.js';
import type { Logger } from '../ports/logger.js';
import type { Scheduler } from '../ports/scheduler.js';

const windowMs = 1_000;
/** Lines of one limit in a window; whoever reads the log learns no more from the next ones. */
const linesPerWindow = 5;

interface Window {
  written: number;
  leftOut: number;
}

/**
 * Writes down refused connections: a few of each limit in a second, then how many were left out. A flood of connections
 * would be one of log lines else.
 */
export class RefusalLog {
  readonly #logger: Logger;
  readonly #scheduler: Scheduler;
  /** By the name of the limit: there are as many as there are limits. */
  readonly #windows = new Map<string, Window>();

  constructor(logger: Logger, scheduler: Scheduler) {
    this.#logger = logger;
    this.#scheduler = scheduler;
  }

  refused(violation: LimitViolation, clientIp: string, traceId: string): void {
    const window = this.#window(violation);
    if (window.written >= linesPerWindow) {
      window.leftOut += 1;
      return;
    }
    window.written += 1;
    this.#logger.warn(gatewayProblems[violation.code].title, {
      error_type: violation.code,
      limit: violation.limit,
      limit_name: violation.name,
      actual: violation.actual,
      client_ip: clientIp,
      trace_id: traceId,
    });
  }

  #window(violation: LimitViolation): Window {
    const present = this.#windows.get(violation.name);
    if (present !== undefined) return present;
    const window = { written: 0, leftOut: 0 };
    this.#windows.set(violation.name, window);
    this.#scheduler.after(windowMs, () => this.#end(violation, window));
    return window;
  }

  #end({ code, name, limit }: LimitViolation, { leftOut }: Window): void {
    this.#windows.delete(name);
    if (leftOut === 0) return;
    const fields = { error_type: code, limit, limit_name: name, left_out: leftOut };
    this.#logger.warn(`${gatewayProblems[code].title}: lines were left out`, fields);
  }
}
