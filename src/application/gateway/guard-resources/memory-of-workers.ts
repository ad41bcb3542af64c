import type { ProcessFigures } from '../../ports/gateway/process-figures.js';
import type { WorkerChannel } from '../../shared/worker-channel/worker-channel.js';
import { memoryOfOthers, workerMemory } from './memory-reports.js';

/** Runs in the supervisor. Sums the memory of all workers and the supervisor. */
export class MemoryOfWorkers {
  readonly #figures: Pick<ProcessFigures, 'residentBytes'>;
  readonly #workers = new Map<WorkerChannel, number>();

  constructor(figures: Pick<ProcessFigures, 'residentBytes'>) {
    this.#figures = figures;
  }

  /**
   * Receives the reports of a worker, and sends it the sum of the others. @returns a function to call when the worker
   * is gone, so that its memory no longer counts
   */
  join(worker: WorkerChannel): () => void {
    this.#workers.set(worker, 0);
    worker.hear(workerMemory, (bytes) => {
      if (!this.#workers.has(worker)) return;
      this.#workers.set(worker, bytes);
      this.#sendOthers(worker, this.totalBytes());
    });
    return () => {
      if (!this.#workers.delete(worker)) return;
      const totalBytes = this.totalBytes();
      for (const other of this.#workers.keys()) this.#sendOthers(other, totalBytes);
    };
  }

  /** Octets of the supervisor and its workers. Pages that processes share count once per process. */
  totalBytes(): number {
    let sum = this.#figures.residentBytes();
    for (const bytes of this.#workers.values()) sum += bytes;
    return sum;
  }

  #sendOthers(worker: WorkerChannel, totalBytes: number): void {
    worker.tell(memoryOfOthers, totalBytes - (this.#workers.get(worker) ?? 0));
  }
}
