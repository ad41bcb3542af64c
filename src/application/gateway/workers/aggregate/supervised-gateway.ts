import type {
  GatewayCluster,
  GatewaySnapshot,
  MetricsText,
  ReloadOutcome,
  TargetOutcome,
} from '../../../ports/gateway/gateway-cluster.js';
import type { GatewayGauges, MetricsExposition } from '../../../ports/gateway/gateway-metrics.js';
import type { GatewayState } from '../../../ports/gateway/gateway-state.js';
import type { WorkerChannel } from '../../../shared/worker-channel/worker-channel.js';
import { Coalesced } from './coalesced.js';
import { askSupervisor, type ClusterMetrics, reloadAnswerMs, supervisorAnswerMs } from './gathering-topics.js';
import { snapshotOf } from './merge-snapshots.js';
import { sumOf } from './merged.js';

/** The gauges of the whole gateway at the time of the question. */
const clusterGauges = ({ snapshot, pools, agentFamilies }: ClusterMetrics): GatewayGauges => ({
  openConnections: () => sumOf(snapshot.connections, ({ open }) => open),
  requestsInFlight: () => snapshot.requestsInFlight,
  pools: () => pools,
  memoryBytes: () =>
    sumOf(snapshot.workers, ({ memory }) => memory.residentBytes) + (snapshot.supervisor?.memory.residentBytes ?? 0),
  workers: () => snapshot.workers,
  missingWorkers: () => snapshot.missingWorkers,
  requestsQueued: () => snapshot.requestsQueued,
  upstreams: () => snapshot.upstreams,
  routeBreakers: () => snapshot.routeBreakers,
  rateLimiterKeys: () => snapshot.rateLimiterKeys,
  isRateLimitStoreUp: () => snapshot.isRateLimitStoreUp,
  certificates: () => snapshot.certificates,
  memoryLimit: () => snapshot.memoryLimit,
  agents: () => snapshot.agents,
  agentFamilies: () => agentFamilies,
});

/** The whole gateway, from the view of one worker. Concurrent requests to the worker share one question. */
export class SupervisedGateway implements GatewayCluster {
  readonly #supervisor: WorkerChannel;
  readonly #metrics: MetricsExposition;
  readonly #snapshots: Coalesced<GatewaySnapshot>;
  readonly #texts: Coalesced<MetricsText | null>;
  readonly #reloads: Coalesced<ReloadOutcome>;

  /** @param state the state of this worker, which is used if the supervisor does not answer */
  constructor(supervisor: WorkerChannel, state: GatewayState, metrics: MetricsExposition) {
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
    const text = await this.#metrics.expose({ counts, gauges: clusterGauges(answered.value) });
    return { contentType: this.#metrics.contentType, text };
  }
}
