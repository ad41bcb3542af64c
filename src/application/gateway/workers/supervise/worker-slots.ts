import { type ProcessEnd, processEndText } from '../../../../domain/gateway/supervision/process-end.js';
import { noDeaths, type RestartHistory, restartAfter } from '../../../../domain/gateway/supervision/restart-rules.js';
import { err, ok, type Result } from '../../../../domain/shared/result.js';
import type { Clock } from '../../../ports/shared/clock.js';
import type { Logger } from '../../../ports/shared/logger.js';
import type { ScheduledTask, Scheduler } from '../../../ports/shared/scheduler.js';
import type { BeginServing } from '../../run-gateway/gateway.js';
import { type LoadFailure, loadFailure } from '../../run-gateway/prepared-reload.js';
import type { ListeningAddresses } from '../../run-gateway/wanted-listeners.js';
import type { SpareProcess } from './spare-process.js';
import type { SupervisedService } from './supervised-service.js';
import { SupervisedWorker } from './supervised-worker.js';
import type { SupervisionTimes } from './supervision-times.js';
import type { StartOrder } from './worker-topics.js';

/** Why a worker failed to start, and the delay until the next attempt. */
export interface WorkerFailure {
  readonly worker: number;
  readonly delayMs: number;
  readonly failure: LoadFailure;
}

export interface WorkerSlotsOptions {
  readonly spare: SpareProcess;
  readonly services: readonly SupervisedService[];
  readonly clock: Clock;
  readonly scheduler: Scheduler;
  readonly logger: Logger;
  readonly times: SupervisionTimes;
  /** The current order for a worker. */
  order(number: number): StartOrder;
  /** Logs why a replacement worker failed to start. */
  logFailure(failure: WorkerFailure): void;
}

interface WorkerSlot {
  worker: SupervisedWorker | null;
  history: RestartHistory;
  servingSinceMs: number | null;
  restart: ScheduledTask | null;
  /** The start of a replacement worker, until it serves or has ended; null: none is starting. */
  replacement: Promise<Result<ListeningAddresses, LoadFailure>> | null;
}

/** The worker that now occupies its slot, and the result of its preparation. */
interface FilledSlot {
  readonly worker: SupervisedWorker;
  readonly prepared: Result<BeginServing, LoadFailure>;
}

/** One slot for each worker. A slot is refilled whenever its process ends. */
export class WorkerSlots {
  readonly #options: WorkerSlotsOptions;
  readonly #slots = new Map<number, WorkerSlot>();
  /** Numbers of the slots that `resumeReplacements` refills; null: slots are refilled at once. */
  #deferred: Set<number> | null = null;
  /** Workers that were killed because they do not serve the configuration in force. */
  readonly #outdated = new WeakSet<SupervisedWorker>();
  #lastServedMs: number | null = null;
  #isClosed = false;
  #restarts = 0;

  constructor(options: WorkerSlotsOptions) {
    this.#options = options;
  }

  /** The serving workers, by number. */
  serving(): readonly SupervisedWorker[] {
    return this.present().filter(({ isServing }) => isServing);
  }

  /** The workers that have a process. */
  present(): readonly SupervisedWorker[] {
    return [...this.#slots.values()].flatMap(({ worker }) => worker ?? []);
  }

  /** Settles when every starting replacement serves or has ended. */
  replacementsSettled(): Promise<unknown> {
    return Promise.all([...this.#slots.values()].map(({ replacement }) => replacement));
  }

  /** Number of replacements so far. */
  get restarts(): number {
    return this.#restarts;
  }

  /**
   * Prepares the first worker of a slot, and returns a function that starts serving. On failure the slot stays empty.
   */
  async open(number: number): Promise<Result<BeginServing, LoadFailure>> {
    const slot: WorkerSlot = {
      worker: null,
      history: noDeaths,
      servingSinceMs: null,
      restart: null,
      replacement: null,
    };
    this.#slots.set(number, slot);
    return (await this.#fill(number, slot)).prepared;
  }

  /** Milliseconds since the last worker served; 0 while one serves; null: none has served yet. */
  unservedMs(): number | null {
    if (this.serving().length > 0) return 0;
    return this.#lastServedMs === null ? null : this.#options.clock.monotonicMs() - this.#lastServedMs;
  }

  /** Defers replacements until `resumeReplacements`, when the configuration in force is known. */
  deferReplacements(): void {
    this.#deferred ??= new Set();
  }

  resumeReplacements(): void {
    const deferred = this.#deferred ?? [];
    this.#deferred = null;
    for (const number of deferred) this.#refillEmpty(number);
  }

  /** Restarts every slot with the current order, while no worker serves. Null: all serve now. */
  restartAll(): Promise<LoadFailure | null> {
    const { times, scheduler } = this.#options;
    const tooLate = loadFailure(`the workers did not start within ${Math.round(times.prepareMs / 1000)} s`);
    const restarts = Promise.all([...this.#slots].map(([number, slot]) => this.#restart(number, slot)));
    return new Promise((resolve) => {
      const deadline = scheduler.after(times.prepareMs, () => resolve(tooLate));
      void restarts.then((started) => {
        deadline.cancel();
        const failed = started.find((outcome) => !outcome.ok);
        resolve(failed === undefined || failed.ok ? null : failed.error);
      });
    });
  }

  /** Kills workers that do not serve the configuration in force, and replaces each at once. */
  replaceOutdated(workers: readonly SupervisedWorker[]): void {
    for (const worker of workers) {
      const { replacement } = this.#slots.get(worker.number) ?? {};
      void Promise.all([this.#killOutdated(worker), replacement]).then(() => this.#refillEmpty(worker.number));
    }
  }

  /** Kills all workers; none is replaced. */
  kill(): void {
    this.close();
    for (const worker of this.present()) worker.kill();
  }

  /** Stops replacing workers. */
  close(): void {
    this.#isClosed = true;
    for (const { restart } of this.#slots.values()) restart?.cancel();
  }

  async #killOutdated(worker: SupervisedWorker): Promise<void> {
    this.#outdated.add(worker);
    const { number, pid } = worker;
    this.#options.logger.info('a worker that does not serve what is in force is replaced', { worker: number, pid });
    worker.kill();
    await worker.ended;
  }

  async #restart(number: number, slot: WorkerSlot): Promise<Result<ListeningAddresses, LoadFailure>> {
    slot.restart?.cancel();
    slot.restart = null;
    slot.history = noDeaths;
    const { worker, replacement } = slot;
    // Its process has no order yet, and will get the current one.
    if (worker === null && replacement !== null) return replacement;
    if (worker !== null) await this.#killOutdated(worker);
    await replacement;
    return this.#refill(number, slot);
  }

  async #fill(number: number, slot: WorkerSlot): Promise<FilledSlot> {
    const { spare, services, scheduler, times, logger } = this.#options;
    const { process, channel } = await spare.take();
    const worker = new SupervisedWorker(number, process, channel, scheduler, times);
    if (this.#isClosed) {
      worker.kill();
      return { worker, prepared: err(loadFailure('the gateway is draining')) };
    }
    slot.worker = worker;
    slot.servingSinceMs = null;
    for (const service of services) service.attend(worker);
    void worker.ended.then((end) => this.#ended(slot, worker, end));
    worker.watch(() => {
      logger.error('a worker does not answer and is killed', {
        worker: number,
        pid: worker.pid,
        error_type: 'worker_hangs',
      });
      worker.kill();
    });
    const prepared = await worker.prepare(this.#options.order(number));
    return { worker, prepared: prepared.ok ? ok(() => this.#serve(slot, worker)) : prepared };
  }

  async #serve(slot: WorkerSlot, worker: SupervisedWorker): Promise<Result<ListeningAddresses, LoadFailure>> {
    const started = await worker.serve();
    if (!started.ok) return started;
    if (slot.worker !== worker) return err(loadFailure(`worker ${worker.number} ended when it began to serve`));
    slot.servingSinceMs = this.#options.clock.monotonicMs();
    return started;
  }

  #ended(slot: WorkerSlot, worker: SupervisedWorker, { exitCode, signal }: ProcessEnd): void {
    const { services, clock, logger } = this.#options;
    for (const service of services) service.left(worker);
    const servedSinceMs = slot.servingSinceMs;
    slot.worker = null;
    slot.servingSinceMs = null;
    // A worker that never served failed to start; the caller of `#fill` handles that.
    if (servedSinceMs === null) return;
    this.#lastServedMs = clock.monotonicMs();
    if (this.#isClosed || this.#outdated.has(worker)) return;
    const delayMs = this.#scheduleRefill(worker.number, slot, clock.monotonicMs() - servedSinceMs);
    logger.error(`a worker ${processEndText({ exitCode, signal })} and is replaced`, {
      worker: worker.number,
      pid: worker.pid,
      exit_code: exitCode,
      signal,
      delay_ms: delayMs,
      error_type: 'worker_ended',
    });
  }

  /** Schedules a refill with the backoff of the slot's history. Returns the delay in milliseconds. */
  #scheduleRefill(number: number, slot: WorkerSlot, servedMs: number): number {
    const { delayMs, history } = restartAfter(slot.history, servedMs);
    slot.history = history;
    if (delayMs === 0) queueMicrotask(() => this.#refillEmpty(number));
    else slot.restart = this.#options.scheduler.after(delayMs, () => this.#refillEmpty(number));
    return delayMs;
  }

  #refillEmpty(number: number): void {
    const slot = this.#slots.get(number);
    if (slot === undefined || this.#isClosed || slot.worker !== null || slot.replacement !== null) return;
    if (this.#deferred === null) void this.#refill(number, slot);
    else this.#deferred.add(number);
  }

  #refill(number: number, slot: WorkerSlot): Promise<Result<ListeningAddresses, LoadFailure>> {
    this.#restarts += 1;
    slot.replacement = this.#startReplacement(number, slot);
    return slot.replacement;
  }

  /** Starts a replacement. On failure another attempt follows, with a growing backoff. */
  async #startReplacement(number: number, slot: WorkerSlot): Promise<Result<ListeningAddresses, LoadFailure>> {
    const { logger, logFailure, spare } = this.#options;
    const { worker, prepared } = await this.#fill(number, slot);
    const started = prepared.ok ? await prepared.value() : prepared;
    if (started.ok) {
      slot.replacement = null;
      logger.info('a new worker serves', { worker: number, pid: worker.pid });
      spare.fill();
      return started;
    }
    await worker.ended;
    slot.replacement = null;
    if (this.#isClosed || this.#outdated.has(worker)) return started;
    logFailure({ worker: number, delayMs: this.#scheduleRefill(number, slot, 0), failure: started.error });
    return started;
  }
}
