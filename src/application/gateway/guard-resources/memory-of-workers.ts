import type { ProcessFigures } from '../../ports/gateway/process-figures.js';
import type { WorkerChannel } from '../../shared/worker-channel/worker-channel.js';
import { memoryOfOthers, workerMemory } from './memory-reports.js';

/** The supervisor's side: adds up what all of its workers and itself hold. */
export class MemoryOfWorkers {
  readonly #figures: Pick<ProcessFigures, 'residentBytes'>;
  readonly #workers = new Map<WorkerChannel, number>();

  constructor(figures: Pick<ProcessFigures, 'residentBytes'>) {
    this.#figures = figures;
  }

  /**
   * Hears a worker from now on, and tells it of the others. @returns to be called when it is gone: what it held is
   * free at once
   */
  join(worker: WorkerChannel): () => void {
    this.#workers.set(worker, 0);
    worker.hear(workerMemory, (bytes) => {
      if (!this.#workers.has(worker)) return;
      this.#workers.set(worker, bytes);
      this.#tell(worker, this.totalBytes());
    });
    return () => {
      if (!this.#workers.delete(worker)) return;
      const totalBytes = this.totalBytes();
      for (const other of this.#workers.keys()) this.#tell(other, totalBytes);
    };
  }

  /** Octets that the supervisor and its workers hold. Pages that processes share are counted for each of them. */
  totalBytes(): number {
    let sum = this.#figures.residentBytes();
    for (const bytes of this.#workers.values()) sum += bytes;
    return sum;
  }

  #tell(worker: WorkerChannel, totalBytes: number): void {
    worker.tell(memoryOfOthers, totalBytes - (this.#workers.get(worker) ?? 0));
  }
}
