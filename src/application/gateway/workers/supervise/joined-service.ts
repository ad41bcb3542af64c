import type { AttendedWorker } from '../../../shared/worker-channel/attended-worker.js';
import type { WorkerChannel } from '../../../shared/worker-channel/worker-channel.js';
import type { SupervisedService } from './supervised-service.js';

/** Something that a worker joins by what it is asked and told over; the result is called when the worker has gone. */
export interface Joinable {
  join(worker: WorkerChannel): () => void;
}

/** Has every worker join. */
export class JoinedService implements SupervisedService {
  readonly #joinable: Joinable;
  readonly #leave = new Map<AttendedWorker, () => void>();

  constructor(joinable: Joinable) {
    this.#joinable = joinable;
  }

  /** What is joined follows the configuration by what workers ask. */
  adopt(): void {}

  attend(worker: AttendedWorker): void {
    this.#leave.set(worker, this.#joinable.join(worker.channel));
  }

  left(worker: AttendedWorker): void {
    this.#leave.get(worker)?.();
    this.#leave.delete(worker);
  }
}
