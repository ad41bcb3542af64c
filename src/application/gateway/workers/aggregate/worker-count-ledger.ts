import { addCounts, type CountedFamily, supervisedCounters } from '../../../../domain/gateway/status/counted-family.js';
import type { WorkerChannel } from '../../../shared/worker-channel/worker-channel.js';

/** Whether workers count this family. Reloads are counted once, by the supervisor. */
const isWorkers = ({ name }: CountedFamily): boolean => name !== supervisedCounters.reloads;

/**
 * The counts of all workers, including those that have ended, so that a counter does not fall when a worker dies.
 * Counts after the last answer of a killed worker are lost.
 */
export class WorkerCountLedger {
  readonly #last = new Map<WorkerChannel, readonly CountedFamily[]>();
  #departed: readonly CountedFamily[] = [];

  note(worker: WorkerChannel, counts: readonly CountedFamily[]): void {
    this.#last.set(worker, counts.filter(isWorkers));
  }

  /** Keeps the counts of a worker that has ended. */
  left(worker: WorkerChannel): void {
    const last = this.#last.get(worker);
    if (last === undefined) return;
    this.#last.delete(worker);
    this.#departed = addCounts([this.#departed, last]);
  }

  total(): readonly CountedFamily[] {
    return addCounts([this.#departed, ...this.#last.values()]);
  }
}
