import type { Result } from '../../domain/shared/result.js';
import { type ProcessEnd, processEndText } from '../../domain/supervision/process-end.js';
import { noDeaths, type RestartHistory, restartAfter } from '../../domain/supervision/restart-rules.js';
import { Correspondence } from '../correspondence/correspondence.js';
import type { Clock } from '../ports/clock.js';
import type { Logger } from '../ports/logger.js';
import type { ScheduledTask, Scheduler } from '../ports/scheduler.js';
import type { LoadFailure } from '../run-gateway/load-failure.js';
import type { ListeningAddresses } from '../run-gateway/wanted-listeners.js';
import type { SpareProcess } from './spare-process.js';
import type { SupervisedService } from './supervised-service.js';
import { SupervisedWorker } from './supervised-worker.js';
import type { SupervisionTimes } from './supervision-times.js';
import type { StartOrder } from './worker-topics.js';

export interface WorkerPlacesParts {
  readonly spare: SpareProcess;
  readonly services: readonly SupervisedService[];
  readonly clock: Clock;
  readonly scheduler: Scheduler;
  readonly logger: Logger;
  readonly times: SupervisionTimes;
  /** The order for a worker as things are now. */
  order(number: number): StartOrder;
  /** Says what kept a worker from serving. */
  logFailure(failure: LoadFailure): void;
}

interface Place {
  worker: SupervisedWorker | null;
  history: RestartHistory;
  servingSinceMs: number | null;
  restart: ScheduledTask | null;
}

/** One place for each worker, which is filled again whenever its process ends. */
export class WorkerPlaces {
  readonly #parts: WorkerPlacesParts;
  readonly #places = new Map<number, Place>();
  /** Numbers of places that are to be filled, but not now: see `hold`. */
  #held: Set<number> | null = null;
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

  /** How often a worker was replaced. */
  get restarts(): number {
    return this.#restarts;
  }

  /** Starts the first worker of a place. Where it cannot serve, the place stays empty. */
  async open(number: number): Promise<Result<ListeningAddresses, LoadFailure>> {
    const place: Place = { worker: null, history: noDeaths, servingSinceMs: null, restart: null };
    this.#places.set(number, place);
    return this.#fill(number, place, false);
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

  /** From now on no worker is replaced. */
  close(): void {
    this.#isClosed = true;
    for (const { restart } of this.#places.values()) restart?.cancel();
  }

  async #fill(number: number, place: Place, isReplacement: boolean): Promise<Result<ListeningAddresses, LoadFailure>> {
    const { spare, services, scheduler, times, clock, logger } = this.#parts;
    const process = spare.take();
    const correspondence = new Correspondence(process.link, scheduler, (topic, error) =>
      logger.error('a question between processes failed', { worker: number, topic, error: String(error) }),
    );
    const worker = new SupervisedWorker(number, process, correspondence, scheduler, times);
    place.worker = worker;
    place.servingSinceMs = null;
    for (const service of services) service.attend(worker);
    void worker.ended.then((end) => this.#ended(place, worker, end, isReplacement));
    const started = await worker.start(this.#parts.order(number));
    if (!started.ok) return started;
    place.servingSinceMs = clock.monotonicMs();
    worker.watch(() => {
      logger.error('a worker does not answer and is killed', {
        worker: number,
        pid: worker.pid,
        error_type: 'worker_hangs',
      });
      worker.kill();
    });
    return started;
  }

  #ended(place: Place, worker: SupervisedWorker, { exitCode, signal }: ProcessEnd, isReplacement: boolean): void {
    for (const service of this.#parts.services) service.left(worker);
    const servedSinceMs = place.servingSinceMs;
    place.worker = null;
    place.servingSinceMs = null;
    // The first worker of a place that does not come to serve is a failure to start, which who starts deals with.
    if (this.#isClosed || (servedSinceMs === null && !isReplacement)) return;
    const servedMs = servedSinceMs === null ? 0 : this.#parts.clock.monotonicMs() - servedSinceMs;
    const { delayMs, history } = restartAfter(place.history, servedMs);
    place.history = history;
    this.#parts.logger.error(`a worker ${processEndText({ exitCode, signal })} and is replaced`, {
      worker: worker.number,
      pid: worker.pid,
      exit_code: exitCode,
      signal,
      delay_ms: delayMs,
      error_type: 'worker_ended',
    });
    if (delayMs === 0) this.#replace(worker.number);
    else place.restart = this.#parts.scheduler.after(delayMs, () => this.#replace(worker.number));
  }

  #replace(number: number): void {
    const place = this.#places.get(number);
    if (place === undefined || this.#isClosed) return;
    if (this.#held !== null) {
      this.#held.add(number);
      return;
    }
    this.#restarts += 1;
    void this.#fill(number, place, true).then((started) => {
      const { logger, logFailure, spare } = this.#parts;
      if (!started.ok) {
        // Its end has it replaced, later and later.
        if (!this.#isClosed) logFailure(started.error);
        return;
      }
      logger.info('a new worker serves', { worker: number, pid: place.worker?.pid ?? null });
      spare.fill();
    });
  }
}
