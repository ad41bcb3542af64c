import { processEndText } from '../../../../domain/gateway/supervision/process-end.js';
import { noDeaths, type RestartHistory, restartAfter } from '../../../../domain/gateway/supervision/restart-rules.js';
import type { WorkerProcess, WorkerProcesses } from '../../../ports/gateway/worker-processes.js';
import type { Clock } from '../../../ports/shared/clock.js';
import type { Logger } from '../../../ports/shared/logger.js';
import type { ScheduledTask, Scheduler } from '../../../ports/shared/scheduler.js';
import { WorkerChannel } from '../../../shared/worker-channel/worker-channel.js';
import type { SupervisionTimes } from './supervision-times.js';
import { heartbeat } from './worker-topics.js';

export interface SpareProcessPorts {
  readonly processes: WorkerProcesses;
  readonly clock: Clock;
  readonly scheduler: Scheduler;
  readonly logger: Logger;
  readonly times: SupervisionTimes;
}

/** A process that has no order yet, and its channel. */
export interface IdleProcess {
  readonly process: WorkerProcess;
  readonly channel: WorkerChannel;
}

interface Spare extends IdleProcess {
  readonly sinceMs: number;
  /** It has loaded its program and answered. */
  isReady: boolean;
}

/**
 * Keeps one spare process that has loaded its program and waits for an order. Replacing a dead worker then takes only
 * as long as loading a configuration.
 */
export class SpareProcess {
  readonly #ports: SpareProcessPorts;
  #spare: Spare | null = null;
  /** Processes that `take` checks with a heartbeat. */
  readonly #checked = new Set<Spare>();
  #history: RestartHistory = noDeaths;
  #refill: ScheduledTask | null = null;
  #isStopped = false;

  constructor(ports: SpareProcessPorts) {
    this.#ports = ports;
  }

  /** Takes the spare process if it answers, else a new one. */
  async take(): Promise<IdleProcess> {
    const spare = this.#spare;
    this.#spare = null;
    if (spare === null || spare.process.link.isClosed) return this.#start();
    // A process that still loads its program cannot answer yet; a new one would take longer.
    if (!spare.isReady) return spare;
    this.#checked.add(spare);
    const response = await spare.channel.ask(heartbeat, null, this.#ports.times.spareHeartbeatMs);
    this.#checked.delete(spare);
    // After a stop, the caller kills the process.
    if (response.ok || this.#isStopped) return spare;
    if (response.error !== 'closed') this.#kill(spare);
    return this.#start();
  }

  /** Starts a spare process if there is none. Call it when no worker is starting. */
  fill(): void {
    if (this.#isStopped || (this.#spare !== null && !this.#spare.process.link.isClosed)) return;
    this.#refill?.cancel();
    this.#refill = null;
    const { clock, times } = this.#ports;
    const spare: Spare = { ...this.#start(), sinceMs: clock.monotonicMs(), isReady: false };
    this.#spare = spare;
    void spare.process.ended.then((end) => this.#ended(spare, processEndText(end)));
    void spare.channel.ask(heartbeat, null, times.heartbeatDeadlineMs).then((response) => {
      spare.isReady = response.ok;
      if (!response.ok && response.error !== 'closed' && this.#spare === spare) this.#kill(spare);
    });
  }

  /** Calls `fill` after a delay, so that it takes no CPU time from workers that have just started. */
  fillLater(): void {
    const { scheduler, times } = this.#ports;
    if (this.#isStopped) return;
    this.#refill?.cancel();
    this.#refill = scheduler.after(times.firstSpareDelayMs, () => this.fill());
  }

  /** Kills the spare processes, and starts no more. */
  kill(): void {
    this.#isStopped = true;
    this.#refill?.cancel();
    for (const { process } of this.#all()) process.kill();
  }

  /** Kills the spare processes. Resolves when they have ended. */
  async stop(): Promise<void> {
    const spares = this.#all();
    this.kill();
    this.#spare = null;
    await Promise.all(spares.map(({ process }) => process.ended));
  }

  #all(): readonly Spare[] {
    return this.#spare === null ? [...this.#checked] : [this.#spare, ...this.#checked];
  }

  #start(): IdleProcess {
    const { processes, scheduler, logger } = this.#ports;
    const process = processes.start();
    const channel = new WorkerChannel(process.link, scheduler, (topic, error) =>
      logger.error('a question between processes failed', { pid: process.pid, topic, error: String(error) }),
    );
    return { process, channel };
  }

  #kill({ process }: Spare): void {
    this.#ports.logger.warn('the process that waits to replace a worker does not answer and is killed', {
      pid: process.pid,
      error_type: 'worker_hangs',
    });
    process.kill();
  }

  #ended(spare: Spare, endText: string): void {
    if (this.#spare !== spare || this.#isStopped) return;
    this.#spare = null;
    const { clock, scheduler, logger } = this.#ports;
    const { delayMs, history } = restartAfter(this.#history, clock.monotonicMs() - spare.sinceMs);
    this.#history = history;
    logger.warn(`the process that waits to replace a worker ${endText} and is replaced`, {
      pid: spare.process.pid,
      delay_ms: delayMs,
      error_type: 'worker_ended',
    });
    this.#refill = scheduler.after(delayMs, () => this.fill());
  }
}
