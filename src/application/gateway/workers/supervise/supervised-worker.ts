import { type ProcessEnd, processEndText } from '../../../../domain/gateway/supervision/process-end.js';
import { err, ok, type Result } from '../../../../domain/shared/result.js';
import type { WorkerProcess } from '../../../ports/gateway/worker-processes.js';
import type { ScheduledTask, Scheduler } from '../../../ports/shared/scheduler.js';
import type { WorkerCall } from '../../../shared/worker-channel/worker-call.js';
import type { AttendedWorker, NoAnswer, WorkerChannel } from '../../../shared/worker-channel/worker-channel.js';
import { type LoadFailure, loadFailure } from '../../run-gateway/prepared-reload.js';
import type { ListeningAddresses } from '../../run-gateway/wanted-listeners.js';
import { failureOf, type PlainFailure } from './plain-failure.js';
import type { SupervisionTimes } from './supervision-times.js';
import {
  beginServing,
  drainWorker,
  heartbeat,
  type StartOrder,
  startWorker,
  type WorkerDrain,
} from './worker-topics.js';

/** One process of a worker, from its order to its end. */
export class SupervisedWorker implements AttendedWorker {
  readonly number: number;
  readonly pid: number;
  readonly channel: WorkerChannel;
  /** Resolves when its process has ended, whatever for. */
  readonly ended: Promise<ProcessEnd>;
  readonly #process: WorkerProcess;
  readonly #scheduler: Scheduler;
  readonly #times: SupervisionTimes;
  #phase: 'starting' | 'serving' | 'ended' = 'starting';
  #heartbeats: ScheduledTask | null = null;

  constructor(
    number: number,
    process: WorkerProcess,
    channel: WorkerChannel,
    scheduler: Scheduler,
    times: SupervisionTimes,
  ) {
    this.number = number;
    this.pid = process.pid ?? 0;
    this.channel = channel;
    this.#process = process;
    this.#scheduler = scheduler;
    this.#times = times;
    this.ended = process.ended.then((end) => {
      this.#phase = 'ended';
      this.#heartbeats?.cancel();
      return end;
    });
  }

  get isServing(): boolean {
    return this.#phase === 'serving';
  }

  /** Resolves when all is done but to accept connections, or with the reason why it never will; then its process is killed. */
  async prepare(order: StartOrder): Promise<Result<null, LoadFailure>> {
    return this.#have(startWorker, order);
  }

  /** One that is prepared begins to accept. Resolves when it serves, or as `prepare` does. */
  async serve(): Promise<Result<ListeningAddresses, LoadFailure>> {
    const serving = await this.#have(beginServing, null);
    if (serving.ok && this.#phase === 'starting') this.#phase = 'serving';
    return serving;
  }

  /** Asks every now and then, from its order on, whether its loop turns. `hangs`: it does not any more. */
  watch(hangs: () => void): void {
    this.#heartbeats = this.#scheduler.every(this.#times.heartbeatEveryMs, () => void this.#beat(hangs));
  }

  /** Asks what takes long. `silent`: its loop stands still, and nobody has to wait for the deadline. */
  askAtLength<Question, Answer>(
    topic: WorkerCall<Question, Answer>,
    question: Question,
    deadlineMs: number,
  ): Promise<Result<Answer, NoAnswer | 'silent'>> {
    const { heartbeatEveryMs, unansweredMs } = this.#times;
    return new Promise((resolve) => {
      const beat = async (): Promise<void> => {
        const answered = await this.channel.ask(heartbeat, null, unansweredMs);
        if (!answered.ok && answered.error === 'timed_out') settle(err('silent'));
      };
      const beats = this.#scheduler.every(heartbeatEveryMs, () => void beat());
      const settle = (outcome: Result<Answer, NoAnswer | 'silent'>): void => {
        beats.cancel();
        resolve(outcome);
      };
      void this.channel.ask(topic, question, deadlineMs).then(settle);
      void beat();
    });
  }

  /** It drains and ends; one that has not begun to serve is killed. */
  drain(order: WorkerDrain): void {
    if (this.isServing) this.channel.tell(drainWorker, order);
    else this.kill();
  }

  kill(): void {
    this.#process.kill();
  }

  async #have<Question, Answer>(
    topic: WorkerCall<Question, Result<Answer, PlainFailure>>,
    question: Question,
  ): Promise<Result<Answer, LoadFailure>> {
    const answered = await Promise.race([
      this.channel.ask(topic, question, this.#times.startMs),
      this.ended.then(() => err('closed' as const)),
    ]);
    if (answered.ok && answered.value.ok) return ok(answered.value.value);
    if (!answered.ok && answered.error === 'closed') return err(loadFailure(await this.#earlyEnd()));
    this.kill();
    if (answered.ok && !answered.value.ok) return err(failureOf(answered.value.error));
    return err(loadFailure(`worker ${this.number} did not start in time`));
  }

  async #beat(hangs: () => void): Promise<void> {
    const { heartbeatDeadlineMs, lastQuestionMs } = this.#times;
    const answered = await this.channel.ask(heartbeat, null, heartbeatDeadlineMs);
    if (answered.ok || answered.error === 'closed') return;
    // Where this process itself was stopped, the answer waits to be read and the deadline was over first.
    const last = await this.channel.ask(heartbeat, null, lastQuestionMs);
    if (last.ok || last.error === 'closed' || this.#phase === 'ended') return;
    this.#heartbeats?.cancel();
    hangs();
  }

  async #earlyEnd(): Promise<string> {
    this.kill();
    return `worker ${this.number} ${processEndText(await this.ended)} before it served`;
  }
}
