import type { BuiltinHandler } from '../../../domain/gateway/configuration/gateway-configuration.js';
import type { GatewayCluster } from '../../ports/gateway/gateway-cluster.js';
import type { GatewayState } from '../../ports/gateway/gateway-state.js';
import type { Clock } from '../../ports/shared/clock.js';
import { type AdminAnswer, jsonAnswer, noWholeAnswer, textAnswer } from './admin-answer.js';
import { healthReport } from './health-report.js';
import { readinessReport } from './readiness-report.js';
import { routesReport } from './routes-report.js';
import { statsReport } from './stats-report.js';
import { statusReport } from './status-report.js';
import { upstreamsReport } from './upstreams-report.js';
import { versionReport } from './version-report.js';

/**
 * The bodies of the built-in endpoints, wherever they are mounted: on the admin address or on a route. How a balancer and
 * an operator see the gateway at a glance is answered by whichever worker was asked, from what it knows itself; figures are
 * those of all workers.
 */
export class StatusReports {
  readonly #state: GatewayState;
  readonly #whole: GatewayCluster;
  readonly #clock: Clock;

  /** @param state of the process that is asked */
  constructor(state: GatewayState, whole: GatewayCluster, clock: Clock) {
    this.#state = state;
    this.#whole = whole;
    this.#clock = clock;
  }

  async report(handler: BuiltinHandler, correlationId: string): Promise<AdminAnswer> {
    switch (handler) {
      case 'health':
        return jsonAnswer(200, healthReport(this.#state.phase()));
      case 'ready': {
        const readiness = readinessReport(this.#state);
        return jsonAnswer(readiness.ready ? 200 : 503, readiness);
      }
      case 'status':
        return jsonAnswer(200, statusReport(this.#state, this.#clock.wallMs()));
      case 'metrics': {
        const metrics = await this.#whole.metrics();
        if (metrics === null) return noWholeAnswer(correlationId);
        return textAnswer(metrics.contentType, metrics.text);
      }
      case 'upstreams':
        return jsonAnswer(200, upstreamsReport((await this.#whole.snapshot()).upstreams));
      case 'version':
        return jsonAnswer(200, versionReport(this.#state.identity));
      case 'routes':
        return jsonAnswer(200, routesReport(this.#state.routesInOrder()));
      case 'stats':
        return jsonAnswer(200, statsReport(await this.#whole.snapshot()));
    }
  }
}
