import type { LimitViolation } from '../../../domain/gateway/limits/limit-violation.js';
import { gatewayProblems, problemBody } from '../../../domain/http/gateway-problem.js';
import type { GatewayMetrics } from '../../ports/gateway/gateway-metrics.js';
import type { ConnectionAdmission } from '../../ports/gateway/http-engine.js';
import type { Random } from '../../ports/shared/random.js';
import { problemHeaders } from '../proxy-request/answer-problem.js';
import type { RefusalLog } from './flood-log.js';

/** Counts and logs refused connections, and makes their responses. */
export class ConnectionRefusalCounter {
  readonly #random: Random;
  readonly #metrics: GatewayMetrics;
  readonly #log: RefusalLog;

  constructor(random: Random, metrics: GatewayMetrics, log: RefusalLog) {
    this.#random = random;
    this.#metrics = metrics;
    this.#log = log;
  }

  refuse(violation: LimitViolation, clientIp: string): ConnectionAdmission {
    const { code, name, limit } = violation;
    if (code === 'connection_limit_reached') this.#metrics.connectionLimitReached(name);
    else this.#metrics.requestLimitReached(name);
    const id = this.#random.uuid();
    this.#log.refused(violation, clientIp, id);
    const answer = {
      status: gatewayProblems[code].status,
      headers: problemHeaders(code, id),
      body: problemBody(code, `${name} is ${limit}.`, id),
    };
    return { kind: 'refused', answer };
  }
}
