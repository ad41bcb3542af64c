import type { MetricsExposition } from '../../../ports/gateway/gateway-metrics.js';
import type { GatewayState } from '../../../ports/gateway/gateway-state.js';
import type {
  GatewaySnapshot,
  MetricsText,
  ReloadOutcome,
  TargetOutcome,
  WholeGateway,
} from '../../../ports/gateway/whole-gateway.js';
import type { Correspondence } from '../../../shared/worker-channel/correspondence.js';
import { Coalesced } from './coalesced.js';
import { askSupervisor, reloadAnswerMs, supervisorAnswerMs } from './gathering-topics.js';
import { snapshotOf } from './snapshot-of.js';
import { wholeGauges } from './whole-gauges.js';

/** The whole gateway as one of its workers asks for it. However many ask the worker, it asks once at a time. */
export class SupervisedGateway implements WholeGateway {
  readonly #supervisor: Correspondence;
  readonly #metrics: MetricsExposition;
  readonly #snapshots: Coalesced<GatewaySnapshot>;
  readonly #texts: Coalesced<MetricsText | null>;
  readonly #reloads: Coalesced<ReloadOutcome>;

  /** @param state of this worker, which is all that can be told where the supervisor gives no answer */
  constructor(supervisor: Correspondence, state: GatewayState, metrics: MetricsExposition) {
    this.#supervisor = supervisor;
    this.#metrics = metrics;
    this.#snapshots = new Coalesced(async () => {
      const answered = await supervisor.ask(askSupervisor.snapshot, null, supervisorAnswerMs);
      return answered.ok ? answered.value : { ...snapshotOf(state), isPartial: true };
    });
    this.#texts = new Coalesced(() => this.#expose());
    this.#reloads = new Coalesced(async () => {
      const answered = await supervisor.ask(askSupervisor.reload, null, reloadAnswerMs);
      return answered.ok ? answered.value : { kind: 'no_answer' };
    });
  }

  snapshot(): Promise<GatewaySnapshot> {
    return this.#snapshots.get();
  }

  metrics(): Promise<MetricsText | null> {
    return this.#texts.get();
  }

  reload(): Promise<ReloadOutcome> {
    return this.#reloads.get();
  }

  async drainTarget(upstream: string, address: string, drained: boolean): Promise<TargetOutcome> {
    const answered = await this.#supervisor.ask(
      askSupervisor.drain,
      { upstream, address, drained },
      supervisorAnswerMs,
    );
    return answered.ok ? answered.value : 'no_answer';
  }

  async #expose(): Promise<MetricsText | null> {
    const answered = await this.#supervisor.ask(askSupervisor.metrics, null, supervisorAnswerMs);
    if (!answered.ok) return null;
    const { counts } = answered.value;
    const text = await this.#metrics.expose({ counts, gauges: wholeGauges(answered.value) });
    return { contentType: this.#metrics.contentType, text };
  }
}
