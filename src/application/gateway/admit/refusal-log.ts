import type { LimitViolation } from '../../../domain/gateway/limits/limit-violation.js';
import { gatewayProblems } from '../../../domain/http/gateway-problem.js';
import type { FloodLog } from './flood-log.js';

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
