import { err, ok, type Result } from '../../domain/shared/result.js';
import { type ProcessEnd, processEndText } from '../../domain/supervision/process-end.js';
import type { Correspondence } from '../correspondence/correspondence.js';
import type { ScheduledTask, Scheduler } from '../ports/scheduler.js';
import type { WorkerProcess } from '../ports/worker-processes.js';
import { type LoadFailure, loadFailure } from '../run-gateway/load-failure.js';
import type { ListeningAddresses } from '../run-gateway/wanted-listeners.js';
import { failureOf } from './plain-failure.js';
import type { AttendedWorker } from './supervised-service.js';
import type { SupervisionTimes } from './supervision-times.js';
import { drainWorker, heartbeat, type StartOrder, startWorker, type WorkerDrain } from './worker-topics.js';

/** One process of a worker, from its order to its end. */
export class SupervisedWorker implements AttendedWorker {
  readonly number: number;
  readonly pid: number;
  readonly correspondence: Correspondence;
  /** Resolves when its process has ended, whatever for. */
  readonly ended: Promise<ProcessEnd>;
  readonly #process: WorkerProcess;
  readonly #scheduler: Scheduler;
  readonly #times: SupervisionTimes;
  #phase: 'starting' | 'serving' | 'ended' = 'starting';
  #heartbeats: ScheduledTask | null = null;
  #started: Promise<unknown> = Promise.resolve();

  constructor(
    number: number,
    process: WorkerProcess,
    correspondence: Correspondence,
    scheduler: Scheduler,
    times: SupervisionTimes,
  ) {
    this.number = number;
    this.pid = process.pid ?? 0;
    this.correspondence = correspondence;
    this.#process = process;
    this.#scheduler = scheduler;
    this.#times = times;
    this.ended = process.ended.then((end) => {
      this.#phase = 'ended';
      this.#heartbeats?.cancel();
      return end;
    });
  }

  /** Resolves when it serves, or never will. */
  get started(): Promise<unknown> {
    return this.#started;
  }

  get isServing(): boolean {
    return this.#phase === 'serving';
  }

  /** Resolves when it serves, or with the reason why it never will; then its process is killed. */
  start(order: StartOrder): Promise<Result<ListeningAddresses, LoadFailure>> {
    const started = this.#start(order);
    this.#started = started;
    return started;
  }

  /** Has the worker answered for every now and then. `hangs`: it does not any more. */
  watch(hangs: () => void): void {
    this.#heartbeats = this.#scheduler.every(this.#times.heartbeatEveryMs, () => void this.#beat(hangs));
  }

  /** It drains and ends; one that has not begun to serve is killed. */
  drain(order: WorkerDrain): void {
    if (this.isServing) this.correspondence.tell(drainWorker, order);
    else this.kill();
  }

  kill(): void {
    this.#process.kill();
  }

  async #start(order: StartOrder): Promise<Result<ListeningAddresses, LoadFailure>> {
    const answered = await Promise.race([
      this.correspondence.ask(startWorker, order, this.#times.startMs),
      this.ended.then(() => err('closed' as const)),
    ]);
    if (answered.ok && answered.value.ok) {
      if (this.#phase === 'starting') this.#phase = 'serving';
      return ok(answered.value.value);
    }
    if (!answered.ok && answered.error === 'closed') return err(loadFailure(await this.#earlyEnd()));
    this.kill();
    if (answered.ok && !answered.value.ok) return err(failureOf(answered.value.error));
    return err(loadFailure(`worker ${this.number} did not start in time`));
  }

  async #beat(hangs: () => void): Promise<void> {
    const { heartbeatDeadlineMs, lastQuestionMs } = this.#times;
    const answered = await this.correspondence.ask(heartbeat, null, heartbeatDeadlineMs);
    if (answered.ok || answered.error === 'closed') return;
    // Where this process itself was stopped, the answer waits to be read and the deadline was over first.
    const last = await this.correspondence.ask(heartbeat, null, lastQuestionMs);
    if (last.ok || this.#phase !== 'serving') return;
    this.#heartbeats?.cancel();
    hangs();
  }

  async #earlyEnd(): Promise<string> {
    this.kill();
    return `worker ${this.number} ${processEndText(await this.ended)} before it served`;
  }
}
