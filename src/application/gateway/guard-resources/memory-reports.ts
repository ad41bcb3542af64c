import type { ProcessFigures } from '../../ports/gateway/process-figures.js';
import type { ScheduledTask, Scheduler } from '../../ports/shared/scheduler.js';
import { notice } from '../../shared/worker-channel/worker-call.js';
import type { WorkerChannel } from '../../shared/worker-channel/worker-channel.js';

/** Resident octets of a worker, sent to the supervisor. */
export const workerMemory = notice<number>('worker-memory');

/** Resident octets of the supervisor and all other workers, sent to a worker. */
export const memoryOfOthers = notice<number>('memory-of-others');

/** Interval between reports, with a memory limit and without one; milliseconds. */
const guardedMs = 250;
const unguardedMs = 1_000;

interface ReportingWorker {
  readonly supervisor: WorkerChannel;
  readonly figures: Pick<ProcessFigures, 'residentBytes'>;
  readonly scheduler: Scheduler;
}

/** Reports the memory of this worker to the supervisor, and receives the sum of the others. */
export class MemoryReports {
  readonly #worker: ReportingWorker;
  #othersBytes = 0;
  #next: ScheduledTask | null = null;

  constructor(worker: ReportingWorker) {
    this.#worker = worker;
    worker.supervisor.hear(memoryOfOthers, (bytes) => {
      this.#othersBytes = bytes;
    });
  }

  /** Octets of the supervisor and the other workers; 0 before the first report. */
  othersBytes(): number {
    return this.#othersBytes;
  }

  /**
   * Reports now, and then periodically until the supervisor's channel closes. @param isGuarded whether memory has a
   * limit
   */
  start(isGuarded: () => boolean): void {
    const { supervisor, figures, scheduler } = this.#worker;
    this.stop();
    if (supervisor.isClosed) return;
    supervisor.tell(workerMemory, figures.residentBytes());
    this.#next = scheduler.after(isGuarded() ? guardedMs : unguardedMs, () => this.start(isGuarded));
  }

  stop(): void {
    this.#next?.cancel();
    this.#next = null;
  }
}
