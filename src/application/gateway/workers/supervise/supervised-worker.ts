import { type ProcessEnd, processEndText } from '../../../../domain/gateway/supervision/process-end.js';
import { err, ok, type Result } from '../../../../domain/shared/result.js';
import type { WorkerProcess } from '../../../ports/gateway/worker-processes.js';
import type { ScheduledTask, Scheduler } from '../../../ports/shared/scheduler.js';
import type { WorkerCall } from '../../../shared/worker-channel/worker-call.js';
import type { AttendedWorker, NoAnswer, WorkerChannel } from '../../../shared/worker-channel/worker-channel.js';
import { type LoadFailure, loadFailure } from '../../run-gateway/prepared-reload.js';
import type { ListeningAddresses } from '../../run-gateway/wanted-listeners.js';
import { deserializeFailure, type SerializedFailure } from './serialized-failure.js';
import type { SupervisionTimes } from './supervision-times.js';
import {
  beginServing,
  drainWorker,
  heartbeat,
  type StartOrder,
  startWorker,
  type WorkerDrain,
} from './worker-topics.js';

/** One worker process, from its start order to its end. */
export class SupervisedWorker implements AttendedWorker {
  readonly number: number;
  readonly pid: number;
  readonly channel: WorkerChannel;
  /** Resolves when its process has ended, for any reason. */
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

  /** Resolves when the worker is ready to accept connections. Error: why it failed; its process is killed. */
  async prepare(order: StartOrder): Promise<Result<null, LoadFailure>> {
    return this.#order(startWorker, order);
  }

  /** Makes a prepared worker accept connections. Resolves when it serves; errors as for `prepare`. */
  async serve(): Promise<Result<ListeningAddresses, LoadFailure>> {
    const serving = await this.#order(beginServing, null);
    if (serving.ok && this.#phase === 'starting') this.#phase = 'serving';
    return serving;
  }

  /** Sends heartbeats from now on. Calls `onHang` when the worker no longer answers. */
  watch(onHang: () => void): void {
    this.#heartbeats = this.#scheduler.every(this.#times.heartbeatEveryMs, () => void this.#checkHeartbeat(onHang));
  }

  /** Asks a slow question while heartbeats run. `silent`: a heartbeat failed, long before the deadline. */
  askMonitored<Question, Answer>(
    topic: WorkerCall<Question, Answer>,
    question: Question,
    deadlineMs: number,
  ): Promise<Result<Answer, NoAnswer | 'silent'>> {
    const { heartbeatEveryMs, reloadHeartbeatMs } = this.#times;
    return new Promise((resolve) => {
      const sendHeartbeat = async (): Promise<void> => {
        const response = await this.channel.ask(heartbeat, null, reloadHeartbeatMs);
        if (!response.ok && response.error === 'timed_out') settle(err('silent'));
      };
      const heartbeats = this.#scheduler.every(heartbeatEveryMs, () => void sendHeartbeat());
      const settle = (outcome: Result<Answer, NoAnswer | 'silent'>): void => {
        heartbeats.cancel();
        resolve(outcome);
      };
      void this.channel.ask(topic, question, deadlineMs).then(settle);
      void sendHeartbeat();
    });
  }

  /** Drains a serving worker; kills one that does not serve yet. */
  drain(order: WorkerDrain): void {
    if (this.isServing) this.channel.tell(drainWorker, order);
    else this.kill();
  }

  kill(): void {
    this.#process.kill();
  }

  async #order<Question, Answer>(
    topic: WorkerCall<Question, Result<Answer, SerializedFailure>>,
    question: Question,
  ): Promise<Result<Answer, LoadFailure>> {
    const response = await Promise.race([
      this.channel.ask(topic, question, this.#times.startMs),
      this.ended.then(() => err('closed' as const)),
    ]);
    if (response.ok && response.value.ok) return ok(response.value.value);
    if (!response.ok && response.error === 'closed') return err(loadFailure(await this.#earlyEnd()));
    this.kill();
    if (response.ok && !response.value.ok) return err(deserializeFailure(response.value.error));
    return err(loadFailure(`worker ${this.number} did not start in time`));
  }

  async #checkHeartbeat(onHang: () => void): Promise<void> {
    const { heartbeatDeadlineMs, lastHeartbeatMs } = this.#times;
    const response = await this.channel.ask(heartbeat, null, heartbeatDeadlineMs);
    if (response.ok || response.error === 'closed') return;
    // If this process itself was suspended, the deadline passed while the answer waited to be read.
    const lastResponse = await this.channel.ask(heartbeat, null, lastHeartbeatMs);
    if (lastResponse.ok || lastResponse.error === 'closed' || this.#phase === 'ended') return;
    this.#heartbeats?.cancel();
    onHang();
  }

  async #earlyEnd(): Promise<string> {
    this.kill();
    return `worker ${this.number} ${processEndText(await this.ended)} before it served`;
  }
}
