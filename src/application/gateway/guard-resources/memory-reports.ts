import type { ProcessFigures } from '../../ports/gateway/process-figures.js';
import type { ScheduledTask, Scheduler } from '../../ports/shared/scheduler.js';
import { notice } from '../../shared/worker-channel/worker-call.js';
import type { WorkerChannel } from '../../shared/worker-channel/worker-channel.js';

/** Octets that a worker holds in memory, told to the supervisor. */
export const workerMemory = notice<number>('worker-memory');

/** Octets that the supervisor and all other workers hold, told to a worker. */
export const memoryOfOthers = notice<number>('memory-of-others');

/** How often memory is told while it has a limit, and while it has none. */
const guardedMs = 250;
const unguardedMs = 1_000;

export interface MemoryReportsParts {
  readonly supervisor: WorkerChannel;
  readonly figures: Pick<ProcessFigures, 'residentBytes'>;
  readonly scheduler: Scheduler;
}

/** Tells the supervisor what memory this worker holds, and hears what the others do. */
export class MemoryReports {
  readonly #parts: MemoryReportsParts;
  #othersBytes = 0;
  #next: ScheduledTask | null = null;

  constructor(parts: MemoryReportsParts) {
    this.#parts = parts;
    parts.supervisor.hear(memoryOfOthers, (bytes) => {
      this.#othersBytes = bytes;
    });
  }

  /** Octets that the supervisor and the other workers hold; 0 before they are known. */
  othersBytes(): number {
    return this.#othersBytes;
  }

  /**
   * Tells at once, and then for as long as the supervisor is there. @param isGuarded whether memory has a limit at
   * the moment
   */
  start(isGuarded: () => boolean): void {
    const { supervisor, figures, scheduler } = this.#parts;
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
