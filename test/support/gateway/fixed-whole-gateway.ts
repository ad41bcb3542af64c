import { snapshotOf } from '../../../src/application/gateway/workers/aggregate/merge-snapshots.js';
import type {
  GatewayCluster,
  GatewaySnapshot,
  MetricsText,
  ReloadOutcome,
  TargetOutcome,
} from '../../../src/application/ports/gateway/gateway-cluster.js';
import type { GatewayState } from '../../../src/application/ports/gateway/gateway-state.js';

/** A whole gateway that stands still. */
export class FixedWholeGateway implements GatewayCluster {
  readonly #state: GatewayState;
  /** What is different from the state alone. */
  changes: Partial<GatewaySnapshot> = {};
  metricsText: MetricsText | null = { contentType: 'text/plain; version=0.0.4', text: 'up 1\n' };
  reloadOutcome: ReloadOutcome = { kind: 'reloaded', count: 1 };
  reloadsAsked = 0;
  answersDrain = true;
  isReplaced = false;

  constructor(state: GatewayState) {
    this.#state = state;
  }

  snapshot(): GatewaySnapshot {
    return { ...snapshotOf(this.#state), ...this.changes };
  }

  async metrics(): Promise<MetricsText | null> {
    return this.metricsText;
  }

  async reload(): Promise<ReloadOutcome> {
    this.reloadsAsked += 1;
    return this.reloadOutcome;
  }

  async drainTarget(upstream: string, address: string, drained: boolean): Promise<TargetOutcome> {
    if (this.isReplaced) return 'replaced';
    return this.answersDrain ? this.#state.drainTarget(upstream, address, drained) : 'no_answer';
  }
}
