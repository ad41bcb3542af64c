import {
  addCounts,
  auditRecordsDropped,
  type CountedFamily,
  supervisedCounters,
} from '../../../../domain/gateway/status/counted-family.js';
import type {
  GatewaySnapshot,
  ReloadOutcome,
  TargetOutcome,
  WorkerRestarts,
} from '../../../ports/gateway/gateway-cluster.js';
import type { PoolFigures } from '../../../ports/gateway/gateway-metrics.js';
import type {
  DrainedState,
  GatewayPhase,
  ReloadFigures,
  TargetChange,
  TargetName,
} from '../../../ports/gateway/gateway-state.js';
import type { ProcessFigures } from '../../../ports/gateway/process-figures.js';
import type { Logger } from '../../../ports/shared/logger.js';
import type { ScheduledTask, Scheduler } from '../../../ports/shared/scheduler.js';
import type { WorkerCall } from '../../../shared/worker-channel/worker-call.js';
import type { AttendedWorker } from '../../../shared/worker-channel/worker-channel.js';
import type { AgentReports } from '../../ask-agents/reports/agent-reports.js';
import type { SupervisedService } from '../supervise/supervised-service.js';
import { Coalesced } from './coalesced.js';
import { DrainedTargets } from './drained-targets.js';
import { GatheredAgentReports } from './gathered-agent-reports.js';
import {
  askSupervisor,
  askWorker,
  type DrainWish,
  reloadUnderwayMs,
  type WholeMetrics,
  workerAnswerMs,
} from './gathering-topics.js';
import { mergeSnapshots } from './merge-snapshots.js';
import { firstOf } from './merged.js';
import { WorkerCountLedger } from './worker-count-ledger.js';

const isState = (change: TargetChange): change is DrainedState => typeof change === 'object';

/**
 * What came of a wish in all workers. One may know a target that others do not, as the look-up of a name gave it: it
 * counts. It gets no requests only where that holds for all who know it.
 */
const mergeDrainChanges = (changes: readonly TargetChange[]): TargetChange => {
  const states = changes.filter(isState);
  if (states.length === 0) return changes.includes('no_target') ? 'no_target' : 'no_upstream';
  return {
    drained: states.every(({ drained }) => drained),
    drainedBy: firstOf(states.map(({ drainedBy }) => drainedBy)),
  };
};

/** What the supervisor knows by itself. */
export interface SupervisorFacts {
  phase(): GatewayPhase;
  reloads(): ReloadFigures;
  /** Buckets of rate limits that are kept for all workers; null where there are none. */
  rateLimiterKeys(): Readonly<Record<string, number>> | null;
  /** Never rejects. */
  reload(): Promise<ReloadOutcome>;
  /** Those that its own process could not write. */
  droppedAuditRecords(): number;
}

export interface GatheringParts {
  readonly facts: SupervisorFacts;
  readonly figures: Pick<ProcessFigures, 'pid' | 'memory'>;
  /** Reads what agents have reported, as in one process. */
  readonly agentReports: AgentReports;
  readonly scheduler: Scheduler;
  readonly logger: Logger;
  /** Drained before this program took over. */
  readonly drainedTargets?: readonly TargetName[];
}

/** The process with a number now, and how many there were before it. */
interface NumberedWorker {
  current: AttendedWorker | null;
  restarts: number;
}

/** How often the counts of all workers are asked for, in milliseconds: a worker that dies takes no more with it. */
const countingMs = 5_000;

const counter = (name: string, series: readonly (readonly [Record<string, string>, number])[]): CountedFamily => ({
  name,
  series: series.map(([labels, value]) => ({ labels, value, counts: [] })),
});

/**
 * The workers' figures as those of one gateway. Whoever asks, the workers are asked once at a time; one that gives no
 * answer in time is left out.
 */
export class GatheredWorkers implements SupervisedService {
  readonly #parts: GatheringParts;
  readonly #workers = new Map<number, NumberedWorker>();
  readonly #ledger = new WorkerCountLedger();
  readonly #agentReports: GatheredAgentReports;
  readonly #drained: DrainedTargets;
  readonly #reloadOutcomes = { success: 0, failure: 0 };
  readonly #snapshots = new Coalesced(() => this.#gatherSnapshot());
  readonly #pools = new Coalesced(() => this.#gatherCounts());
  #counting: ScheduledTask | null = null;

  constructor(parts: GatheringParts) {
    this.#parts = parts;
    this.#agentReports = new GatheredAgentReports(parts.agentReports);
    this.#drained = new DrainedTargets(parts.drainedTargets);
  }

  /** Begins to ask for the counts from time to time. */
  start(): void {
    const { scheduler, logger } = this.#parts;
    this.#counting ??= scheduler.every(countingMs, () => {
      this.#pools
        .get()
        .catch((error: unknown) => logger.warn('the figures of the workers cannot be read', { error: String(error) }));
    });
  }

  stop(): void {
    this.#counting?.cancel();
    this.#counting = null;
  }

  /** What the workers tell of follows the configuration by itself. */
  adopt(): void {}

  /** Answers what the worker asks about the whole gateway. */
  attend(worker: AttendedWorker): void {
    const { channel, number } = worker;
    const known = this.#workers.get(number);
    this.#workers.set(number, { current: worker, restarts: known === undefined ? 0 : known.restarts + 1 });
    channel.answer(askSupervisor.snapshot, () => this.snapshot());
    channel.answer(askSupervisor.metrics, () => this.metrics());
    channel.answer(askSupervisor.reload, () => this.#reload());
    channel.answer(askSupervisor.drain, (wish) => this.drainTarget(wish));
    channel.answer(askSupervisor.drained, () => this.drainedTargets());
  }

  /** A reload may wait for another one, and has to be answered before nobody listens any more. */
  #reload(): Promise<ReloadOutcome> {
    const { facts, scheduler } = this.#parts;
    return new Promise((resolve) => {
      const deadline = scheduler.after(reloadUnderwayMs, () => resolve({ kind: 'under_way' }));
      void facts.reload().then((outcome) => {
        deadline.cancel();
        resolve(outcome);
      });
    });
  }

  /** What it has counted stays. */
  left(worker: AttendedWorker): void {
    const numbered = this.#workers.get(worker.number);
    if (numbered?.current === worker) numbered.current = null;
    this.#ledger.left(worker.channel);
    this.#agentReports.left(worker.channel);
  }

  /** A reload has come to its end. */
  reloaded(outcome: 'success' | 'failure'): void {
    this.#reloadOutcomes[outcome] += 1;
  }

  /** What a worker that comes later has to drain, and a program that takes over. */
  drainedTargets(): readonly TargetName[] {
    return this.#drained.list();
  }

  snapshot(): Promise<GatewaySnapshot> {
    return this.#snapshots.get();
  }

  async metrics(): Promise<WholeMetrics> {
    const [snapshot, pools] = await Promise.all([this.snapshot(), this.#pools.get()]);
    return { snapshot, pools, counts: this.#counts(), agentFamilies: this.#agentReports.families() };
  }

  async drainTarget(wish: DrainWish): Promise<TargetOutcome> {
    const { facts } = this.#parts;
    if (facts.phase() === 'replaced') return 'replaced';
    // Noted first: a worker that joins meanwhile asks for the list, or is asked itself.
    if (wish.drained) this.#drained.note(wish);
    const { answers } = await this.#askAll(askWorker.drain, wish);
    // What was noted before is the successor's too; what was not, nobody would know of.
    if (!wish.drained && facts.phase() === 'replaced') return 'replaced';
    if (answers.length === 0) return 'no_answer';
    const change = mergeDrainChanges(answers);
    const isKnown = typeof change === 'object';
    if (isKnown !== wish.drained) this.#drained.note({ ...wish, drained: false });
    return change;
  }

  async #gatherSnapshot(): Promise<GatewaySnapshot> {
    const { facts, figures } = this.#parts;
    const { answers, missing } = await this.#askAll(askWorker.snapshot, null);
    const own: GatewaySnapshot = {
      phase: facts.phase(),
      reloads: facts.reloads(),
      connections: [],
      requestsInFlight: 0,
      requestsInFlightByRoute: [],
      requestsQueued: 0,
      agents: [],
      upstreams: [],
      workers: [],
      routeBreakers: [],
      rateLimiterKeys: {},
      isRateLimitStoreUp: true,
      memoryLimit: null,
      supervisor: { pid: figures.pid, memory: figures.memory() },
      restarts: this.#restarts(),
      missingWorkers: missing,
      isPartial: false,
    };
    const whole = mergeSnapshots([own, ...answers]);
    return { ...whole, rateLimiterKeys: facts.rateLimiterKeys() ?? whole.rateLimiterKeys };
  }

  /** Gives the pools of all workers; what they have counted is noted as it comes. */
  async #gatherCounts(): Promise<readonly PoolFigures[]> {
    const { answers } = await this.#askAll(askWorker.counts, null, ({ channel }, answer) => {
      this.#ledger.note(channel, answer.counts);
      this.#agentReports.take(channel, answer);
    });
    return answers.flatMap(({ pools }) => pools);
  }

  #counts(): readonly CountedFamily[] {
    const own = [
      counter(
        supervisedCounters.reloads,
        Object.entries(this.#reloadOutcomes).map(([result, count]) => [{ result }, count]),
      ),
      counter(
        supervisedCounters.restarts,
        this.#restarts().map(({ worker, count }) => [{ worker: String(worker) }, count]),
      ),
      counter(auditRecordsDropped, [[{}, this.#parts.facts.droppedAuditRecords()]]),
      this.#agentReports.dropped(),
    ];
    return addCounts([this.#ledger.total(), own]);
  }

  #restarts(): readonly WorkerRestarts[] {
    return Array.from(this.#workers, ([worker, { restarts: count }]) => ({ worker, count }));
  }

  /** `taken`: told of each answer when it comes, of workers that are there then. */
  async #askAll<Question, Answer>(
    topic: WorkerCall<Question, Answer>,
    question: Question,
    taken: (worker: AttendedWorker, answer: Answer) => void = () => undefined,
  ): Promise<{ readonly answers: readonly Answer[]; readonly missing: readonly number[] }> {
    const asked = await Promise.all(
      Array.from(this.#workers, async ([number, numbered]) => {
        const worker = numbered.current;
        const answered = await worker?.channel.ask(topic, question, workerAnswerMs);
        if (worker === null || !answered?.ok) return { number, answer: null };
        if (numbered.current === worker) taken(worker, answered.value);
        return { number, answer: { value: answered.value } };
      }),
    );
    return {
      answers: asked.flatMap(({ answer }) => (answer === null ? [] : [answer.value])),
      missing: asked.flatMap(({ number, answer }) => (answer === null ? [number] : [])),
    };
  }
}
