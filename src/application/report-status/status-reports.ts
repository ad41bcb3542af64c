import type { BuiltinHandler } from '../../domain/configuration/gateway-configuration.js';
import type { Clock } from '../ports/clock.js';
import type { MetricsExposition } from '../ports/gateway-metrics.js';
import type { GatewayState } from '../ports/gateway-state.js';
import { type AdminAnswer, jsonAnswer, textAnswer } from './admin-answer.js';
import { healthReport } from './health-report.js';
import { readinessReport } from './readiness-report.js';
import { routesReport } from './routes-report.js';
import { statsReport } from './stats-report.js';
import { statusReport } from './status-report.js';
import { upstreamsReport } from './upstreams-report.js';
import { versionReport } from './version-report.js';

/** The bodies of the built-in endpoints, wherever they are mounted: on the admin address or on a route. */
export class StatusReports {
  readonly #state: GatewayState;
  readonly #metrics: MetricsExposition;
  readonly #clock: Clock;

  constructor(state: GatewayState, metrics: MetricsExposition, clock: Clock) {
    this.#state = state;
    this.#metrics = metrics;
    this.#clock = clock;
  }

  async report(handler: BuiltinHandler): Promise<AdminAnswer> {
    switch (handler) {
      case 'health':
        return jsonAnswer(200, healthReport(this.#state.phase()));
      case 'ready': {
        const readiness = readinessReport(this.#state);
        return jsonAnswer(readiness.ready ? 200 : 503, readiness);
      }
      case 'status':
        return jsonAnswer(200, statusReport(this.#state, this.#clock.wallMs()));
      case 'metrics':
        return textAnswer(this.#metrics.contentType, await this.#metrics.render());
      case 'upstreams':
        return jsonAnswer(200, upstreamsReport(this.#state.upstreams()));
      case 'version':
        return jsonAnswer(200, versionReport(this.#state.identity));
      case 'routes':
        return jsonAnswer(200, routesReport(this.#state.routesInOrder()));
      case 'stats':
        return jsonAnswer(200, statsReport(this.#state));
    }
  }
}
