import type { GatewayConfiguration } from '../../../../domain/gateway/configuration/gateway-configuration.js';
import type { AttendedWorker, WorkerChannel } from '../../../shared/worker-channel/worker-channel.js';

/** Something that a worker joins by what it is asked and told over; the result is called when the worker has gone. */
interface Joinable {
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

/** What the supervisor's process does for the workers beyond keeping them alive, as the limits that hold over all of them. */
export interface SupervisedService {
  /** This configuration is about to come into force: the first one before any worker has its order, others before workers commit. */
  adopt(configuration: GatewayConfiguration): void;
  /** A process is about to become a worker. It may ask from now on. */
  attend(worker: AttendedWorker): void;
  /** Its process has ended, or never served. */
  left(worker: AttendedWorker): void;
}
