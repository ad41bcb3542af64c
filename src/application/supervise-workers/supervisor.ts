import type { ConfigurationProblem } from '../../domain/configuration/configuration-problem.js';
import type { GatewayConfiguration } from '../../domain/configuration/gateway-configuration.js';
import { err, ok, type Result } from '../../domain/shared/result.js';
import { workerCountWarning } from '../../domain/supervision/worker-count.js';
import type { Clock } from '../ports/clock.js';
import type { ConfigurationSource, LoadedConfiguration } from '../ports/configuration-source.js';
import type { ReloadFigures, TargetName } from '../ports/gateway-state.js';
import type { Logger } from '../ports/logger.js';
import type { Scheduler } from '../ports/scheduler.js';
import type { SharedSockets } from '../ports/shared-sockets.js';
import type { WorkerProcesses } from '../ports/worker-processes.js';
import { type LoadFailure, loadFailure } from '../run-gateway/load-failure.js';
import { atOnce, type StopManner } from '../run-gateway/stop-manner.js';
import { type ListeningAddresses, listenerKeys } from '../run-gateway/wanted-listeners.js';
import { abandonIn, commitIn, prepareInAll } from './reload-workers.js';
import { ShareSockets } from './share-sockets.js';
import { SpareProcess } from './spare-process.js';
import type { AttendedWorker, SupervisedService } from './supervised-service.js';
import type { SupervisionTimes } from './supervision-times.js';
import { WorkerPlaces } from './worker-places.js';
import type { GatewayOrder } from './worker-topics.js';

export interface SupervisorParts {
  readonly processes: WorkerProcesses;
  /** Reads the configuration as it is on the disk. */
  readonly source: ConfigurationSource;
  readonly sockets: SharedSockets;
  readonly services: readonly SupervisedService[];
  readonly clock: Clock;
  readonly scheduler: Scheduler;
  readonly logger: Logger;
  readonly times: SupervisionTimes;
  readonly order: GatewayOrder;
  /** How many workers there are. */
  readonly workers: number;
  /** What `worker-threads` 0 means. */
  readonly cores: number;
  /** What workers that come later have to know. */
  drainedTargets(): readonly TargetName[];
  /** A reload has come to its end. */
  reloaded(outcome: 'success' | 'failure'): void;
  /** Says what kept a worker from replacing another. */
  logFailure(failure: LoadFailure): void;
}

interface InForce {
  readonly configuration: GatewayConfiguration;
  readonly texts: ReadonlyMap<string, string>;
}

const onlyWarnings = (problems: readonly ConfigurationProblem[]): readonly ConfigurationProblem[] =>
  problems.filter(({ severity }) => severity === 'warning');

/**
 * Keeps a number of workers, each of them a process, at serving one configuration. Takes no traffic itself. The configuration is read once for
 * all of them; it comes into force in all or in none.
 */
export class Supervisor {
  readonly #parts: SupervisorParts;
  readonly #places: WorkerPlaces;
  readonly #spare: SpareProcess;
  #inForce: InForce | null = null;
  #reloads: ReloadFigures;
  #loading: Promise<unknown> = Promise.resolve();
  #stopped: Promise<void> | null = null;

  constructor(parts: SupervisorParts) {
    this.#parts = parts;
    this.#reloads = { count: 0, lastLoadMs: parts.order.startedAtMs };
    this.#spare = new SpareProcess(parts.processes);
    const { order, workers, services, sockets } = parts;
    this.#places = new WorkerPlaces({
      ...parts,
      spare: this.#spare,
      services: [new ShareSockets(sockets), ...services],
      order: (number) => ({
        ...order,
        number,
        workers,
        texts: this.#inForce?.texts ?? new Map(),
        reloads: this.#reloads,
        drainedTargets: parts.drainedTargets(),
      }),
    });
  }

  /** The processes of workers, those too that do not serve yet. */
  workers(): readonly AttendedWorker[] {
    return this.#places.present();
  }

  /** How often workers were replaced. */
  get restarts(): number {
    return this.#places.restarts;
  }

  reloads(): ReloadFigures {
    return this.#reloads;
  }

  /** The one in force. */
  configuration(): GatewayConfiguration {
    if (this.#inForce === null) throw new Error('the gateway has no configuration yet');
    return this.#inForce.configuration;
  }

  /** Resolves when all workers serve, or with why one cannot; then none is left. `first`: what the source gave. */
  async start(first: LoadedConfiguration): Promise<Result<ListeningAddresses, LoadFailure>> {
    const { workers, clock, logger } = this.#parts;
    const { configuration, problems, texts } = first;
    if (configuration === null || texts === undefined) return err({ problems, reason: null, cause: null });
    this.#logWarnings(problems);
    this.#bringIntoForce({ configuration, texts });
    const numbers = Array.from({ length: workers }, (_, at) => at + 1);
    const opening = Promise.all(numbers.map((number) => this.#places.open(number)));
    this.#loading = opening;
    const started = await opening;
    const failed = started.find((outcome) => !outcome.ok);
    if (failed !== undefined && !failed.ok) {
      await this.#end(0, atOnce);
      return err({ ...failed.error, problems: [...onlyWarnings(problems), ...failed.error.problems] });
    }
    const [serving] = started;
    if (serving === undefined || !serving.ok) return err(loadFailure('there is no worker'));
    this.#reloads = { count: 0, lastLoadMs: clock.wallMs() };
    logger.info('the workers serve', { workers });
    this.#spare.fill();
    return ok(serving.value);
  }

  /** Loads the configuration anew and has all workers swap it in; any error in any of them changes nothing. */
  reload(): Promise<Result<void, LoadFailure>> {
    const next = this.#loading.then(() => (this.#stopped === null ? this.#reload() : ok(undefined)));
    this.#loading = next;
    return next;
  }

  /** Has all workers drain. Those that have not ended some seconds after the grace are killed. Asked again, it waits for the same end. */
  stop(graceMs: number, manner: StopManner = atOnce): Promise<void> {
    this.#stopped ??= this.#end(graceMs, manner);
    return this.#stopped;
  }

  async #reload(): Promise<Result<void, LoadFailure>> {
    this.#places.hold();
    try {
      const outcome = await this.#loadAnew();
      this.#parts.reloaded(outcome.ok ? 'success' : 'failure');
      if (outcome.ok) this.#parts.logger.info('the configuration was reloaded');
      return outcome;
    } finally {
      this.#places.release();
    }
  }

  async #loadAnew(): Promise<Result<void, LoadFailure>> {
    const { source, times, workers, cores, logger, clock, sockets } = this.#parts;
    const { configuration, problems, texts } = await source.load();
    if (configuration === null || texts === undefined) return err({ problems, reason: null, cause: null });
    this.#logWarnings(problems);
    const starting = this.#places.present().filter(({ isServing }) => !isServing);
    await Promise.all(starting.map((worker) => worker.started));
    const prepared = await prepareInAll(this.#places.serving(), texts, times);
    if (!prepared.ok) {
      // What was bound for it is not needed.
      sockets.keep(listenerKeys(this.configuration()));
      return err({ ...prepared.error, problems: [...onlyWarnings(problems), ...prepared.error.problems] });
    }
    if (this.#stopped !== null) {
      await abandonIn(prepared.value, times.commitMs);
      return err(loadFailure('the gateway drains'));
    }
    this.#bringIntoForce({ configuration, texts });
    this.#reloads = { count: this.#reloads.count + 1, lastLoadMs: clock.wallMs() };
    for (const worker of await commitIn(prepared.value, times.commitMs)) worker.kill();
    sockets.keep(listenerKeys(configuration));
    const warning = workerCountWarning(workers, configuration.system.workerThreads, cores);
    if (warning !== null) logger.warn(warning);
    return ok(undefined);
  }

  #bringIntoForce(next: InForce): void {
    this.#inForce = next;
    for (const service of this.#parts.services) service.adopt(next.configuration);
  }

  #logWarnings(problems: readonly ConfigurationProblem[]): void {
    for (const { message, position } of onlyWarnings(problems)) {
      this.#parts.logger.warn(message, { file: position?.file ?? null, line: position?.line ?? null });
    }
  }

  async #end(graceMs: number, manner: StopManner): Promise<void> {
    const { sockets, scheduler, times } = this.#parts;
    this.#places.close();
    // Workers have their own until they begin to drain; one left open here would then have clients wait for nobody.
    sockets.keep(new Set());
    const workers = this.#places.present();
    for (const worker of workers) worker.drain({ graceMs, manner });
    const ended = Promise.all(workers.map((worker) => worker.ended));
    const dueMs = manner.delayMs + graceMs + times.endMs;
    const overdue = scheduler.after(dueMs, () => {
      for (const worker of workers) worker.kill();
    });
    await within(Promise.all([ended, this.#spare.stop()]), dueMs + times.killedMs, scheduler);
    overdue.cancel();
  }
}

/** Waits for something, but no longer than that. */
const within = (what: Promise<unknown>, deadlineMs: number, scheduler: Scheduler): Promise<void> =>
  new Promise((resolve) => {
    const deadline = scheduler.after(deadlineMs, resolve);
    void what.then(() => {
      deadline.cancel();
      resolve();
    });
  });
