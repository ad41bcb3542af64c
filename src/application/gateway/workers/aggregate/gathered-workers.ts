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
  type ClusterMetrics,
  type DrainCommand,
  reloadUnderwayMs,
  workerAnswerMs,
} from './gathering-topics.js';
import { mergeSnapshots } from './merge-snapshots.js';
import { firstOf } from './merged.js';
import { WorkerCountLedger } from './worker-count-ledger.js';

const isState = (change: TargetChange): change is DrainedState => typeof change === 'object';

/**
 * The combined result of a drain command in all workers. Lookups may give workers different targets, so a target counts
 * if any worker knows it. It is drained if it is drained in all workers that know it.
 */
const mergeDrainChanges = (changes: readonly TargetChange[]): TargetChange => {
  const states = changes.filter(isState);
  if (states.length === 0) return changes.includes('no_target') ? 'no_target' : 'no_upstream';
  return {
    drained: states.every(({ drained }) => drained),
    drainedBy: firstOf(states.map(({ drainedBy }) => drainedBy)),
  };
};

/** The state that the supervisor has without its workers. */
export interface SupervisorState {
  phase(): GatewayPhase;
  reloads(): ReloadFigures;
  /** Number of shared rate-limit buckets, by kind of limit; null: none are shared. */
  rateLimiterKeys(): Readonly<Record<string, number>> | null;
  /** Never rejects. */
  reload(): Promise<ReloadOutcome>;
  /** Number of records that the supervisor itself has lost. */
  droppedAuditRecords(): number;
}

export interface GatheringEnvironment {
  readonly supervisor: SupervisorState;
  readonly figures: Pick<ProcessFigures, 'pid' | 'memory'>;
  /** Processes the reports of agents, as in one process. */
  readonly agentReports: AgentReports;
  readonly scheduler: Scheduler;
  readonly logger: Logger;
  /** Targets that were drained before this program took over. */
  readonly drainedTargets?: readonly TargetName[];
}

/** The current process of a worker number, and how often it was restarted. */
interface NumberedWorker {
  current: AttendedWorker | null;
  restarts: number;
}

/** Interval at which all workers are asked for their counts; milliseconds. A worker that dies loses at most these. */
const countingMs = 5_000;

const counter = (name: string, series: readonly (readonly [Record<string, string>, number])[]): CountedFamily => ({
  name,
  series: series.map(([labels, value]) => ({ labels, value, counts: [] })),
});

/**
 * Combines the figures of all workers. Concurrent questions share one round of answers. A worker that does not answer
 * in time is omitted.
 */
export class GatheredWorkers implements SupervisedService {
  readonly #environment: GatheringEnvironment;
  readonly #workers = new Map<number, NumberedWorker>();
  readonly #ledger = new WorkerCountLedger();
  readonly #agentReports: GatheredAgentReports;
  readonly #drained: DrainedTargets;
  readonly #reloadOutcomes = { success: 0, failure: 0 };
  readonly #snapshots = new Coalesced(() => this.#gatherSnapshot());
  readonly #pools = new Coalesced(() => this.#gatherCounts());
  #counting: ScheduledTask | null = null;

  constructor(environment: GatheringEnvironment) {
    this.#environment = environment;
    this.#agentReports = new GatheredAgentReports(environment.agentReports);
    this.#drained = new DrainedTargets(environment.drainedTargets);
  }

  /** Begins to ask for the counts periodically. */
  start(): void {
    const { scheduler, logger } = this.#environment;
    this.#counting ??= scheduler.every(countingMs, () => {
      this.#pools
        .get()
        .catch((error: unknown) =>
          logger.warn('the supervisor cannot read the figures of the workers', { error: String(error) }),
        );
    });
  }

  stop(): void {
    this.#counting?.cancel();
    this.#counting = null;
  }

  /** No-op: the workers' answers follow the configuration. */
  adopt(): void {}

  /** Answers the worker's questions about the whole gateway. */
  attend(worker: AttendedWorker): void {
    const { channel, number } = worker;
    const known = this.#workers.get(number);
    this.#workers.set(number, { current: worker, restarts: known === undefined ? 0 : known.restarts + 1 });
    channel.answer(askSupervisor.snapshot, () => this.snapshot());
    channel.answer(askSupervisor.metrics, () => this.metrics());
    channel.answer(askSupervisor.reload, () => this.#reload());
    channel.answer(askSupervisor.drain, (command) => this.drainTarget(command));
    channel.answer(askSupervisor.drained, () => this.drainedTargets());
  }

  /** Answers `under_way` before the caller's timeout, because a reload may wait for another one. */
  #reload(): Promise<ReloadOutcome> {
    const { supervisor, scheduler } = this.#environment;
    return new Promise((resolve) => {
      const deadline = scheduler.after(reloadUnderwayMs, () => resolve({ kind: 'under_way' }));
      void supervisor.reload().then((outcome) => {
        deadline.cancel();
        resolve(outcome);
      });
    });
  }

  /** Keeps the counts of a worker that has ended. */
  left(worker: AttendedWorker): void {
    const numbered = this.#workers.get(worker.number);
    if (numbered?.current === worker) numbered.current = null;
    this.#ledger.left(worker.channel);
    this.#agentReports.left(worker.channel);
  }

  /** Counts the end of a reload. */
  reloaded(outcome: 'success' | 'failure'): void {
    this.#reloadOutcomes[outcome] += 1;
  }

  /** The targets that a later worker or a successor must drain. */
  drainedTargets(): readonly TargetName[] {
    return this.#drained.list();
  }

  snapshot(): Promise<GatewaySnapshot> {
    return this.#snapshots.get();
  }

  async metrics(): Promise<ClusterMetrics> {
    const [snapshot, pools] = await Promise.all([this.snapshot(), this.#pools.get()]);
    return { snapshot, pools, counts: this.#counts(), agentFamilies: this.#agentReports.families() };
  }

  async drainTarget(command: DrainCommand): Promise<TargetOutcome> {
    const { supervisor } = this.#environment;
    if (supervisor.phase() === 'replaced') return 'replaced';
    // Noted first, so that a worker that joins meanwhile gets it from the list or as a question.
    if (command.drained) this.#drained.note(command);
    const { answers } = await this.#askAll(askWorker.drain, command);
    // The successor knows drains that were noted before, but no undrain from now on.
    if (!command.drained && supervisor.phase() === 'replaced') return 'replaced';
    if (answers.length === 0) return 'no_answer';
    const change = mergeDrainChanges(answers);
    const isKnown = typeof change === 'object';
    if (isKnown !== command.drained) this.#drained.note({ ...command, drained: false });
    return change;
  }

  async #gatherSnapshot(): Promise<GatewaySnapshot> {
    const { supervisor, figures } = this.#environment;
    const { answers, missing } = await this.#askAll(askWorker.snapshot, null);
    const own: GatewaySnapshot = {
      phase: supervisor.phase(),
      reloads: supervisor.reloads(),
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
      certificates: [],
      memoryLimit: null,
      supervisor: { pid: figures.pid, memory: figures.memory() },
      restarts: this.#restarts(),
      missingWorkers: missing,
      isPartial: false,
    };
    const whole = mergeSnapshots([own, ...answers]);
    return { ...whole, rateLimiterKeys: supervisor.rateLimiterKeys() ?? whole.rateLimiterKeys };
  }

  /** Returns the pools of all workers, and notes their counts as they arrive. */
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
      counter(auditRecordsDropped, [[{}, this.#environment.supervisor.droppedAuditRecords()]]),
      this.#agentReports.dropped(),
    ];
    return addCounts([this.#ledger.total(), own]);
  }

  #restarts(): readonly WorkerRestarts[] {
    return Array.from(this.#workers, ([worker, { restarts: count }]) => ({ worker, count }));
  }

  /** `taken` gets each answer as it arrives, if its worker still exists. */
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
