import { addCounts, type CountedFamily, supervisedCounters } from '../../../../domain/gateway/status/counted-family.js';
import type { WorkerChannel } from '../../../shared/worker-channel/worker-channel.js';

/** Not the workers' to count: a reload is one of the gateway. */
const isWorkers = ({ name }: CountedFamily): boolean => name !== supervisedCounters.reloads;

/**
 * What the workers have counted, those that have ended included: a counter does not fall when a worker dies. What a
 * worker counted after its last answer is lost where it is killed.
 */
export class WorkerCountLedger {
  readonly #last = new Map<WorkerChannel, readonly CountedFamily[]>();
  #departed: readonly CountedFamily[] = [];

  note(worker: WorkerChannel, counts: readonly CountedFamily[]): void {
    this.#last.set(worker, counts.filter(isWorkers));
  }

  /** Its counts stay. */
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
