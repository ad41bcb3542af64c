import type {
  GatewayCluster,
  GatewaySnapshot,
  MetricsText,
  ReloadOutcome,
  TargetOutcome,
} from '../../../ports/gateway/gateway-cluster.js';
import type { MetricsExposition } from '../../../ports/gateway/gateway-metrics.js';
import type { GatewayState } from '../../../ports/gateway/gateway-state.js';
import type { ReloadRequests } from './gathering-topics.js';
import { snapshotOf } from './merge-snapshots.js';

/** A gateway of one process. */
export class LocalGateway implements GatewayCluster {
  readonly #state: GatewayState;
  readonly #metrics: MetricsExposition;
  readonly #reloads: ReloadRequests;

  constructor(state: GatewayState, metrics: MetricsExposition, reloads: ReloadRequests) {
    this.#state = state;
    this.#metrics = metrics;
    this.#reloads = reloads;
  }

  snapshot(): GatewaySnapshot {
    return snapshotOf(this.#state);
  }

  async metrics(): Promise<MetricsText> {
    return { contentType: this.#metrics.contentType, text: await this.#metrics.render() };
  }

  reload(): Promise<ReloadOutcome> {
    return this.#reloads.request();
  }

  async drainTarget(upstream: string, address: string, drained: boolean): Promise<TargetOutcome> {
    if (this.#state.phase() === 'replaced') return 'replaced';
    return this.#state.drainTarget(upstream, address, drained);
  }
}
