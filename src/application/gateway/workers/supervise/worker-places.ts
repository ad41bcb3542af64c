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

/** Why a worker does not come to serve, and when the next one tries. */
export interface WorkerFailure {
  readonly worker: number;
  readonly delayMs: number;
  readonly failure: LoadFailure;
}

export interface WorkerPlacesParts {
  readonly spare: SpareProcess;
  readonly services: readonly SupervisedService[];
  readonly clock: Clock;
  readonly scheduler: Scheduler;
  readonly logger: Logger;
  readonly times: SupervisionTimes;
  /** The order for a worker as things are now. */
  order(number: number): StartOrder;
  /** Says what kept a worker from replacing another. */
  logFailure(failure: WorkerFailure): void;
}

interface Place {
  worker: SupervisedWorker | null;
  history: RestartHistory;
  servingSinceMs: number | null;
  restart: ScheduledTask | null;
  /** What comes of the process that is to replace another, until it serves or has ended. */
  filling: Promise<Result<ListeningAddresses, LoadFailure>> | null;
}

/** A process that has become the worker of its place, and what came of its order. */
interface Filled {
  readonly worker: SupervisedWorker;
  readonly prepared: Result<BeginServing, LoadFailure>;
}

/** One place for each worker, which is filled again whenever its process ends. */
export class WorkerPlaces {
  readonly #parts: WorkerPlacesParts;
  readonly #places = new Map<number, Place>();
  /** Numbers of places that are to be filled, but not now: see `hold`. */
  #held: Set<number> | null = null;
  /** Those that are ended because they do not serve what is in force. */
  readonly #outdated = new WeakSet<SupervisedWorker>();
  #lastServedMs: number | null = null;
  #isClosed = false;
  #restarts = 0;

  constructor(parts: WorkerPlacesParts) {
    this.#parts = parts;
  }

  /** Those that serve, by number. */
  serving(): readonly SupervisedWorker[] {
    return this.present().filter(({ isServing }) => isServing);
  }

  /** Those that have a process. */
  present(): readonly SupervisedWorker[] {
    return [...this.#places.values()].flatMap(({ worker }) => worker ?? []);
  }

  /** Settles once each place that is being filled has a worker that serves, or has none. */
  filled(): Promise<unknown> {
    return Promise.all([...this.#places.values()].map(({ filling }) => filling));
  }

  /** How often a worker was replaced. */
  get restarts(): number {
    return this.#restarts;
  }

  /** Prepares the first worker of a place, and gives what has it serve. Where it cannot, the place stays empty. */
  async open(number: number): Promise<Result<BeginServing, LoadFailure>> {
    const place: Place = { worker: null, history: noDeaths, servingSinceMs: null, restart: null, filling: null };
    this.#places.set(number, place);
    return (await this.#fill(number, place)).prepared;
  }

  /** For how long nobody has served, in milliseconds; 0 while somebody does. Null: nobody ever has. */
  unservedMs(): number | null {
    if (this.serving().length > 0) return 0;
    return this.#lastServedMs === null ? null : this.#parts.clock.monotonicMs() - this.#lastServedMs;
  }

  /** From now on no worker is replaced until `release`, so that each that comes gets its order when it is clear what is in force. */
  hold(): void {
    this.#held ??= new Set();
  }

  release(): void {
    const held = this.#held ?? [];
    this.#held = null;
    for (const number of held) this.#replace(number);
  }

  /** Where nobody serves: has every place filled now, with the order of now. Null: all serve. */
  fillAll(): Promise<LoadFailure | null> {
    const { times, scheduler } = this.#parts;
    const tooLate = loadFailure(`the workers did not start within ${Math.round(times.prepareMs / 1000)} s`);
    const filling = Promise.all([...this.#places].map(([number, place]) => this.#fillAnew(number, place)));
    return new Promise((resolve) => {
      const deadline = scheduler.after(times.prepareMs, () => resolve(tooLate));
      void filling.then((started) => {
        deadline.cancel();
        const failed = started.find((outcome) => !outcome.ok);
        resolve(failed === undefined || failed.ok ? null : failed.error);
      });
    });
  }

  /** Ends workers that do not serve what is in force. Each is replaced at once. */
  renew(workers: readonly SupervisedWorker[]): void {
    for (const worker of workers) {
      const { filling } = this.#places.get(worker.number) ?? {};
      void Promise.all([this.#end(worker), filling]).then(() => this.#replace(worker.number));
    }
  }

  /** Ends all at once; none is replaced. */
  kill(): void {
    this.close();
    for (const worker of this.present()) worker.kill();
  }

  /** From now on no worker is replaced. */
  close(): void {
    this.#isClosed = true;
    for (const { restart } of this.#places.values()) restart?.cancel();
  }

  async #end(worker: SupervisedWorker): Promise<void> {
    this.#outdated.add(worker);
    const { number, pid } = worker;
    this.#parts.logger.info('a worker that does not serve what is in force is replaced', { worker: number, pid });
    worker.kill();
    await worker.ended;
  }

  async #fillAnew(number: number, place: Place): Promise<Result<ListeningAddresses, LoadFailure>> {
    place.restart?.cancel();
    place.restart = null;
    place.history = noDeaths;
    const { worker, filling } = place;
    // Its process has no order yet, and gets that of now.
    if (worker === null && filling !== null) return filling;
    if (worker !== null) await this.#end(worker);
    await filling;
    return this.#refill(number, place);
  }

  async #fill(number: number, place: Place): Promise<Filled> {
    const { spare, services, scheduler, times, logger } = this.#parts;
    const { process, channel } = await spare.take();
    const worker = new SupervisedWorker(number, process, channel, scheduler, times);
    if (this.#isClosed) {
      worker.kill();
      return { worker, prepared: err(loadFailure('the gateway drains')) };
    }
    place.worker = worker;
    place.servingSinceMs = null;
    for (const service of services) service.attend(worker);
    void worker.ended.then((end) => this.#ended(place, worker, end));
    worker.watch(() => {
      logger.error('a worker does not answer and is killed', {
        worker: number,
        pid: worker.pid,
        error_type: 'worker_hangs',
      });
      worker.kill();
    });
    const prepared = await worker.prepare(this.#parts.order(number));
    return { worker, prepared: prepared.ok ? ok(() => this.#serve(place, worker)) : prepared };
  }

  async #serve(place: Place, worker: SupervisedWorker): Promise<Result<ListeningAddresses, LoadFailure>> {
    const started = await worker.serve();
    if (!started.ok) return started;
    if (place.worker !== worker) return err(loadFailure(`worker ${worker.number} ended when it began to serve`));
    place.servingSinceMs = this.#parts.clock.monotonicMs();
    return started;
  }

  #ended(place: Place, worker: SupervisedWorker, { exitCode, signal }: ProcessEnd): void {
    const { services, clock, logger } = this.#parts;
    for (const service of services) service.left(worker);
    const servedSinceMs = place.servingSinceMs;
    place.worker = null;
    place.servingSinceMs = null;
    // One that has not come to serve is a failure to start, which who starts it deals with.
    if (servedSinceMs === null) return;
    this.#lastServedMs = clock.monotonicMs();
    if (this.#isClosed || this.#outdated.has(worker)) return;
    const delayMs = this.#replaceLater(worker.number, place, clock.monotonicMs() - servedSinceMs);
    logger.error(`a worker ${processEndText({ exitCode, signal })} and is replaced`, {
      worker: worker.number,
      pid: worker.pid,
      exit_code: exitCode,
      signal,
      delay_ms: delayMs,
      error_type: 'worker_ended',
    });
  }

  /** Has a place filled again, by what has become of it so far. Gives the milliseconds until then. */
  #replaceLater(number: number, place: Place, servedMs: number): number {
    const { delayMs, history } = restartAfter(place.history, servedMs);
    place.history = history;
    if (delayMs === 0) queueMicrotask(() => this.#replace(number));
    else place.restart = this.#parts.scheduler.after(delayMs, () => this.#replace(number));
    return delayMs;
  }

  #replace(number: number): void {
    const place = this.#places.get(number);
    if (place === undefined || this.#isClosed || place.worker !== null || place.filling !== null) return;
    if (this.#held === null) void this.#refill(number, place);
    else this.#held.add(number);
  }

  #refill(number: number, place: Place): Promise<Result<ListeningAddresses, LoadFailure>> {
    this.#restarts += 1;
    place.filling = this.#bringUp(number, place);
    return place.filling;
  }

  /** Where it does not come to serve, another one tries, later and later. */
  async #bringUp(number: number, place: Place): Promise<Result<ListeningAddresses, LoadFailure>> {
    const { logger, logFailure, spare } = this.#parts;
    const { worker, prepared } = await this.#fill(number, place);
    const started = prepared.ok ? await prepared.value() : prepared;
    if (started.ok) {
      place.filling = null;
      logger.info('a new worker serves', { worker: number, pid: worker.pid });
      spare.fill();
      return started;
    }
    await worker.ended;
    place.filling = null;
    if (this.#isClosed || this.#outdated.has(worker)) return started;
    logFailure({ worker: number, delayMs: this.#replaceLater(number, place, 0), failure: started.error });
    return started;
  }
}
